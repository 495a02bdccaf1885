package tiktoken

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

const (
	// chunkBytes limits the memory and time for one run of letters. The cost of a run grows faster
	// than its length. The limit is large enough that cuts are rare.
	chunkBytes = 32 << 10
	// spaceBytes limits a run of white space. The library's pattern takes quadratic time in a run
	// that mixes spaces and line ends. A megabyte of them would take many minutes.
	spaceBytes = 256
)

// parts yields text in parts of at most c.chunk bytes. If possible, it cuts where the vocabulary's
// own splitting would cut. The parts then have the same tokens as the whole text.
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

// pieces splits text into pieces of about 400 bytes. It cuts only where no token spans the cut. The
// bytes directly before a cut determine it, so a passage is cut the same in any context, except at
// its ends.
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

// chosen reports whether to cut after a text with this ending. It is true for one in 64 endings.
func chosen(ending string) bool {
	var h uint32
	for _, b := range []byte(ending) {
		h = (h ^ uint32(b)) * 16777619 // as FNV does
	}
	return h>>26 == 0
}

// next returns the size in bytes of the first part of text. U+007F is always a separate part.
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

// cut returns the position at which to cut a text that is longer than limit. The position is at
// most limit. It prefers the last seam in the second half. Without a seam, as in a million letters,
// it cuts between two runes, which may cost one more token.
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

// seam reports whether text can be cut at i without a change of its tokens. Both vocabularies first
// split text into pieces. No piece has a line end before a letter or digit, or a letter before a
// space. A letter must follow the space, because the text after a run of spaces determines how the
// run is split. seam checks only ASCII, which is enough for most texts.
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
