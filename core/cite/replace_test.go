package cite_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/cite"
)

func TestReplaceChangesSource(t *testing.T) {
	t.Parallel()
	m := cite.NewMapping()
	m.Restore(7, cite.Source{Document: "a", URL: "https://docs.example/a#old"})
	m.Replace(7, cite.Source{Document: "a", URL: "https://docs.example/a#new"})
	if s, _ := m.Lookup(7); s.URL != "https://docs.example/a#new" {
		t.Errorf("Lookup(7) = %+v", s)
	}
	if n := m.Add(cite.Source{Document: "a"}); n != 7 {
		t.Errorf("the document has number %d now", n)
	}
}
