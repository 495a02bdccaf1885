package web

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const agent = "footnote"

// robots holds the rules of a robots.txt for this crawler (RFC 9309). The zero value allows
// everything.
type robots struct {
	rules    []rule
	delay    time.Duration
	sitemaps []string
}

type rule struct {
	pattern string
	allow   bool
}

// longestDelay is the maximum Crawl-delay. Some files contain values that would extend a run to
// weeks.
const longestDelay = 30 * time.Second

// parseRobots parses a robots.txt. It uses the groups that name this crawler, or else the groups
// for all crawlers. It ignores invalid lines.
func parseRobots(text string) robots {
	var own, general robots
	var sitemaps []string
	var forUs, forAll, named, inRules bool
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		key, value, found := strings.Cut(line, ":")
		if !found {
			continue
		}
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch key {
		case "sitemap":
			sitemaps = append(sitemaps, value)
			continue
		case "user-agent":
			if inRules {
				forUs, forAll, inRules = false, false, false
			}
			product, _, _ := strings.Cut(strings.ToLower(value), "/")
			forUs = forUs || product == agent
			forAll = forAll || product == "*"
			named = named || product == agent
			continue
		}
		// RFC 9309: other records do not end a group
		if key != "allow" && key != "disallow" && key != "crawl-delay" {
			continue
		}
		inRules = true
		if forUs {
			own.add(key, value)
		}
		if forAll {
			general.add(key, value)
		}
	}
	if !named {
		own = general
	}
	own.sitemaps = sitemaps
	return own
}

// mostRules is the maximum number of rules of a robots.txt that are used, because each is compared
// with each address of the site.
const mostRules = 5000

func (r *robots) add(key, value string) {
	switch key {
	case "allow", "disallow":
		if value != "" && len(r.rules) < mostRules { // an empty Disallow allows everything
			r.rules = append(r.rules, rule{octets(value), key == "allow"})
		}
	case "crawl-delay":
		if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
			r.delay = time.Duration(min(seconds, longestDelay.Seconds()) * float64(time.Second))
		}
	}
}

// allows reports whether a path, with its query, may be fetched. The longest matching pattern
// decides. If patterns are equally long, Allow decides.
func (r robots) allows(name string) bool {
	longest, allowed := -1, true
	name = octets(name)
	for _, rule := range r.rules {
		if n := len(rule.pattern); (n > longest || n == longest && rule.allow) && matches(rule.pattern, name) {
			longest, allowed = n, rule.allow
		}
	}
	return allowed
}

// octets normalises a path or pattern for comparison (RFC 9309, 2.2.2). It encodes characters
// outside of ASCII, decodes needless encodings, and writes hexadecimal digits in upper case.
func octets(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				i += 2
				if c = byte(n); !unreserved(c) {
					fmt.Fprintf(&b, "%%%02X", c)
					continue
				}
			}
		}
		if c >= 0x80 {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// unreserved reports whether a character means the same with and without encoding (RFC 3986, 2.3).
func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// matches reports whether a pattern matches the beginning of a path. * matches any characters, and
// $ at the end matches the path's end.
func matches(pattern, name string) bool {
	pattern, whole := strings.CutSuffix(pattern, "$")
	parts := strings.Split(pattern, "*")
	rest, found := strings.CutPrefix(name, parts[0])
	if !found {
		return false
	}
	for i, part := range parts[1:] {
		if whole && i == len(parts)-2 {
			return strings.HasSuffix(rest, part)
		}
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return !whole || rest == ""
}
