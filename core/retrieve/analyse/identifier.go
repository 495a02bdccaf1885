package analyse

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// yieldParts yields the search terms of a word in lower case. An identifier such as "getUser"
// yields its parts and then the whole. The result is false if yield returned false.
func yieldParts(s string, yield func(string, kind) bool) bool {
	s = strings.Trim(s, "_")
	if s == "" {
		return true
	}
	if isPlainWord(s) {
		return yield(lower(s), word)
	}
	whole := lower(hyphens.Replace(s))
	parts := split(s)
	if len(parts) == 1 && lower(parts[0]) == whole {
		return yield(whole, word)
	}
	for _, part := range parts {
		if !yield(lower(part), word) {
			return false
		}
	}
	if version, found := strings.CutPrefix(whole, "v"); found && strings.Contains(version, ".") && '0' <= version[0] && version[0] <= '9' {
		if !yield(version, extra) {
			return false
		}
	}
	return yield(whole, extra)
}

var hyphens = strings.NewReplacer("\u2010", "-", "\u2011", "-")

func isPlainWord(s string) bool {
	for i := 1; i < len(s); i++ {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return len(s) > 0 && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z')
}

// split returns the parts of an identifier. It splits at joining characters, where a lower-case
// letter precedes a capital (getUser), and before the last of several capitals (HTTPServer).
func split(s string) []string {
	var parts []string
	start := 0
	var before, current rune
	emit := func(end int) {
		if end > start {
			parts = append(parts, s[start:end])
		}
	}
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			emit(i)
			start = i + utf8.RuneLen(r)
			before, current = 0, 0
			continue
		}
		if unicode.IsUpper(r) && unicode.IsLower(current) {
			emit(i)
			start = i
		} else if unicode.IsLower(r) && unicode.IsUpper(current) && unicode.IsUpper(before) {
			at := i - utf8.RuneLen(current)
			emit(at)
			start = at
		}
		before, current = current, r
	}
	emit(len(s))
	return parts
}
