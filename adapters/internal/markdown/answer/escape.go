package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Gap is an invisible character. It separates other characters so that they are not read as markup.
const Gap = "\u200b"

// Letter reports whether a character can be part of a word. Most marks have no meaning inside
// words.
func Letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Around returns the neighbours of the character at word[i], which has size bytes. A neighbour is 0
// if it is unknown.
func (p Place) Around(word string, i, size int) (before, after rune) {
	before, after = p.Before, p.After
	if i > 0 {
		before, _ = utf8.DecodeLastRuneInString(word[:i])
	}
	if i+size < len(word) {
		after, _ = utf8.DecodeRuneInString(word[i+size:])
	}
	return before, after
}

// Mark returns the Markdown mark at both ends of a style.
func (s Style) Mark() string {
	switch s {
	case Bold:
		return "**"
	case Italic:
		return "*"
	case Strike:
		return "~~"
	default:
		return ""
	}
}

// maxLanguage is the maximum length of a language name in bytes.
const maxLanguage = 20

// Language returns the part of a code block's language name that may follow a fence.
func Language(name string) string {
	for i, r := range name {
		if !Letter(r) && !strings.ContainsRune("+-#._", r) || i >= maxLanguage {
			return name[:i]
		}
	}
	return name
}
