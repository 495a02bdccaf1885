package answer

import (
	"unicode"
	"unicode/utf8"
)

// Cluster returns the length in bytes of the first user-perceived character of s. It implements the
// rules of UAX #29 that matter in chats. They cover combining marks, variation selectors, joined
// and coloured emoji, flags, tags, and Hangul made of jamo.
func Cluster(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	if r < 0x300 && (n == len(s) || s[n] < utf8.RuneSelf) {
		return n
	}
	flag := isRegional(r)
	for n < len(s) {
		next, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case isExtending(next):
		case next == zwj:
			if joined, more := utf8.DecodeRuneInString(s[n+size:]); more > 0 && isPictographic(joined) {
				size += more
			}
		case flag && isRegional(next):
			flag = false
		case joinsHangul(r, next):
		default:
			return n
		}
		r = next
		n += size
	}
	return n
}

const zwj = '\u200d'

func isRegional(r rune) bool { return r >= 0x1f1e6 && r <= 0x1f1ff }

func isExtending(r rune) bool {
	return r >= 0x300 && (unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc) || r >= 0xfe00 && r <= 0xfe0f || r >= 0x1f3fb && r <= 0x1f3ff ||
		r >= 0xe0020 && r <= 0xe007f || r == 0x200c)
}

func isPictographic(r rune) bool {
	return r >= 0x1f000 || r >= 0x2190 && r <= 0x2bff || r == 0x00a9 || r == 0x00ae || r >= 0x3030 && r <= 0x3299
}

func joinsHangul(a, b rune) bool {
	vowel := b >= 0x1160 && b <= 0x11a7
	final := b >= 0x11a8 && b <= 0x11ff
	return vowel && (a >= 0x1100 && a <= 0x11a7) || final && (a >= 0x1160 && a <= 0x11ff || a >= 0xac00 && a <= 0xd7a3)
}

// halves splits s near its middle between two characters. If s has only one character, it splits
// between two runes. ok is false if s has only one rune.
func halves(s string) (a, b string, ok bool) {
	cut := 0
	for i := 0; i < len(s); {
		i += Cluster(s[i:])
		if i < len(s) {
			cut = i
		}
		if i >= len(s)/2 && cut > 0 {
			break
		}
	}
	if cut == 0 {
		_, first := utf8.DecodeRuneInString(s)
		if first >= len(s) {
			return "", "", false
		}
		for cut = len(s) / 2; cut > first && !utf8.RuneStart(s[cut]); cut-- {
		}
		cut = max(cut, first)
	}
	return s[:cut], s[cut:], true
}

// RuneCount returns the number of runes in s. Slack measures the length of a text in runes.
func RuneCount(s string) int { return utf8.RuneCountInString(s) }

// UTF16Count returns the length of s in UTF-16 code units, in which Discord may measure a text. It
// is never less than the number of runes.
func UTF16Count(s string) int {
	n := 0
	for _, r := range s {
		if n++; r > 0xffff {
			n++
		}
	}
	return n
}
