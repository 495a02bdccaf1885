package indextest

import (
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

func listingSuite(t *testing.T, open func(t *testing.T) index.Store) {
	s := suite{t, t.Context(), open(t)}
	s.put("acme", s.entry("docs", "docs:a", 1), s.entry("docs", "docs:b", 2), s.entry("docs", "docs:c", 3))
	s.put("acme", s.entry("wiki", "wiki:a", 3))
	s.put("other", s.entry("docs", "docs:a", 4))
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	docs, wiki, other := s.store.Listings("acme", "docs"), s.store.Listings("acme", "wiki"), s.store.Listings("other", "docs")
	must(docs.Note(t.Context(), map[string][]byte{"a": []byte("1"), "b": []byte("2"), "c": {}}))
	must(docs.Note(t.Context(), map[string][]byte{"a": []byte("3"), "b": nil, "none": nil}))
	must(wiki.Note(t.Context(), map[string][]byte{"a": []byte("4")}))
	notes, err := s.store.Listings("acme", "docs").Notes(t.Context())
	must(err)
	if want := map[string][]byte{"a": []byte("3"), "c": {}}; !maps.EqualFunc(notes, want, slices.Equal[[]byte]) {
		t.Errorf("the notes are %q, want %q", notes, want)
	}

	noon := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	must(docs.List(t.Context(), "one", 7, []index.Listed{{ID: "docs:b", Made: noon}, {ID: "docs:a"}, {ID: "docs:a"}, {ID: "docs:unread", Made: noon.Add(time.Hour)}}))
	must(docs.List(t.Context(), "one", 8, []index.Listed{{ID: "docs:a"}}))
	must(docs.List(t.Context(), "one", 6, []index.Listed{{ID: "docs:a"}})) // a pass that is late
	must(docs.List(t.Context(), "two", 1, []index.Listed{{ID: "docs:a"}}))
	must(wiki.List(t.Context(), "one", 1, []index.Listed{{ID: "docs:c"}}))
	missing := func(list string, before int64, from, to time.Time, held int, want ...document.ID) {
		t.Helper()
		got, all, err := docs.Missing(t.Context(), list, before, from, to)
		must(err)
		if !slices.Equal(got, want) || all != held {
			t.Errorf("of %d documents in %s %v were last met before %d, want %v of %d", all, list, got, before, want, held)
		}
	}
	never := time.Time{}
	missing("one", 8, never, never, 3, "docs:b", "docs:unread")
	missing("one", 8, noon.Add(-time.Minute), noon, 3, "docs:b")
	missing("one", 7, never, never, 3)
	missing("two", math.MaxInt64, never, never, 1, "docs:a")
	lists, err := docs.Lists(t.Context(), []document.ID{"docs:a", "docs:b", "docs:c"})
	must(err)
	if want := map[document.ID][]string{"docs:a": {"one", "two"}, "docs:b": {"one"}}; !maps.EqualFunc(lists, want, slices.Equal[[]string]) {
		t.Errorf("the lists are %v, want %v", lists, want)
	}
	strays := func(of index.Listings, want ...document.ID) {
		t.Helper()
		got, err := of.Strays(t.Context())
		must(err)
		if !slices.Equal(got, want) {
			t.Errorf("in no list are %v, want %v", got, want)
		}
	}
	strays(docs, "docs:c")
	strays(other, "docs:a")
	must(docs.Unlist(t.Context(), "one", []document.ID{"docs:a", "docs:b", "docs:none"}))
	missing("one", math.MaxInt64, never, never, 1, "docs:unread")
	strays(docs, "docs:b", "docs:c")
}
