package admin_test

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/access/accesstest"
)

func TestAudiences(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	accesstest.Suite(t, func() accesstest.Store { return admin.NewAudiences(db) })
}

// Where no replica heard of changes for a while nothing is believed: not before one hears again,
// and then nothing from before.
func TestNothingIsBelievedFromBeforeAGap(t *testing.T) {
	t.Parallel()
	db, w := postgrestest.Open(t), access.Workspace{Platform: "slack", ID: "T1"}
	a := admin.NewAudiences(db)
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

// A list of a large workspace ends in time that grows with the number of its people, not with its
// square: also right after they were written, when the planner knows nothing of the table. With
// each compared to each this took minutes.
func TestTheListOfManyPeopleEnds(t *testing.T) {
	t.Parallel()
	db, w := postgrestest.Open(t), access.Workspace{Platform: "slack", ID: "T1"}
	a := admin.NewAudiences(db)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := a.Heard(ctx, w); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Pool.Exec(ctx, `
		insert into audience_person (platform, workspace, person, inside) select 'slack', 'T1', 'U' || i, true from generate_series(1, 60000) as i`); err != nil {
		t.Fatal(err)
	}
	at, due, err := a.Begin(ctx, w)
	if err != nil || !due {
		t.Fatal(due, err)
	}
	people := make([]string, 0, 60_000)
	for i := 2; i <= 60_000; i++ { // all but U1
		people = append(people, "U"+strconv.Itoa(i))
	}
	if err := a.End(ctx, w, people, at); err != nil {
		t.Fatal(err)
	}
	var asked []string
	if err := db.Pool.QueryRow(ctx, `select array_agg(person) from audience_person where inside is null`).Scan(&asked); err != nil || !slices.Equal(asked, []string{"U1"}) {
		t.Errorf("asked about are %v, %v", asked, err)
	}
}
