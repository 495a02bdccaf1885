package layout_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// The threat model names tests; each of them exists.
func TestThreatsNameTestsThatExist(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root(t), "deploy", "threats.md"))
	if err != nil {
		t.Fatal(err)
	}
	var exist []string
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	for _, f := range repository(t) {
		if !f.test {
			continue
		}
		source, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(f.name)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllSubmatch(source, -1) {
			exist = append(exist, string(m[1]))
		}
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllSubmatch(text, -1)
	if len(named) == 0 {
		t.Fatal("the threat model names no test")
	}
	for _, m := range named {
		if !slices.Contains(exist, string(m[1])) {
			t.Errorf("deploy/threats.md names %s, which does not exist", m[1])
		}
	}
}
