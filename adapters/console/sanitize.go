package console

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
)

// Sanitize removes characters that could hide or change text on a terminal. It removes control
// characters, characters that change the text direction, tags and other invisible characters. It
// keeps line feeds, tabs, and the joiners that scripts and emoji need. It replaces line and
// paragraph separators with spaces.
func Sanitize(s string) string { return answer.Visible(printed(s)) }

func printed(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == zeroWidthNonJoiner || r == zeroWidthJoiner:
			return r
		case unicode.In(r, unicode.Zl, unicode.Zp):
			return ' '
		case unicode.IsControl(r) || unicode.In(r, unicode.Cf) && !unicode.In(r, unicode.Prepended_Concatenation_Mark):
			return -1
		default:
			return r
		}
	}, s)
}

const (
	zeroWidthNonJoiner = '\u200c'
	zeroWidthJoiner    = '\u200d'
)

// hidden reports whether a character is invisible or can move other text.
func hidden(r rune) bool {
	switch r {
	case '\n', '\t', '\r': // between the values of JSON; within strings they are escaped already
		return false
	case '\u034f', '\u115f', '\u1160', '\u17b4', '\u17b5', '\u3164', '\uffa0':
		return true
	}
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || r >= 0xe0000 && r <= 0xe0fff
}

// Plain returns a writer that sanitizes plain text and writes it to w. A character may be split
// between two writes. The writer is safe for concurrent use.
func Plain(w io.Writer) io.Writer { return &filtered{to: w, change: printed} }

// JSON returns a writer that writes JSON to w and escapes invisible characters as \uXXXX. The JSON
// values do not change. The writer is safe for concurrent use.
func JSON(w io.Writer) io.Writer { return &filtered{to: w, change: visible} }

func visible(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

type filtered struct {
	to     io.Writer
	change func(string) string

	mu  sync.Mutex
	cut []byte // the incomplete character at the end of the last write
}

// Write implements io.Writer. It returns len(p) unless w fails, even if the text changes.
func (f *filtered) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text := append(f.cut, p...)
	whole := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if last := text[len(text)-back:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				whole -= back
			}
			break
		}
	}
	f.cut = append([]byte(nil), text[whole:]...)
	if _, err := io.WriteString(f.to, f.change(string(text[:whole]))); err != nil {
		return 0, err
	}
	return len(p), nil
}
