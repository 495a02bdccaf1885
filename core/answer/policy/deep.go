package policy

import (
	"regexp"
	"strings"
)

var deeply = regexp.MustCompile(`(?is)^\s*deep\s*:\s*(\S.*)$`)

// Deeply reports whether a question requests a deep search with the prefix "deep:". It returns the
// question without the prefix.
func Deeply(text string) (question string, asked bool) {
	m := deeply.FindStringSubmatch(text)
	if m == nil {
		return text, false
	}
	return strings.TrimSpace(m[1]), true
}

// Deepen adds the prefix that requests a deep search.
func Deepen(text string) string {
	if _, asked := Deeply(text); asked {
		return text
	}
	return "deep: " + text
}
