package layout_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The threat model and the list of faults name tests; each of them exists.
func TestThreatsNameTestsThatExist(t *testing.T) {
	t.Parallel()
	exist := tests(t)
	for _, page := range []string{"threats.md", "faults.md"} {
		text, err := os.ReadFile(filepath.Join(root(t), "deploy", page))
		if err != nil {
			t.Fatal(err)
		}
		named := namedTest.FindAllSubmatch(text, -1)
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

// Each statement of the original documents has a place in the code, and a test or a decision.
func TestOriginalsHaveEvidence(t *testing.T) {
	t.Parallel()
	exist := tests(t)
	text, err := os.ReadFile(filepath.Join(root(t), "deploy/docs/originals.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows, decision := 0, regexp.MustCompile(`\(\.\./(decisions/[^)]+)\)`)
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 || strings.Contains(line, "the original says") || strings.HasPrefix(line, "|---") {
			continue
		}
		rows++
		held := namedTest.FindAllStringSubmatch(cells[2], -1)
		decisions := decision.FindAllStringSubmatch(cells[2], -1)
		if len(held)+len(decisions) == 0 {
			t.Errorf("%q has neither a test nor a decision", cells[0])
		}
		for _, m := range held {
			if !slices.Contains(exist, m[1]) {
				t.Errorf("%q names %s, which does not exist", cells[0], m[1])
			}
		}
		places := []string{strings.Trim(strings.TrimSpace(cells[1]), "`")}
		for _, m := range decisions {
			places = append(places, "deploy/"+m[1])
		}
		for _, place := range places {
			if _, err := os.Stat(filepath.Join(root(t), filepath.FromSlash(place))); err != nil {
				t.Errorf("%q: %v", cells[0], err)
			}
		}
	}
	if rows < 100 {
		t.Errorf("%d rows", rows)
	}
}

var namedTest = regexp.MustCompile("`((?:Test|Fuzz)\\w+)`")

// tests are the names of all tests of the repository.
func tests(t *testing.T) (exist []string) {
	t.Helper()
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
	return exist
}
