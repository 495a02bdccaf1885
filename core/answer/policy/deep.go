package policy

import (
	"regexp"
	"strings"
)

var deeply = regexp.MustCompile(`(?is)^\s*deep\s*:\s*(\S.*)$`)

// Deeply reports whether a question begins with "deep:", which requests a deep search. It returns
// the question without this prefix.
func Deeply(text string) (question string, asked bool) {
	m := deeply.FindStringSubmatch(text)
	if m == nil {
		return text, false
	}
	return strings.TrimSpace(m[1]), true
}

// Deepen adds the prefix "deep:", which requests a deep search, unless the text has it.
func Deepen(text string) string {
	if _, asked := Deeply(text); asked {
		return text
	}
	return "deep: " + text
}
