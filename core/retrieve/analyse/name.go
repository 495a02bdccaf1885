package analyse

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// names decides which words of a question are written as names, such as identifiers.
type names struct {
	text   string
	asides [][2]int // byte ranges that are not the topic
	// whether capitals are significant: not all words are capitalised, and the language does not
	// capitalise all nouns
	cased bool
}

var capitalisedNouns = map[string]bool{"de": true, "lb": true}

func namesOf(text string, asked language) *names {
	n := &names{text: text, asides: asidesIn(text), cased: !capitalisedNouns[asked.name]}
	words, capital := 0, 0
	for field := range strings.FieldsSeq(text) {
		r, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(field, func(r rune) bool { return !unicode.IsLetter(r) }))
		if !unicode.IsLetter(r) {
			continue
		}
		words++
		if unicode.IsUpper(r) {
			capital++
		}
	}
	if words > 3 && 3*capital > 2*words { // A Title, OR SHOUTED
		n.cased = false
	}
	return n
}

// dates are capitalised English words that do not count as names: days, months, languages and "I".
var dates = set(`monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october
	november december mon tue wed thu fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec i english german french spanish`)

// isName reports whether the word at text[from:to] is written as a name. Names are identifiers,
// quotations, acronyms, and capitalised words in mid-sentence.
func (n *names) isName(from, to int) bool {
	word := n.text[from:to]
	if word == "" {
		return false
	}
	if n.isQuoted(from, to) || isIdentifier(word) {
		return true
	}
	if !n.cased || dates[lower(word)] {
		return false
	}
	first, size := utf8.DecodeRuneInString(word)
	if !unicode.IsUpper(first) {
		return false
	}
	if size < len(word) && strings.IndexFunc(word, unicode.IsLower) < 0 { // an acronym
		return true
	}
	return size < len(word) && n.isMidSentence(from)
}

func (n *names) isMidSentence(at int) bool {
	before := strings.TrimRight(n.text[:at], " \t([{\"'“„«‘")
	if before == "" {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(before)
	return !strings.ContainsRune(".?!:;\n\r–—-*•>", r)
}

// isQuoted reports whether quotation marks enclose the word at text[from:to]. Both marks must be on
// its line and within 60 bytes of it.
func (n *names) isQuoted(from, to int) bool {
	const reach = 60
	before := n.text[max(0, from-reach):from]
	after := n.text[to:min(len(n.text), to+reach)]
	for _, marks := range [][2]string{{"\"", "\""}, {"`", "`"}, {"“", "”"}, {"„", "“"}, {"«", "»"}} {
		i, j := strings.LastIndex(before, marks[0]), strings.Index(after, marks[1])
		if i < 0 || j < 0 || strings.ContainsAny(before[i:], "\n") || strings.ContainsAny(after[:j], "\n") {
			continue
		}
		if marks[0] != marks[1] {
			if strings.LastIndex(before, marks[1]) <= i {
				return true
			}
			continue
		}
		if strings.Count(n.text[:from], marks[0])%2 == 1 {
			return true
		}
	}
	return false
}

// isIdentifier reports whether a word looks like an identifier, such as "user_id", "getUser" or
// "k8s". Versions, dates, numbers with units ("5th", "10GB") and hyphenated words are not
// identifiers.
func isIdentifier(word string) bool {
	letters, digits, after := 0, 0, 0 // digits after a letter
	inner, lowered := false, false
	for _, r := range word {
		switch {
		case unicode.IsDigit(r):
			digits++
			if letters > 0 {
				after++
			}
		case r == '_':
			inner = true
		case unicode.IsLetter(r):
			letters++
			inner = inner || lowered && unicode.IsUpper(r)
		}
		lowered = unicode.IsLower(r)
	}
	return inner || after > 0 && (letters > 1 || after < digits)
}
