package answer

import (
	"strings"
	"unicode"
)

// isInvisible reports whether r displays nothing after prev and could therefore hide text. prev is
// 0 at the beginning of a text. Joiners and variation selectors count as visible where scripts and
// emoji need them.
//
// The result does not depend on later text, so a growing text is treated like the complete text.
func isInvisible(prev, r rune) bool {
	switch {
	case r < 0xad:
		return false
	case r == 0x200c || r == 0x200d || r == 0x200e || r == 0x200f: // joiners, marks of direction
		return prev < 0x300 || prev >= 0x200b && prev <= 0x200f
	case r >= 0xfe00 && r <= 0xfe0f: // forms of emoji and of mathematical signs
		return isSelector(prev) || prev >= 0x200b && prev <= 0x200f || prev < 0x80 && !(prev >= '0' && prev <= '9' || prev == '#' || prev == '*')
	case r >= 0xe0100 && r <= 0xe01ef: // forms of ideographs
		return !unicode.Is(unicode.Han, prev)
	case r >= 0x180b && r <= 0x180d || r == 0x180f:
		return !unicode.Is(unicode.Mongolian, prev) || isSelector(prev)
	case r == 0xad || r == 0x34f || r == 0x115f || r == 0x1160 || r == 0x3164 || r == 0xffa0:
		// soft hyphens and blank letters
		return true
	case r == 0x200b || r >= 0x2060 && r <= 0x206f || r == 0xfeff || r == 0x180e || r >= 0xfff9 && r <= 0xfffb:
		return true
	}
	return r >= 0x1d173 && r <= 0x1d17a || r >= 0xe0000 && r <= 0xe0fff // tags
}

func isSelector(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef || r >= 0x180b && r <= 0x180f
}

// Visible removes control characters, marks that reorder text, invisible characters that can hide
// text, and invalid UTF-8. Every displayed text must pass through Visible or [Line].
func Visible(text string) string { return new(cleaner).clean(text) }

// Line is like [Visible], but also replaces each run of white space by one blank. Use it for
// titles, names, labels and statuses.
func Line(text string) string { return strings.Join(strings.Fields(Visible(text)), " ") }

// VisibleAfter removes the invisible characters that can hide text. prev is the character before
// text, or 0.
func VisibleAfter(prev rune, text string) string {
	hidden := false
	before := prev
	for _, r := range text {
		if hidden = isInvisible(before, r); hidden {
			break
		}
		before = r
	}
	if !hidden {
		return text
	}
	out := make([]rune, 0, len(text))
	for _, r := range text {
		if !isInvisible(prev, r) {
			out = append(out, r)
			prev = r
		}
	}
	return string(out)
}
