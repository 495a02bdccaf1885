package cite

import (
	"strings"
	"unicode/utf8"
)

// Cut shortens prose to at most the given number of runes. The result ends with a whole sentence if
// a sentence ends in the second half. Otherwise it ends with a clause or a word, and an ellipsis.
func Cut(text string, runes int) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= runes {
		return text
	}
	cut := string([]rune(text)[:max(runes, 1)])
	if at := lastEnd(cut, ".!?", "。！？"); at > 0 {
		return cut[:at]
	}
	_, last := utf8.DecodeLastRuneInString(cut)
	whole := cut[len(cut)-last:] == " "
	cut = cut[:len(cut)-last] // room for the ellipsis
	if at := lastEnd(cut+" ", ",;:", "，、；："); at > 0 {
		cut = cut[:at]
	} else if at := strings.LastIndexByte(cut, ' '); !whole && at > len(cut)*3/4 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:，、；：") + "…"
}

// lastEnd returns the offset after the last punctuation mark in the second half of text, or 0. A
// mark in narrow counts only before a space, so "v1.2" and "10,000" contain none. A mark in wide
// always counts.
func lastEnd(text, narrow, wide string) int {
	for at := len(text); at > len(text)/2; {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if strings.ContainsRune(wide, r) || strings.ContainsRune(narrow, r) && at < len(text) && text[at] == ' ' &&
			!(r == '.' && isAbbreviation(text[:at-size], nextRune(text[at:]))) {
			return at
		}
		at -= size
	}
	return 0
}

func nextRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	return r
}
