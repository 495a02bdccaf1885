package answer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Gap is a zero-width space. Between two characters, it prevents a platform from reading them as
// markup.
const Gap = "\u200b"

// Letter reports whether r is a letter or a digit. Most Markdown marks have no effect between two
// such characters.
func Letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Around returns the characters before and after the one at word[i], which has size bytes. At the
// ends of word, it returns Before and After.
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

// Mark returns the Markdown mark at both ends of a style, such as "**" for Bold.
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

const maxLanguage = 20

// Language returns the prefix of a code block's language name that is safe to write after a fence.
func Language(name string) string {
	for i, r := range name {
		if !Letter(r) && !strings.ContainsRune("+-#._", r) || i >= maxLanguage {
			return name[:i]
		}
	}
	return name
}
