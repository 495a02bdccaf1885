package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Gap is an invisible character that keeps characters from meaning something together, and changes
// nothing for the reader.
const Gap = "\u200b"

// Letter reports whether a character belongs to words, where most marks mean nothing.
func Letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Around returns the neighbours of the character at word[i], which takes size bytes; 0 for one that
// is not known.
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

// Mark is what begins and ends one style in Markdown.
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

// maxLanguage is how much of a language's name is kept, in bytes.
const maxLanguage = 20

// Language keeps of the name of a code block's language what can follow a fence.
func Language(name string) string {
	for i, r := range name {
		if !Letter(r) && !strings.ContainsRune("+-#._", r) || i >= maxLanguage {
			return name[:i]
		}
	}
	return name
}
