// Package pattern matches paths against patterns of the operator. The patterns select the files of
// a source.
package pattern

import (
	"fmt"
	"path"
	"strings"
)

// List is a list of patterns for paths. *, ? and [a-z] match characters within a path element, and
// "**" matches any number of elements. A pattern without a slash matches file names in any folder.
// A List is safe for concurrent use.
type List []string

// Check returns an error that names the first invalid pattern.
func (l List) Check() error {
	for _, p := range l {
		if strings.Contains(p, "{") && strings.Contains(p, ",") {
			return fmt.Errorf("the pattern %q has braces, which stand for nothing here: write one pattern for each choice", p)
		}
		if _, err := path.Match(p, ""); err != nil {
			return fmt.Errorf("the pattern %q is not one: use *, ?, [a-z] and ** as in guides/**/*.md", p)
		}
	}
	return nil
}

// Match reports whether any pattern matches a path. The path must have slashes as separators and no
// leading slash.
func (l List) Match(name string) bool {
	for _, p := range l {
		subject := name
		if !strings.Contains(p, "/") {
			subject = path.Base(name)
		}
		if matchParts(strings.Split(strings.TrimPrefix(p, "/"), "/"), strings.Split(subject, "/")) {
			return true
		}
	}
	return false
}

func matchParts(pattern, name []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			for skip := range len(name) + 1 {
				if matchParts(pattern[1:], name[skip:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 {
			return false
		}
		if ok, err := path.Match(pattern[0], name[0]); err != nil || !ok {
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	return len(name) == 0
}
