package tiktoken

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

const (
	// chunkBytes is the maximum number of bytes that are counted at once. Counting a long run of
	// letters takes more than linear time and memory. The limit is large enough that cuts are rare.
	chunkBytes = 32 << 10
	// spaceBytes limits a run of white space. The library's pattern takes quadratic time for a run
	// that mixes spaces and line ends, which is many minutes for a megabyte.
	spaceBytes = 256
)

// parts yields text in parts of at most c.chunk bytes. If possible, it cuts where a cut does not
// change the tokens.
func (c *Counter) parts(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for text != "" {
			n := c.next(text)
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

// pieces yields text in pieces of about 400 bytes, without cutting any token. Each cut depends only
// on the bytes next to it, so a passage is cut the same in different texts, except at its ends.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start := 0
		for i := range len(text) {
			if text[i] != ' ' || !seam(text, i) || !chosen(text[max(i-8, 0):i]) {
				continue
			}
			if !yield(text[start:i]) {
				return
			}
			start = i
		}
		yield(text[start:])
	}
}

// chosen reports whether pieces cuts after this ending. It selects about 1 in 64 endings, by a
// hash.
func chosen(ending string) bool {
	var h uint32
	for _, b := range []byte(ending) {
		h = (h ^ uint32(b)) * 16777619 // as FNV does
	}
	return h>>26 == 0
}

func (c *Counter) next(text string) int {
	run := 0
	for i, r := range text[:min(len(text), c.chunk)] {
		if r == deleteRune {
			return max(i, 1)
		}
		if !unicode.IsSpace(r) {
			run = 0
			continue
		}
		run += utf8.RuneLen(r)
		if run >= spaceBytes {
			return i + utf8.RuneLen(r)
		}
	}
	if len(text) <= c.chunk {
		return len(text)
	}
	return cut(text, c.chunk)
}

// cut returns a position, at most limit, at which to cut a longer text. It prefers the last
// position in the second half at which a cut changes no tokens. Otherwise it cuts between two
// runes, which may cost one more token.
func cut(text string, limit int) int {
	for i := limit; i > limit/2; i-- {
		if seam(text, i) {
			return i
		}
	}
	for i := limit; i > 0 && i > limit-utf8.UTFMax; i-- {
		if utf8.RuneStart(text[i]) {
			return i
		}
	}
	return limit
}

// seam reports whether text can be cut at i without changing its tokens. It finds cuts only between
// a line end and a letter or digit, and before a space between two letters. It considers only
// ASCII.
func seam(text string, i int) bool {
	if i < 1 || i+1 >= len(text) {
		return false
	}
	before, after := text[i-1], text[i]
	switch {
	case before == '\n':
		return letter(after) || '0' <= after && after <= '9'
	case after == ' ':
		return letter(before) && letter(text[i+1])
	default:
		return false
	}
}

func letter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }
