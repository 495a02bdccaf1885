package cite

import (
	"strings"
	"unicode"
)

const maxTitle = 200

// gap is a zero-width space. It breaks mentions and automatic links.
const gap = '\u200b'

// SafeTitle returns a document's title as one line of plain text that cannot mention people, add
// formatting, or link. It replaces brackets, and adds invisible characters after @ and in
// addresses. It cuts titles over 200 characters. A title without visible characters becomes
// "Untitled document".
func SafeTitle(title string) string {
	var b strings.Builder
	length := 0
	space := false
	for _, r := range strings.ToValidUTF8(title, "") {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cc, r) {
			space = length > 0
			continue
		}
		if !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) {
			continue // invisible: it could reorder or hide its neighbours
		}
		if length++; length > maxTitle {
			b.WriteRune('…')
			break
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(safeRune(r))
		if r == '@' || r == ':' {
			b.WriteRune(gap)
		}
	}
	if length == 0 {
		return "Untitled document"
	}
	safe := b.String()
	// Add a gap only where it breaks a link.
	safe = strings.ReplaceAll(safe, ":"+string(gap)+" ", ": ")
	safe = strings.TrimSuffix(safe, string(gap))
	for _, www := range []string{"www.", "WWW.", "Www."} {
		safe = strings.ReplaceAll(safe, www, www[:3]+string(gap)+".")
	}
	return safe
}

// safeRune replaces a character that has a meaning in Markdown with a similar character. Brackets
// of all widths become parentheses, because a copied title must not become a citation.
func safeRune(r rune) rune {
	switch r {
	case '[', '【', '［':
		return '('
	case ']', '】', '］':
		return ')'
	case '<':
		return '‹'
	case '>':
		return '›'
	case '`':
		return '\''
	case '|':
		return '¦'
	case '\\':
		return '＼'
	}
	return r
}
