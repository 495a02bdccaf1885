package cite_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/cite"
)

func TestReservedNumberIsTextUntilItsDocumentIsAdded(t *testing.T) {
	t.Parallel()
	m := cite.NewMapping()
	m.Reserve(7, "a")
	if _, found := m.Lookup(7); found {
		t.Error("a reserved number resolves")
	}
	if n := m.Add(cite.Source{Document: "b"}); n != 8 {
		t.Errorf("a new document got number %d, want 8", n)
	}
	if n := m.Add(cite.Source{Document: "a", Title: "A"}); n != 7 {
		t.Errorf("the document came back under number %d, want 7", n)
	}
	if s, found := m.Lookup(7); !found || s.Document != "a" || s.Title != "A" {
		t.Errorf("Lookup(7) = %+v, %v", s, found)
	}
}
