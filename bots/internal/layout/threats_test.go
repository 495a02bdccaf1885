package layout_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// The threat model and the list of faults name tests; each of them exists.
func TestThreatsNameTestsThatExist(t *testing.T) {
	t.Parallel()
	var exist []string
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	files := []string{"deploy/kubernetes/check/check_test.go"} // of a module of its own
	for _, f := range repository(t) {
		if f.test {
			files = append(files, f.name)
		}
	}
	for _, name := range files {
		source, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declared.FindAllSubmatch(source, -1) {
			exist = append(exist, string(m[1]))
		}
	}
	for _, page := range []string{"threats.md", "faults.md"} {
		text, err := os.ReadFile(filepath.Join(root(t), "deploy", page))
		if err != nil {
			t.Fatal(err)
		}
		named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllSubmatch(text, -1)
		if len(named) == 0 {
			t.Errorf("deploy/%s names no test", page)
		}
		for _, m := range named {
			if !slices.Contains(exist, string(m[1])) {
				t.Errorf("deploy/%s names %s, which does not exist", page, m[1])
			}
		}
	}
}
