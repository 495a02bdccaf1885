package search

import (
	"slices"
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/core/message"
)

// Standalone turns a follow-up question into a query without a model. If the question is not
// self-contained, it prepends two earlier questions: the newest self-contained one, which names the
// topic, and the one just before it. So "and how do I monitor it?" after "How do I set up streaming
// replication?" becomes a query of both, and "why?" after these becomes a query of all three.
//
// The rule counts content words: words that are not among the most common ones of a language. A
// question with three of them is self-contained. Two are enough without "the": "reset a password"
// is, but "rank the results" refers to known results. One is enough in "what is vacuum?". A
// question is not self-contained if a word such as "it" points back, unless three content words
// precede that word: then it points to them. It is also not self-contained if it begins as an
// addition ("and", "what about").
func Standalone(question string, history []message.Message) string {
	parts := []string{strings.TrimSpace(question)}
	first := subject(question, history)
	if first < len(history) {
		if last := lastQuestion(history); last > first {
			parts = append([]string{excerpt(strings.TrimSpace(history[last].Text))}, parts...)
		}
		parts = append([]string{excerpt(strings.TrimSpace(history[first].Text))}, parts...)
	}
	return strings.Join(parts, " ")
}

// subject returns where in the history stands what a question is about: its length for a question
// that stands on its own, else the place of the newest question that does, or of the first one when
// none does.
func subject(question string, history []message.Message) int {
	from := len(history)
	if stanceOf(question) == stands {
		return from
	}
	for i := len(history) - 1; i >= 0; i-- {
		if !asks(history[i]) {
			continue
		}
		from = i
		if stanceOf(history[i].Text) == stands {
			break
		}
	}
	return from
}

// lastQuestion is the place of the newest question of a conversation that has one.
func lastQuestion(history []message.Message) int {
	for i := len(history) - 1; i >= 0; i-- {
		if asks(history[i]) {
			return i
		}
	}
	return 0
}

// asks reports whether a message is a person's and a follow-up can be about it.
func asks(m message.Message) bool {
	return m.Role == message.User && !m.Courtesy && strings.TrimSpace(m.Text) != ""
}

// stance is how a question relates to those before it.
type stance int

const (
	stands stance = iota // it needs none of them
	unsure               // it may need them
	leans                // it says nothing without them
)

// Telling words by which a question stands on its own.
const (
	enoughTelling = 3 // whatever else it says
	toPointTo     = 3 // before a word that points back
)

func stanceOf(question string) stance {
	list := words(question)
	telling, definite := 0, false
	for _, word := range list {
		switch {
		case pointing[word] && telling < toPointTo:
			return leans
		case articles[word]:
			definite = true
		case !common[word] && !pointing[word]:
			telling++
		}
	}
	switch added := adds(list); {
	case telling >= enoughTelling && added:
		return unsure
	case telling >= enoughTelling:
		return stands
	case telling == 0 || added:
		return leans
	case telling == 1 && definite:
		return leans
	case definite:
		return unsure
	case telling == 1 && !defines(list):
		return leans
	}
	return stands
}

// adds reports whether a question begins as an addition to another one.
func adds(list []string) bool {
	for i := 0; i < len(list) && i < 3; i++ {
		if additions[list[i]] || i > 0 && list[i] == "about" {
			return true
		}
		if !common[list[i]] {
			return false
		}
	}
	return false
}

// defines reports whether a question asks what something is, or is nothing but its name.
func defines(list []string) bool {
	return len(list) == 1 || asking[list[0]]
}

// plausible reports whether a model's rewriting is one: it says something of what the conversation
// is about. Small models apologise, or answer, instead.
func plausible(rewritten, question string, history []message.Message) bool {
	told := make(map[string]bool)
	note := func(text string) {
		for _, word := range words(text) {
			if !common[word] && !pointing[word] {
				told[beginningOf(word)] = true
			}
		}
	}
	note(question)
	for _, m := range recent(history) {
		note(excerpt(m.Text))
	}
	for _, word := range words(rewritten) {
		if told[beginningOf(word)] {
			return true
		}
	}
	return false
}

// beginningOf is what the forms of a word have in common, roughly: "monitor" and "monitoring".
func beginningOf(word string) string {
	if runes := []rune(word); len(runes) > 5 {
		return string(runes[:5])
	}
	return word
}

// words are the words of a text in lower case. Scripts without spaces give long words; each
// ideograph counts as one there.
func words(text string) []string {
	var out []string
	for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		runes := []rune(word)
		if len(runes) > 1 && unicode.In(runes[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai) {
			for _, r := range runes {
				out = append(out, string(r))
			}
			continue
		}
		out = append(out, word)
	}
	return out
}

func set(list string) map[string]bool {
	m := make(map[string]bool)
	for word := range strings.FieldsSeq(list) {
		m[word] = true
	}
	return m
}

// pointing are words by which a question leans on what was said before: English, German, French,
// Spanish.
var pointing = set(`it its this that these those they them their there then he she him her one ones same former latter else otherwise
	es sie ihn ihm ihnen das dies diese dieser dieses diesen diesem jene dort dann davon damit dazu dabei daran dafür sonst gleiche
	cela ça celui celle ceux celles ceci ici alors leur leurs même
	eso esto esa ese esos esas este esta estos estas ello ellos ellas allí entonces mismo`)

// common are words that tell nothing about what is looked for.
var common = set(`a an and any are as at be but by can could do does did for from get give go had has have how i if in into is like make may me
	more most much must my need no not of ok okay on or our please should show so some tell thanks the to too up us use using want was we well were
	what when where which who why will with would yes you your about also again example explain detail details
	und oder aber auch der die den dem des ein eine einen einem einer ist sind war hat haben kann können muss müssen soll sollen wie was wann wo wer
	warum welche welcher welches mit ohne für von zu zum zur auf aus bei in im ich wir man du ihr mir mich uns bitte mehr noch nicht kein keine
	et ou mais le la les un une des de du est sont comment quoi que qui où quand pourquoi quel quelle avec sans pour par dans sur je nous vous plus pas
	y o pero el los las un una unos unas de del es son cómo como qué que quién dónde cuándo cuál con sin para por en sobre yo nosotros más no`)

// articles say that what follows is known already.
var articles = set(`the der die das den dem des le la les l el la los las`)

// additions begin questions that go on from another one.
var additions = set(`and or but also then und oder aber auch et ou mais y o pero`)

// asking are words that begin a question about what something is.
var asking = set(`what explain define describe was erkläre erklär définis explique qué explica define`)

// recently are words that ask for what is new. "Now", "today" and "current" alone ask for what
// holds, which an old page may say.
var recently = set(`latest newest recent recently lately neueste neuesten neuestes neuester neulich kürzlich zuletzt
	récent récente récents récentes récemment dernière dernier dernièrement reciente recientes recientemente último última últimamente`)

func wantsRecent(question string) bool {
	return slices.ContainsFunc(words(question), func(word string) bool { return recently[word] })
}
