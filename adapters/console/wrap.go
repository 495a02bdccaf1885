package console

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wrapper wraps streamed text between words at the width of a terminal. It holds a word back until
// the word is complete. In a script without spaces, each character counts as a word. Escape
// sequences have no width. Fenced code is not wrapped.
type wrapper struct {
	width  int // columns; 0 never breaks
	column int // column of the next character
	word   strings.Builder
	size   int // columns of word
	gap    int // pending spaces before word
	// indent is the number of spaces at the start of the line. Continuation lines begin with
	// hanging more spaces.
	indent int
	apart  bool // the line may break before word without a space
	after  bool // the previous character belongs to a script without spaces
	fenced bool
	line   strings.Builder // beginning of the current input line, to recognise a code fence
}

// hanging is the number of additional spaces at the start of a continuation line, if the line is
// indented.
const hanging = 2

func (w *wrapper) write(text string) string {
	if w.width <= 0 {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		if n := escape(text[i:]); n > 0 {
			w.word.WriteString(text[i : i+n])
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		w.rune(&out, r, text[i:i+n])
		i += n
	}
	return out.String()
}

func (w *wrapper) flush() string {
	var out strings.Builder
	w.place(&out)
	return out.String()
}

func (w *wrapper) rune(out *strings.Builder, r rune, s string) {
	switch {
	case r == '\n':
		w.place(out)
		w.gap, w.indent = 0, 0
		out.WriteByte('\n')
		w.column = 0
		if fence := strings.TrimSpace(w.line.String()); strings.HasPrefix(fence, "```") || strings.HasPrefix(fence, "~~~") {
			w.fenced = !w.fenced
		}
		w.line.Reset()
	case w.fenced || w.column == w.indent && w.word.Len() == 0 && r == ' ': // code, and the indentation of a line
		w.place(out)
		out.WriteString(s)
		w.column++
		w.line.WriteString(s)
		if !w.fenced {
			w.indent++
		}
	case r == ' ':
		w.place(out)
		if w.gap++; w.indent == 0 {
			w.gap = 1 // only indented text keeps its columns
		}
		w.line.WriteByte(' ')
	default:
		whole := unspaced(r)
		if whole {
			w.place(out)
		}
		w.apart = w.apart || whole || w.after && (unicode.IsLetter(r) || unicode.IsDigit(r))
		w.after = whole
		w.word.WriteString(s)
		w.size += columns(r)
		if w.line.Len() < 16 {
			w.line.WriteString(s)
		}
		if whole {
			w.place(out)
		}
	}
}

// place writes the held-back word to the current line, or to a new line if the word does not fit.
func (w *wrapper) place(out *strings.Builder) {
	if w.word.Len() == 0 {
		return
	}
	if (w.gap > 0 || w.apart) && w.column > w.indent && w.column+w.gap+w.size > w.width {
		out.WriteByte('\n')
		w.column, w.gap = 0, 0
		if w.indent > 0 {
			w.gap = w.indent + hanging
		}
	}
	out.WriteString(strings.Repeat(" ", w.gap))
	w.column += w.gap
	w.gap, w.apart = 0, false
	out.WriteString(w.word.String())
	w.column += w.size
	w.word.Reset()
	w.size = 0
}

// escape returns the length of the escape sequence at the start of s. It recognises styles and
// hyperlinks, which are the only sequences that this package writes.
func escape(s string) int {
	switch {
	case strings.HasPrefix(s, "\x1b["):
		if end := strings.IndexByte(s, 'm'); end >= 0 {
			return end + 1
		}
	case strings.HasPrefix(s, "\x1b]8;"):
		if end := strings.Index(s, "\x1b\\"); end >= 0 {
			return end + 2
		}
	}
	return 0
}

// unspaced reports whether a character belongs to a script without spaces between words. A line may
// break before such a character.
func unspaced(r rune) bool {
	return r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// columns returns the width of a character in columns. Wide scripts and emoji take two columns.
// Combining marks take none.
func columns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul), r >= 0xff01 && r <= 0xff60, r >= 0x1f300 && r <= 0x1faff:
		return 2
	default:
		return 1
	}
}
