package web

import (
	"strings"
	"testing"
)

// Each address is compared with a limited number of rules, however long a robots.txt is.
func TestRobotsKeepsTheFirstRules(t *testing.T) {
	t.Parallel()
	text := "User-agent: *\n" + strings.Repeat("Disallow: /a*b\n", mostRules-1) + "Disallow: /kept\nDisallow: /late\n"
	r := parseRobots(text)
	if len(r.rules) != mostRules || r.allows("/kept") || !r.allows("/late") {
		t.Errorf("%d rules are used, /kept is allowed: %v, /late: %v", len(r.rules), r.allows("/kept"), r.allows("/late"))
	}
}
