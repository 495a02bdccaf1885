package filter

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// projection is the visible part of a text. It excludes emphasis and code marks, invisible
// characters and citations.
type projection struct {
	text string
	at   []int // for each byte, its offset in the original text
	// end of the examined text; less than the length of the text if the rest may become a citation
	// or a character
	end  int
	gaps map[int]bool // offsets in text where a citation was removed; a word may end or begin there
}

// project returns the visible part of a text. If final is false, more text follows, so project
// omits text at the end that may become a citation or a character.
func project(raw string, final bool) projection {
	var b strings.Builder
	p := projection{at: make([]int, 0, len(raw))}
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRuneInString(raw[i:])
		if r == utf8.RuneError && size == 1 && !final && !utf8.FullRuneInString(raw[i:]) {
			p.text, p.end = b.String(), i
			return p
		}
		if r == '[' {
			switch n := citation(raw[i:]); {
			case n > 0:
				i += n
				if p.gaps == nil {
					p.gaps = make(map[int]bool)
				}
				p.gaps[b.Len()] = true
				if s := b.String(); strings.HasSuffix(s, " ") || s == "" { // the blank before it is enough
					for i < len(raw) && raw[i] == ' ' {
						i++
					}
				}
				continue
			case n < 0 && !final:
				p.text, p.end = b.String(), i
				return p
			}
		}
		if !invisible(r) {
			for k := range size {
				p.at = append(p.at, i+k)
			}
			b.WriteString(raw[i : i+size])
		}
		i += size
	}
	p.text, p.end = b.String(), len(raw)
	return p
}

// invisible reports whether a reader does not see a character. Examples are Markdown's marks for
// emphasis and code, the zero-width space and the soft hyphen.
func invisible(r rune) bool {
	switch r {
	case '*', '`', '~':
		return true
	}
	return r > unicode.MaxASCII && (unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r))
}

// maxCitation is the maximum length of a citation in bytes. A longer citation counts as text.
const maxCitation = 40

// citation returns the length of a citation such as [3], [1, 2] or [[3]] at the beginning of a
// text. It returns 0 if there is no citation, and -1 if a citation may be incomplete.
func citation(raw string) int {
	depth, digits := 0, false
	for i := 0; i < len(raw) && i < maxCitation; i++ {
		switch c := raw[i]; {
		case c == '[' && !digits && depth < 2:
			depth++
		case c >= '0' && c <= '9':
			digits = true
		case c == ']' && digits:
			if depth--; depth == 0 {
				return i + 1
			}
		case (c == ',' || c == ' ') && digits:
		default:
			return 0
		}
	}
	if len(raw) >= maxCitation {
		return 0
	}
	return -1
}
