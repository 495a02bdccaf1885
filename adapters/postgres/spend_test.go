package postgres_test

import (
	"context"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/core/spend/spendtest"
)

// The ledger of two processes, each with connections of its own.
func TestLedger(t *testing.T) {
	t.Parallel()
	const databases = 2 // making one takes longer than most of these tests
	free := make(chan []*postgres.DB, databases)
	for range databases {
		address := localtest.URL(t)
		if _, err := postgres.Migrate(t.Context(), address); err != nil {
			t.Fatal(err)
		}
		var replicas []*postgres.DB
		for range 2 {
			db, err := postgres.Open(t.Context(), postgres.Config{URL: address})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(db.Close)
			replicas = append(replicas, db)
		}
		free <- replicas
	}
	spendtest.Suite(t, func(t *testing.T) []spendtest.Ledger {
		t.Helper()
		replicas := <-free
		t.Cleanup(func() {
			if _, err := replicas[0].Pool.Exec(context.WithoutCancel(t.Context()), `truncate spend, spend_day, spend_hold`); err != nil {
				t.Errorf("empty the ledger for the next test: %v", err)
			}
			free <- replicas
		})
		return []spendtest.Ledger{postgres.NewLedger(replicas[0]), postgres.NewLedger(replicas[1])}
	})
}
