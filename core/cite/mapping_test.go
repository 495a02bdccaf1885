package cite_test

import (
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/google/go-cmp/cmp"
)

func docID(id string) document.ID { return document.ID(id) }

func TestMapping(t *testing.T) {
	t.Parallel()
	var m cite.Mapping
	if n := m.Add(cite.Source{Document: "a"}); n != 1 {
		t.Errorf("first document is %d, want 1", n)
	}
	m.Restore(7, source("g"))
	m.Restore(7, source("h")) // taken
	m.Restore(0, source("h")) // no number
	m.Restore(9, source("g")) // g once more
	tests := []struct {
		id   string
		want int
	}{{"a", 1}, {"g", 7}, {"new", 10}, {"new", 10}, {"a", 1}, {"", 11}, {"", 12}}
	for _, tt := range tests {
		if n := m.Add(source(tt.id)); n != tt.want {
			t.Errorf("Add(%q) = %d, want %d", tt.id, n, tt.want)
		}
	}
	want := map[int]cite.Source{1: source("a"), 7: source("g"), 9: source("g"), 10: source("new"), 11: source(""), 12: source("")}
	if diff := cmp.Diff(want, maps.Collect(m.All())); diff != "" {
		t.Errorf("All (-want +got):\n%s", diff)
	}
	if m.Len() != len(want) {
		t.Errorf("Len() = %d, want %d", m.Len(), len(want))
	}
	if _, ok := m.Lookup(8); ok {
		t.Error("8 is known")
	}
}

func TestMappingIsSafeForParallelTools(t *testing.T) {
	t.Parallel()
	m := cite.NewMapping()
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 100 {
				m.Add(source(fmt.Sprint("shared", i)))
				m.Add(source(fmt.Sprint(w, ":", i)))
				cite.NewProcessor(m, cite.Options{}).Text("[1][50]")
			}
		})
	}
	wg.Wait()
	if m.Len() != 900 {
		t.Errorf("%d numbers, want 900", m.Len())
	}
	seen := map[document.ID]bool{}
	for n, s := range m.All() {
		if seen[s.Document] {
			t.Errorf("%d: %s has two numbers", n, s.Document)
		}
		seen[s.Document] = true
	}
}

func TestReserve(t *testing.T) {
	t.Parallel()
	m := cite.NewMapping()
	m.Reserve(7, cite.Passage{Document: "a"})
	m.Reserve(7, cite.Passage{Document: "b"}) // reserved
	m.Restore(7, source("b"))                 // reserved for another
	m.Reserve(0, cite.Passage{Document: "b"}) // no number
	m.Reserve(8, cite.Passage{Document: "a"}) // a second number of a
	if _, ok := m.Lookup(7); ok || m.Len() != 0 {
		t.Error("a reserved number resolves")
	}
	if got := convert(m, "x [7]").Text; got != "x [7]" {
		t.Errorf("a reserved number became %q", got)
	}
	if n := m.Add(source("b")); n != 9 {
		t.Errorf("a new document has number %d, want 9", n)
	}
	if n := m.Add(source("a")); n != 7 {
		t.Errorf("the document came back under %d, want 7", n)
	}
	m.Restore(8, source("a"))
	want := map[int]cite.Source{7: source("a"), 8: source("a"), 9: source("b")}
	if diff := cmp.Diff(want, maps.Collect(m.All())); diff != "" {
		t.Errorf("All (-want +got):\n%s", diff)
	}
}
