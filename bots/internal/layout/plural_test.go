package layout_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// counted is a number in a format with its noun in the plural: it says "1 sources". A number of a
// whole ("3 of 5 sources") and one behind a colon read well whatever it is.
var counted = regexp.MustCompile(`(?:^|[^f]) ?%d (?:documents|sources|chunks|agents|projects|channels|passages|statements|accounts|entries|migrations)\b`)

func TestNumbersOfThingsAreWrittenByOneFunction(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"bots/footnote", "bots/internal/wire", "bots/internal/platforms"} {
		files, err := filepath.Glob(filepath.Join("../../..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, name := range files {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range counted.FindAllString(string(text), -1) {
				if filepath.Base(name) != "plural_test.go" && !regexp.MustCompile(`_test\.go$`).MatchString(name) {
					t.Errorf("%s writes %q: use plural.Count", name, found)
				}
			}
		}
	}
}
