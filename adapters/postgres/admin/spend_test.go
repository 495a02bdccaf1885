package admin_test

import (
	"context"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/spend/spendtest"
)

// The ledger of two processes, each with connections of its own.
func TestLedger(t *testing.T) {
	t.Parallel()
	const databases = 2 // making one takes longer than most of these tests
	free := make(chan []*postgres.DB, databases)
	for range databases {
		address := postgrestest.URL(t)
		ownClock(t, address)
		var replicas []*postgres.DB
		for range 2 {
			replicas = append(replicas, postgrestest.Connect(t, postgres.Config{URL: address}))
		}
		free <- replicas
	}
	spendtest.Suite(t, func(t *testing.T) ([]spendtest.Ledger, spendtest.Clock) {
		t.Helper()
		replicas := <-free
		t.Cleanup(func() {
			if _, err := replicas[0].Pool.Exec(context.WithoutCancel(t.Context()), `truncate spend, spend_day, spend_hold`); err != nil {
				t.Errorf("empty the ledger for the next test: %v", err)
			}
			free <- replicas
		})
		return []spendtest.Ledger{admin.NewLedger(replicas[0]), admin.NewLedger(replicas[1])}, func(now time.Time) {
			if _, err := replicas[0].Pool.Exec(t.Context(), `update clock.shows set at = $1`, now); err != nil {
				t.Fatalf("set the clock: %v", err)
			}
		}
	})
}

// ownClock gives a database a now() that shows what the table clock.shows says, for connections
// that are opened from now on.
func ownClock(t *testing.T, address string) {
	t.Helper()
	db, err := postgres.Open(t.Context(), postgres.Config{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	// Listed, pg_catalog is no longer looked at first of all.
	_, err = db.Pool.Exec(t.Context(), `
		create schema clock;
		create table clock.shows as select pg_catalog.now() as at;
		create function clock.now() returns timestamptz language sql stable as 'select at from clock.shows';
		do $$ begin execute format('alter database %I set search_path = clock, pg_catalog, public', current_database()); end $$`)
	if err != nil {
		t.Fatalf("give the database a clock of its own: %v", err)
	}
}
