package tiktoken

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

const (
	// chunkBytes limits the memory and time for a long run of letters, whose cost grows faster than
	// its length. It is large enough that cuts are rare.
	chunkBytes = 32 << 10
	// spaceBytes limits a run of white space. The library's pattern takes quadratic time for a run
	// that mixes spaces and line ends, which is many minutes for a megabyte.
	spaceBytes = 256
)

// parts yields text in parts of at most c.chunk bytes. If possible, it cuts where the tokens of the
// parts together are those of the whole text.
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

// pieces yields text in pieces of about 400 bytes, and cuts only where no token spans the cut. A
// cut depends only on the bytes directly before it. A passage inside different texts is therefore
// cut the same, except at its ends.
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

// chosen is true for one in 64 endings.
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

// cut returns the position, at most limit, at which to cut a longer text. It is the last one in the
// second half at which a cut changes no tokens. If there is none, cut cuts between two runes, which
// may cost one more token.
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

// seam reports whether a cut of text at i does not change its tokens. Both vocabularies first split
// text into pieces. No piece has a line end before a letter or digit, or a letter before a space.
//
// A letter must follow the space, because what follows a run of spaces decides how the run is
// split. seam checks only ASCII, which is enough for most texts.
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
