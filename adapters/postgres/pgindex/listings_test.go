package pgindex_test

import (
	"math"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/session"
)

func TestRemovedSourceLeavesNoLists(t *testing.T) {
	x, _ := openIndex(t, pgindex.Config{})
	if _, err := x.Begin(t.Context(), access.DefaultTenant, index.Run{Source: document.Source{ID: "notes", Kind: "notes", Name: "Notes"}}); err != nil {
		t.Fatal(err)
	}
	l := x.Listings(access.DefaultTenant, "notes")
	if err := l.Note(t.Context(), map[string][]byte{"a": []byte("1")}); err != nil {
		t.Fatal(err)
	}
	if err := l.List(t.Context(), "list", 1, []index.Listed{{ID: "notes:a"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := x.RemoveSource(t.Context(), access.DefaultTenant, "notes", session.Actor{Platform: session.Host, ID: "test"}); err != nil {
		t.Fatal(err)
	}
	notes, err := l.Notes(t.Context())
	_, held, err2 := l.Missing(t.Context(), "list", math.MaxInt64, time.Time{}, time.Time{})
	if err != nil || err2 != nil || len(notes)+held > 0 {
		t.Errorf("%d notes and %d listed documents are left: %v, %v", len(notes), held, err, err2)
	}
	if err := l.Note(t.Context(), map[string][]byte{"a": []byte("1")}); err == nil {
		t.Error("a run that goes on notes something of a source that was removed")
	}
}
