package layout_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// counted is a number in a format with its noun in the plural: it says "1 sources". A number of a
// whole ("3 of 5 sources"), a bound ("at most %d sources") and a number after its noun read well
// whatever it is.
var (
	counted = regexp.MustCompile(`(?:\w+ )?(?:\w+ )?%d (?:more )?(?:documents|sources|chunks|agents|projects|channels|passages|statements|accounts|entries|migrations|` +
		`questions|queries|answers|pages|models|searches|servers|spaces|repositories|people|members|drives|parts|lines|things|days|hours|minutes|seconds)\b`)
	bound = regexp.MustCompile(`^(?:of|of the|in the|the (?:first|last)|[Aa]t most|(?:\w+ )?than) %d`)
)

func TestNumbersOfThingsAreWrittenByOneFunction(t *testing.T) {
	t.Parallel()
	read := 0
	for _, part := range []string{"core", "adapters", "bots"} {
		if err := filepath.WalkDir(filepath.Join(root(t), part), func(name string, entry fs.DirEntry, err error) error {
			base := filepath.Base(name)
			switch {
			case err != nil:
				return err
			case entry.IsDir() && (strings.HasSuffix(base, "test") || strings.HasSuffix(base, "bench") || strings.HasPrefix(base, "try")): // developers run these
				return filepath.SkipDir
			case entry.IsDir() || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err //nolint:wrapcheck // it names the file
			}
			read++
			for line := range strings.Lines(string(text)) {
				if strings.Contains(line, "Errorf(") || strings.Contains(line, "fault(") { // logs and limits
					continue
				}
				for _, found := range counted.FindAllString(line, -1) {
					if !bounded(found) {
						t.Errorf("%s writes %q: use plural.Count", name, found)
					}
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if read == 0 {
		t.Fatal("no file was read")
	}
}

// bounded reports whether the words before a number make its noun plural.
func bounded(found string) bool {
	for from := found; ; {
		if bound.MatchString(from) {
			return true
		}
		_, rest, ok := strings.Cut(from, " ")
		if !ok || strings.HasPrefix(from, "%d") {
			return false
		}
		from = rest
	}
}
