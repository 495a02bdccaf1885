package search

import (
	"strings"
	"unicode"

	"github.com/footnotehq/footnote/core/message"
)

// maxBack is how many earlier questions a follow-up is completed with at most.
const maxBack = 3

// enoughWords is how many telling words let a question stand on its own.
const enoughWords = 3

// Standalone is the rule by which a follow-up becomes a query when no model rewrites it: to a question that does not stand on its own,
// the questions before it are put in front, newest last, back to one that does, at most three. A question stands on its own when it
// has three telling words or more (not counting the most common words of a language) and no word that points back, such as "it".
// So "and how do I monitor it?" after "How do I set up streaming replication?" asks for both together.
func Standalone(question string, history []message.Message) string {
	parts := []string{strings.TrimSpace(question)}
	for i := len(history) - 1; i >= subject(question, history); i-- {
		if m := history[i]; m.Role == message.User && strings.TrimSpace(m.Text) != "" {
			parts = append([]string{excerpt(strings.TrimSpace(m.Text))}, parts...)
		}
	}
	return strings.Join(parts, " ")
}

// subject returns where in the history begins what a question is about: its length for a question that stands on its own, else the
// place of the earliest question that it leans on.
func subject(question string, history []message.Message) int {
	from := len(history)
	if standsAlone(question) {
		return from
	}
	back := 0
	for i := len(history) - 1; i >= 0 && back < maxBack; i-- {
		m := history[i]
		if m.Role != message.User || strings.TrimSpace(m.Text) == "" {
			continue
		}
		back++
		from = i
		if standsAlone(m.Text) {
			break
		}
	}
	return from
}

func standsAlone(question string) bool {
	telling := 0
	for _, word := range words(question) {
		switch {
		case pointing[word]:
			return false
		case !common[word]:
			telling++
		}
	}
	return telling >= enoughWords
}

// plausible reports whether a model's rewriting is one: it says something of what the conversation is about. Small models apologise,
// or answer, instead.
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

// words are the words of a text in lower case. Scripts without spaces give long words; each ideograph counts as one there.
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

// pointing are words by which a question leans on what was said before: English, German, French, Spanish.
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

// recently are words that ask for what is new.
var recently = set(`latest newest recent recently current currently today now nowadays neueste neuesten aktuell aktuelle aktuellen derzeit heute
	récent récente récents actuel actuelle actuellement dernier dernière aujourd reciente recientes actual actualmente último última hoy`)

func wantsRecent(question string) bool {
	for _, word := range words(question) {
		if recently[word] {
			return true
		}
	}
	return false
}
