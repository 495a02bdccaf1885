package search

import (
	"slices"
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/core/message"
)

// Standalone converts a follow-up question to a query, without a model. A question that depends on
// earlier ones gets up to two of them as a prefix: the newest self-contained question, and the
// previous question. For example, "How do I set up streaming replication?" is added before "And how
// do I monitor it?".
//
// A question is self-contained if it has three content words, which are words that are not among
// the most common of a language. Two are enough without a definite article: "reset a password" is
// self-contained, but "rank the results" is not. One is enough in a definition, such as "what is
// vacuum?".
//
// A question depends on others if a word such as "it" follows fewer than three content words, or if
// it begins with a word such as "and".
func Standalone(question string, history []message.Message) string {
	parts := []string{strings.TrimSpace(question)}
	first := topicIndex(question, history)
	if first < len(history) {
		if last := lastQuestion(history); last > first {
			parts = append([]string{excerpt(strings.TrimSpace(history[last].Text))}, parts...)
		}
		parts = append([]string{excerpt(strings.TrimSpace(history[first].Text))}, parts...)
	}
	return strings.Join(parts, " ")
}

// topicIndex returns the index in history of the question that names the topic. For a
// self-contained question, it returns the length of history. Otherwise it is the newest
// self-contained question, or the first question if there is none.
func topicIndex(question string, history []message.Message) int {
	from := len(history)
	if dependenceOf(question) == standalone {
		return from
	}
	for i := len(history) - 1; i >= 0; i-- {
		if !isQuestion(history[i]) {
			continue
		}
		from = i
		if dependenceOf(history[i].Text) == standalone {
			break
		}
	}
	return from
}

// lastQuestion returns the index of the newest question, or 0 if there is none.
func lastQuestion(history []message.Message) int {
	for i := len(history) - 1; i >= 0; i-- {
		if isQuestion(history[i]) {
			return i
		}
	}
	return 0
}

// isQuestion reports whether a message is a person's question. Courtesies such as thanks do not
// count.
func isQuestion(m message.Message) bool {
	return m.Role == message.User && !m.Courtesy && strings.TrimSpace(m.Text) != ""
}

type dependence int

const (
	standalone dependence = iota // it depends on none
	unclear                      // it may depend on them
	dependent                    // it is meaningless without them
)

const (
	minContentWords = 3 // in the whole question
	minAntecedent   = 3 // before a pronoun
)

func dependenceOf(question string) dependence {
	list := words(question)
	telling, definite := 0, false
	for _, word := range list {
		switch {
		case pronouns[word] && telling < minAntecedent:
			return dependent
		case articles[word]:
			definite = true
		case !commonWordSet[word] && !pronouns[word]:
			telling++
		}
	}
	switch added := isAddition(list); {
	case telling >= minContentWords && added:
		return unclear
	case telling >= minContentWords:
		return standalone
	case telling == 0 || added:
		return dependent
	case telling == 1 && definite:
		return dependent
	case definite:
		return unclear
	case telling == 1 && !isDefinition(list):
		return dependent
	}
	return standalone
}

func isAddition(list []string) bool {
	for i := 0; i < len(list) && i < 3; i++ {
		if additionWords[list[i]] || i > 0 && list[i] == "about" {
			return true
		}
		if !commonWordSet[list[i]] {
			return false
		}
	}
	return false
}

func isDefinition(list []string) bool {
	return len(list) == 1 || definitionWords[list[0]]
}

// isPlausible reports whether a rewritten question shares words with the conversation. Small models
// sometimes apologise or answer instead of rewriting.
func isPlausible(rewritten, question string, history []message.Message) bool {
	told := make(map[string]bool)
	note := func(text string) {
		for _, word := range words(text) {
			if !commonWordSet[word] && !pronouns[word] {
				told[stemOf(word)] = true
			}
		}
	}
	note(question)
	for _, m := range recentHistory(history) {
		note(excerpt(m.Text))
	}
	for _, word := range words(rewritten) {
		if told[stemOf(word)] {
			return true
		}
	}
	return false
}

func stemOf(word string) string {
	if runes := []rune(word); len(runes) > 5 {
		return string(runes[:5])
	}
	return word
}

// words returns the words of a text in lower case. In scripts without spaces, each character is a
// word.
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

var pronouns = set(`it its this that these those they them their there then he she him her one ones same former latter else otherwise
	es sie ihn ihm ihnen das dies diese dieser dieses diesen diesem jene dort dann davon damit dazu dabei daran dafür sonst gleiche
	cela ça celui celle ceux celles ceci ici alors leur leurs même
	eso esto esa ese esos esas este esta estos estas ello ellos ellas allí entonces mismo`)

var commonWordSet = set(`a an and any are as at be but by can could do does did for from get give go had has have how i if in into is like make may me
	more most much must my need no not of ok okay on or our please should show so some tell thanks the to too up us use using want was we well were
	what when where which who why will with would yes you your about also again example explain detail details
	und oder aber auch der die den dem des ein eine einen einem einer ist sind war hat haben kann können muss müssen soll sollen wie was wann wo wer
	warum welche welcher welches mit ohne für von zu zum zur auf aus bei in im ich wir man du ihr mir mich uns bitte mehr noch nicht kein keine
	et ou mais le la les un une des de du est sont comment quoi que qui où quand pourquoi quel quelle avec sans pour par dans sur je nous vous plus pas
	y o pero el los las un una unos unas de del es son cómo como qué que quién dónde cuándo cuál con sin para por en sobre yo nosotros más no`)

var articles = set(`the der die das den dem des le la les l el la los las`)

var additionWords = set(`and or but also then und oder aber auch et ou mais y o pero`)

var definitionWords = set(`what explain define describe was erkläre erklär définis explique qué explica define`)

// recencyWords ask for recent documents. "Now", "today" and "current" are not in the set, because
// they ask for valid information, which an old page may contain.
var recencyWords = set(`latest newest recent recently lately neueste neuesten neuestes neuester neulich kürzlich zuletzt
	récent récente récents récentes récemment dernière dernier dernièrement reciente recientes recientemente último última últimamente`)

func wantsRecent(question string) bool {
	return slices.ContainsFunc(words(question), func(word string) bool { return recencyWords[word] })
}
