package policy

import (
	"regexp"
	"strings"
)

var deeply = regexp.MustCompile(`(?is)^\s*deep\s*:\s*(\S.*)$`)

// Deeply reports whether a question begins with "deep:", which asks for a deep search, and returns
// it without that.
func Deeply(text string) (question string, asked bool) {
	m := deeply.FindStringSubmatch(text)
	if m == nil {
		return text, false
	}
	return strings.TrimSpace(m[1]), true
}

// Deepen is a question that asks for a deep search.
func Deepen(text string) string {
	if _, asked := Deeply(text); asked {
		return text
	}
	return "deep: " + text
}
