package tiktoken

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

const (
	// chunkBytes limits the memory and time for one run of letters, because the cost of a run grows
	// faster than its length. It is large enough that cuts are rare.
	chunkBytes = 32 << 10
	// spaceBytes bounds a run of white space. The library's pattern takes time by
	// the square of the length of a run that mixes spaces and line ends: a megabyte
	// of them would take many minutes.
	spaceBytes = 256
)

// parts yields text in parts of at most c.chunk bytes. Where it can, it cuts where
// the vocabulary's own splitting would, so that the tokens of the parts are those
// of the whole.
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

// pieces yields text cut at seams that the words before them choose, some 400 bytes apart. A
// passage is cut the same wherever it stands, but for its ends.
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

// chosen is true of one in 64 endings.
func chosen(ending string) bool {
	var h uint32
	for _, b := range []byte(ending) {
		h = (h ^ uint32(b)) * 16777619 // as FNV does
	}
	return h>>26 == 0
}

// next returns the size of the first part of text. U+007F is always a part by
// itself.
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

// cut returns where to cut a text that is longer than limit, at limit or before it. It prefers the
// last seam in the second half. Without one, as in a million letters, it cuts between two runes,
// which may cost one more token.
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

// seam reports whether no token reaches across position i of text. Both vocabularies split text
// before they merge bytes. None of their pieces holds a line end with a letter or a digit after it,
// or a letter with a space after it. A letter must follow the space, because a run of spaces is
// split by what comes after it. Only ASCII is looked at, since that is enough to find a seam in
// most texts.
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
