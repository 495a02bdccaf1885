package pgindex_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/footnotehq/footnote/core/session"
)

// What was heard is kept until it was followed, and what was heard again since then longer; a flood
// is cut off.
func TestHints(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{})
	h := x.Hints(access.DefaultTenant)
	hear := func(source document.SourceID, subjects ...string) {
		t.Helper()
		if err := h.Hear(t.Context(), source, subjects); err != nil {
			t.Fatal(err)
		}
	}
	heard := func(most int) []index.Hint {
		t.Helper()
		hints, err := h.Heard(t.Context(), "wiki", most)
		if err != nil {
			t.Fatal(err)
		}
		return hints
	}
	hear("wiki", "a")
	if got := heard(10); len(got) != 0 {
		t.Errorf("of a source that is not there %v was heard", got)
	}
	if _, err := x.Begin(t.Context(), access.DefaultTenant, index.Run{Source: document.Source{ID: "wiki", Kind: "k", Name: "wiki"}}); err != nil {
		t.Fatal(err)
	}
	hear("wiki", "a", "a", "nul\x00", strings.Repeat("x", 501), "")
	hear("wiki", "b")
	first := heard(10)
	if len(first) != 3 || first[2].Subject != "b" || len(heard(1)) != 1 {
		t.Fatalf("heard %v", first)
	}
	hear("wiki", "b")
	if err := h.Followed(t.Context(), "wiki", first); err != nil {
		t.Fatal(err)
	}
	if got := heard(10); len(got) != 1 || got[0].Subject != "b" || !got[0].At.After(first[2].At) {
		t.Errorf("what was heard again is %v", got)
	}
	if got, err := x.Hints("other").Heard(t.Context(), "wiki", 10); err != nil || len(got) != 0 {
		t.Errorf("another tenant heard %v, %v", got, err)
	}
	many := make([]string, 10_001)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	hear("wiki", many...)
	hear("wiki", "one more")
	if got := heard(20_000); len(got) != 10_002 {
		t.Errorf("%d are kept", len(got))
	}
	if _, err := x.RemoveSource(t.Context(), access.DefaultTenant, "wiki", session.Actor{}); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := db.Pool.QueryRow(t.Context(), `select count(*) from source_hint`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d are left of a source that was removed, %v", left, err)
	}
}

func TestHintsPassTheSuite(t *testing.T) {
	t.Parallel()
	x, _ := openIndex(t, pgindex.Config{})
	if _, err := x.Begin(t.Context(), access.DefaultTenant, index.Run{Source: document.Source{ID: "chat", Kind: "k", Name: "chat"}}); err != nil {
		t.Fatal(err)
	}
	indextest.HintsSuite(t, x.Hints(access.DefaultTenant), "chat")
}
