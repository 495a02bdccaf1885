package analyse

import (
	"unicode"
	"unicode/utf8"
)

type kind int

const (
	word  kind = iota // stop words and stemming apply; counts towards the length of the field
	exact             // unchanged; counts towards the length
	extra             // unchanged; repeats words that are already counted
)

type token struct {
	text string
	kind kind
	unit int // number of the written word that the token came from
	from int // offset of that word in the text
	to   int
}

// scan yields the tokens of text in order until yield returns false. The text must come from fold.
func scan(text string, yield func(token) bool) {
	unit := -1
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		switch {
		case isUnspaced(r):
			end := i + size
			for end < len(text) {
				next, n := utf8.DecodeRuneInString(text[end:])
				if !isUnspaced(next) && !(unicode.Is(unicode.Mn, next) || unicode.Is(unicode.Mc, next)) {
					break
				}
				end += n
			}
			more := characterPairs(text[i:end], func(text string, k kind) bool {
				if k == exact {
					unit++
				}
				return yield(token{text, k, unit, i, end})
			})
			if !more {
				return
			}
			i = end
		case inWord(r):
			end := wordEnd(text, i)
			unit++
			more := yieldParts(text[i:end], func(text string, k kind) bool { return yield(token{text, k, unit, i, end}) })
			if !more {
				return
			}
			i = end
		default:
			i += size
		}
	}
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// wordEnd returns the end of the word that begins at start. The word includes hyphens and dots
// between two word characters, and the endings of "C++" and "C#".
func wordEnd(text string, start int) int {
	i := start
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if isUnspaced(r) {
			return i
		}
		if inWord(r) {
			i += size
			continue
		}
		if joinsIdentifier(r) {
			next, _ := utf8.DecodeRuneInString(text[i+size:])
			if i+size < len(text) && inWord(next) && !isUnspaced(next) && next != '_' {
				i += size
				continue
			}
		}
		break
	}
	if i-start == 1 { // a single letter
		if len(text) >= i+2 && text[i:i+2] == "++" {
			return i + 2
		}
		if len(text) > i && text[i] == '#' && (len(text) == i+1 || !inWord(rune(text[i+1]))) {
			return i + 1
		}
	}
	return i
}

func joinsIdentifier(r rune) bool {
	return r == '-' || r == '.' || r == '\u2010' || r == '\u2011'
}

// isUnspaced reports whether a character belongs to a script without spaces between words.
func isUnspaced(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) ||
		r == 'ー'
}

// characterPairs yields all pairs of adjacent characters of run, as search terms for Chinese,
// Japanese and Korean. Single characters are yielded as extra terms. It returns false if yield
// does.
func characterPairs(run string, yield func(string, kind) bool) bool {
	run = lower(run)
	previous := -1
	for i := 0; i < len(run); {
		_, size := utf8.DecodeRuneInString(run[i:])
		if size == len(run) {
			return yield(run, exact)
		}
		if previous >= 0 && !yield(run[previous:i+size], exact) {
			return false
		}
		if !yield(run[i:i+size], extra) {
			return false
		}
		previous = i
		i += size
	}
	return true
}
