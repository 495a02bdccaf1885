package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Limits of names. Longer titles are sentences, which people do not repeat literally.
const (
	MaxNameWords = 12  // words of a normal form
	MaxNameBytes = 200 // bytes of a normal form
	minNameRunes = 3   // of a normal form; shorter ones are initials and variables
)

// Form returns the normal form of a name: its words in lower case, without accents, separated by
// single spaces. "Café- Süd" and "CAFE SUD" have the same form. Form returns "" for a name
// without words. It does not transliterate scripts.
func Form(name string) string {
	var b strings.Builder
	for word := range words(name) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}

// Nameable reports whether a normal form may be a name. It must not be too short, too long or a
// number. At least one word must be uncommon.
func Nameable(form string) bool {
	if len(form) > MaxNameBytes || utf8.RuneCountInString(form) < minNameRunes || strings.Count(form, " ") >= MaxNameWords {
		return false
	}
	for word := range strings.SplitSeq(form, " ") {
		if !ordinary[word] && strings.IndexFunc(word, unicode.IsLetter) >= 0 && utf8.RuneCountInString(word) > 1 {
			return true
		}
	}
	return false
}

// words yields the words of a text in normal form. A word is a sequence of letters, digits and
// marks. A possessive ending is dropped: "Scott's" yields "scott".
func words(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		var buf [64]byte
		for at := 0; at < len(text); {
			start, end, plain := at, at, true
			for end < len(text) {
				c := text[end]
				if c < utf8.RuneSelf {
					if !alphanumeric[c] {
						break
					}
					end++
					continue
				}
				r, size := utf8.DecodeRuneInString(text[end:])
				if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
					break
				}
				plain = false
				end += size
			}
			if end == start {
				_, size := utf8.DecodeRuneInString(text[at:])
				at += size
				continue
			}
			at = end
			if rest, cut := possessive(text[end:]); cut {
				at = len(text) - len(rest)
			}
			word := text[start:end]
			switch {
			case !plain:
				word = foldWord(word)
			case len(word) <= len(buf):
				upper := false
				for i := range len(word) {
					c := word[i]
					if 'A' <= c && c <= 'Z' {
						c += 'a' - 'A'
						upper = true
					}
					buf[i] = c
				}
				if upper {
					word = string(buf[:len(word)])
				}
			default:
				word = strings.ToLower(word)
			}
			if word != "" && !yield(word) {
				return
			}
		}
	}
}

func possessive(rest string) (string, bool) {
	for _, mark := range []string{"'s", "’s", "'S", "’S"} {
		if after, cut := strings.CutPrefix(rest, mark); cut {
			if r, _ := utf8.DecodeRuneInString(after); after == "" || !unicode.IsLetter(r) {
				return after, true
			}
		}
	}
	return rest, false
}

func foldWord(word string) string {
	// Folding may leave marks, and decomposition may leave capitals and punctuation.
	decomposed := norm.NFKD.String(strings.ToLower(cases.Fold().String(norm.NFKD.String(word))))
	stripped := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return -1
		}
		return r
	}, decomposed)
	return norm.NFC.String(stripped)
}

var alphanumeric = func() (set [utf8.RuneSelf]bool) {
	for c := range set {
		set[c] = '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	return set
}()
