package sourcehttp_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/sourcehttp"
)

func TestEachPageReadsUntilThereIsNoCursor(t *testing.T) {
	t.Parallel()
	next := map[string]string{"": "a", "a": "b", "b": ""}
	var asked []string
	err := sourcehttp.EachPage("the list", "", func(cursor string) (string, error) {
		asked = append(asked, cursor)
		return next[cursor], nil
	})
	if err != nil || !slices.Equal(asked, []string{"", "a", "b"}) {
		t.Errorf("pages %q were read: %v", asked, err)
	}
}

func TestEachPageDetectsListsWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]map[string]string{
		"it leads to itself":         {"first": "first"},
		"it leads to its first page": {"first": "a", "a": "first"},
		"it leads to a later page":   {"first": "a", "a": "b", "b": "a"},
	} {
		read := 0
		err := sourcehttp.EachPage("the list", "first", func(cursor string) (string, error) {
			read++
			return next[cursor], nil
		})
		if !errors.Is(err, sourcehttp.ErrEndless) || !strings.HasPrefix(err.Error(), "the list cannot be read to its end") || read > len(next) {
			t.Errorf("%s: %d pages were read: %v", name, read, err)
		}
	}
	failed := errors.New("failed")
	if err := sourcehttp.EachPage("the list", "", func(string) (string, error) { return "a", failed }); !errors.Is(err, failed) {
		t.Errorf("a page that fails: %v", err)
	}
}
