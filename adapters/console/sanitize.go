package console

import (
	"strings"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
)

// Sanitize removes control characters and those that turn the direction of text around, so that no document and no model can drive the
// terminal, and what is invisible, in which text can be hidden. Line feeds and tabs stay.
func Sanitize(s string) string { return answer.Visible(printed(s)) }

// printed is Sanitize without regard to what is invisible.
func printed(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, s)
}
