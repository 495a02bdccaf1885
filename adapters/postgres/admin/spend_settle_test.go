package admin_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/spend"
	"golang.org/x/sync/errgroup"
)

// Calls that end while others are being booked are booked together: they neither wait for one
// another's rows nor take a connection each.
func TestCallsAreBookedTogether(t *testing.T) {
	t.Parallel()
	const calls = 100
	db := postgrestest.Open(t)
	ledger := admin.NewLedger(db)
	account := spend.Account{Tenant: access.DefaultTenant, Model: "m", Purpose: spend.Answering, Currency: "EUR"}
	tx, err := db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `lock table spend in exclusive mode`); err != nil { // whoever books first waits for it
		t.Fatal(err)
	}
	before := db.Pool.Stat().AcquireCount()
	var group errgroup.Group
	begun := make(chan struct{}, calls)
	for range calls {
		group.Go(func() error {
			begun <- struct{}{}
			_, err := ledger.Settle(t.Context(), spend.Hold{}, account, spend.Use{Usage: llm.Usage{Input: 2, Output: 1}, Amount: 3})
			return err
		})
	}
	for range calls {
		<-begun
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := db.Pool.Stat().AcquireCount() - before; n > calls/4 {
		t.Errorf("%d calls were booked in %d transactions", calls, n)
	}
	stands, err := ledger.Standing(t.Context(), access.DefaultTenant, "EUR")
	if err != nil || stands.Today != 3*calls || stands.TenantMonth != 3*calls {
		t.Errorf("there stands %+v, %v", stands, err)
	}
}
