package index

import (
	"unicode"
	"unicode/utf8"
)

// Counter counts tokens. budget.Counter is one. Implementations are safe for concurrent use.
type Counter interface {
	Count(text string) int
}

const (
	// longestRun is how many letters, or digits, or spaces in a row are counted in one piece. Tokenizers take time that grows with the square
	// of such a run, and nothing that people wrote comes near it.
	longestRun = 512
	// longestCount bounds what one call of the counter is given.
	longestCount = 1 << 14
)

// measure counts the tokens of a text in linear time, whatever the text. For texts without very long runs it is the counter's own number.
func measure(counter Counter, text string) int {
	total, start, run := 0, 0, 0
	var last runeClass
	for at, r := range text {
		class := classify(r)
		if class == last {
			run++
		} else {
			last, run = class, 1
		}
		if run > longestRun || (at-start > longestCount && run == 1) {
			total += counter.Count(text[start:at])
			start, run = at, 1
		}
	}
	return total + counter.Count(text[start:])
}

type runeClass int

const (
	other runeClass = iota + 1
	letter
	digit
	space
)

func classify(r rune) runeClass {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		return letter
	case r == ' ' || r == '\n' || r == '\t' || r == '\r':
		return space
	case r < utf8.RuneSelf:
		if '0' <= r && r <= '9' {
			return digit
		}
		return other
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return letter
	case unicode.IsDigit(r):
		return digit
	case unicode.IsSpace(r):
		return space
	default:
		return other
	}
}
