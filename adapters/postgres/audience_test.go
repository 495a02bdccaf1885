package postgres_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/access/accesstest"
)

func TestAudiences(t *testing.T) {
	t.Parallel()
	db := migrated(t)
	accesstest.Suite(t, func() accesstest.Store { return postgres.NewAudiences(db) })
}

// Where no replica heard of changes for a while nothing is believed: not before one hears again, and then nothing from before.
func TestNothingIsBelievedFromBeforeAGap(t *testing.T) {
	t.Parallel()
	db, w := migrated(t), access.Workspace{Platform: "slack", ID: "T1"}
	a := postgres.NewAudiences(db)
	version := func() access.Version {
		t.Helper()
		v, err := a.Version(t.Context(), w, "C1")
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	known := func() bool {
		t.Helper()
		roll, err := a.Known(t.Context(), w, []string{"U1", "U2"})
		if err != nil {
			t.Fatal(err)
		}
		return len(roll.Inside) > 0
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if version() != "" {
		t.Error("something is believed of a workspace of which nobody hears")
	}
	must(a.Heard(t.Context(), w))
	first := version()
	at, _, err := a.Begin(t.Context(), w)
	must(err)
	must(a.Found(t.Context(), w, map[string]bool{"U1": true, "U2": false}, at))
	must(a.End(t.Context(), w, []string{"U1", "U2"}, at))
	must(a.Heard(t.Context(), w))
	if version() != first || !known() {
		t.Error("what is heard of without a gap is forgotten")
	}
	if _, err := db.Pool.Exec(t.Context(), `update audience_workspace set heard_at = heard_at - interval '1 minute'`); err != nil {
		t.Fatal(err)
	}
	if version() != "" || known() {
		t.Error("something is believed while nobody hears")
	}
	must(a.Heard(t.Context(), w))
	if v := version(); v == "" || v == first {
		t.Errorf("after a gap the version is %q, before it was %q", v, first)
	}
	if known() {
		t.Error("people are believed from before a gap")
	}
	if _, due, err := a.Begin(t.Context(), w); !due || err != nil {
		t.Errorf("after a gap no list is due: %v", err)
	}
}
