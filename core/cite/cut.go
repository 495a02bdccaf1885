package cite

import (
	"strings"
	"unicode/utf8"
)

// Cut shortens prose to at most so many runes. It ends with a whole sentence, else with a clause
// and an ellipsis, where one ends in the second half, and between words otherwise.
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

// lastEnd is where the last of the marks ends in the second half of text, or 0. The narrow ones
// count before a space alone: "v1.2" and "10,000" are one.
func lastEnd(text, narrow, wide string) int {
	for at := len(text); at > len(text)/2; {
		r, size := utf8.DecodeLastRuneInString(text[:at])
		if strings.ContainsRune(wide, r) || strings.ContainsRune(narrow, r) && at < len(text) && text[at] == ' ' &&
			!(r == '.' && abbreviated(text[:at-size], nextRune(text[at:]))) {
			return at
		}
		at -= size
	}
	return 0
}

// nextRune is the first rune of text that is no space.
func nextRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	return r
}
