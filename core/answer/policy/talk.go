package policy

import (
	"slices"
	"strings"
)

// Talk is a kind of small talk: a message that does not ask about the documents.
type Talk int

// The values of [Talk].
const (
	NoTalk   Talk = iota // not small talk
	Greeting             // or assent, or an emoji
	Thanks
	Goodbye
	About // asks who the bot is or what it can do
)

// language holds the words and phrases of small talk in one language. A message with a word of
// thanks or goodbye is small talk if all its other words are small talk. A phrase is small talk
// only if it is the whole message, apart from [fillerWords] around it.
type language struct {
	thanks, goodbye map[string]bool // words
	leaving, about  map[string]bool // phrases
}

var languages = []language{{
	thanks:  words("thanks thank thx thnx tnx thanx thnks thansk ty tysm cheers"),
	goodbye: words("bye byebye goodbye cya"),
	leaving: phrases("see you", "see ya", "see you later", "see ya later", "good night", "take care", "have a good day", "have a nice day", "have a good one"),
	about: phrases("help", "help me", "help please", "please help", "please help me", "what can you do", "what can u do", "what can you do for me", "what do you do",
		"what can you help with", "what can you help me with", "how can you help", "how can you help me", "what can i ask", "what can i ask you", "what can i ask here",
		"who are you", "who r u", "who are u", "what are you", "what r u", "how do you work", "what do you know", "what are you for", "are you a bot", "are you a robot",
		"are you human", "are you an ai", "introduce yourself"),
}, {
	thanks:  words("danke dank vielen merci gracias grazie obrigado obrigada bedankt tack"),
	goodbye: words("tschüss adieu"),
}}

// TalkOf returns which kind of small talk a message is. It returns [NoTalk] if the message has any
// other content.
func TalkOf(text string) Talk {
	said := strings.Fields(plainWords(text))
	if asksAbout(said) && !strings.Contains(text, "`") {
		return About
	}
	if isPhrase(said, func(l language) map[string]bool { return l.leaving }) {
		return Goodbye
	}
	if !IsSmallTalk(text) {
		return NoTalk
	}
	kind := Greeting
	for _, l := range languages {
		for _, w := range said {
			switch {
			case l.goodbye[w]:
				return Goodbye
			case l.thanks[w]:
				kind = Thanks
			}
		}
	}
	return kind
}

func asksAbout(said []string) bool {
	return isPhrase(said, func(l language) map[string]bool { return l.about })
}

var fillerWords = words("hi hello hey hiya yo thanks thx cheers ok okey okay bot footnote there please pls so um bye goodbye")

// isPhrase reports whether the words form a phrase of any language. It ignores [fillerWords] around
// the phrase. The function of selects the phrases of a language.
func isPhrase(said []string, of func(language) map[string]bool) bool {
	for start := 0; start < len(said) && (start == 0 || fillerWords[said[start-1]]); start++ {
		for end := len(said); end > start && (end == len(said) || fillerWords[said[end]]); end-- {
			phrase := strings.ReplaceAll(strings.Join(said[start:end], " "), "’", "'")
			if slices.ContainsFunc(languages, func(l language) bool { return of(l)[phrase] }) {
				return true
			}
		}
	}
	return false
}

func phrases(list ...string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, p := range list {
		set[p] = true
	}
	return set
}
