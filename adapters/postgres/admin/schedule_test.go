package admin_test

import (
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/recur"
)

// Of any number of processes one begins a due time, and one begins each further attempt. What an
// attempt notes that another one followed does not count.
func TestOneProcessBeginsADueTime(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	store := admin.NewSchedules(db)
	const name = "slack:C1:report"
	for range 2 { // what is known stays as it is
		if err := store.Make(t.Context(), access.DefaultTenant, []string{name, "slack:C2:report"}); err != nil {
			t.Fatal(err)
		}
	}
	read := func() recur.Progress {
		t.Helper()
		all, err := store.All(t.Context(), access.DefaultTenant)
		if err != nil {
			t.Fatal(err)
		}
		return all[name]
	}
	due := time.Now().UTC().Truncate(time.Hour)
	begin := func(seen recur.Progress) recur.Progress {
		t.Helper()
		var mu sync.Mutex
		var began []recur.Progress
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				p, ok, err := store.Begin(t.Context(), access.DefaultTenant, seen, due)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				if ok {
					began = append(began, p)
				}
			})
		}
		all.Wait()
		if len(began) != 1 {
			t.Fatalf("%d processes began it", len(began))
		}
		return began[0]
	}
	first := begin(read())
	if now := read(); now.State != recur.Begun || !now.Due.Equal(due) || now.Attempts != 1 || now.Posted || now.Begun.IsZero() || !now.Again.After(time.Now().Add(time.Minute)) {
		t.Errorf("it began as %+v", now)
	}
	first.Posted, first.Note = true, "Slack is down"
	if err := store.Set(t.Context(), access.DefaultTenant, first); err != nil {
		t.Fatal(err)
	}
	second := begin(read())
	if now := read(); now.Attempts != 2 || !now.Posted || now.Note != "Slack is down" || !now.Begun.Equal(first.Begun) {
		t.Errorf("the second attempt began as %+v, after %+v", now, first)
	}
	first.State = recur.Failed
	if err := store.Set(t.Context(), access.DefaultTenant, first); err != nil {
		t.Fatal(err)
	}
	if now := read(); now.State != recur.Begun {
		t.Errorf("an attempt of before changed it: %+v", now)
	}
	second.State, second.Note = recur.Done, ""
	if err := store.Set(t.Context(), access.DefaultTenant, second); err != nil {
		t.Fatal(err)
	}
	due = due.AddDate(0, 0, 7)
	if next := begin(read()); next.Attempts != 1 || next.Posted {
		t.Errorf("the next due time began as %+v", next)
	}
	if err := store.Forget(t.Context(), access.DefaultTenant, []string{"slack:C2:report"}); err != nil {
		t.Fatal(err)
	}
	if all, err := store.All(t.Context(), access.DefaultTenant); err != nil || len(all) != 1 {
		t.Errorf("kept %v, %v", all, err)
	}
}
