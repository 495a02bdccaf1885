package htmltext

import (
	"strings"
	"unicode/utf8"
)

type inline struct {
	bytes []byte
	space bool // white space is due before the next letter
	code  int  // depth of code elements
	takes int  // number of times that the text was taken
}

// mark is a position in the text of an inline. It is valid until the next call of take.
type mark struct{ at, taken int }

func (t *inline) mark() mark { return mark{len(t.bytes), t.takes} }

func (t *inline) add(text []byte) {
	for i := 0; i < len(text); {
		b := text[i]
		if b < utf8.RuneSelf {
			i++
			switch b {
			case ' ', '\n', '\t', '\r', '\f':
				t.space = true
			default:
				t.gap()
				t.bytes = append(t.bytes, b)
			}
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		switch r {
		case '\u00a0', '\u2002', '\u2003', '\u2009', '\u202f', '\u3000':
			t.space = true
		case '\u00ad', '\u200b', '\u2060', '\ufeff':
			// soft hyphens and other invisible characters would split words
		default:
			t.gap()
			t.bytes = append(t.bytes, text[i:i+size]...)
		}
		i += size
	}
}

func (t *inline) gap() {
	if t.space && len(t.bytes) > 0 && t.bytes[len(t.bytes)-1] != '\n' {
		t.bytes = append(t.bytes, ' ')
	}
	t.space = false
}

func (t *inline) lineBreak() {
	if len(t.bytes) > 0 {
		t.bytes = append(t.bytes, '\n')
	}
	t.space = false
}

func (t *inline) take() string {
	text := strings.TrimSpace(string(t.bytes))
	t.bytes, t.space = t.bytes[:0], false
	t.takes++
	return text
}

func (t *inline) since(m mark) string {
	if m.taken != t.takes {
		return ""
	}
	return string(t.bytes[m.at:])
}

func (t *inline) length(m mark) int {
	if m.taken != t.takes {
		return 0
	}
	return len(t.bytes) - m.at
}

func (t *inline) replace(m mark, text string) {
	before := t.bytes[m.at]
	t.bytes = t.bytes[:m.at]
	if before == ' ' || before == '\n' {
		t.bytes = append(t.bytes, before)
	}
	t.bytes = append(t.bytes, text...)
}
