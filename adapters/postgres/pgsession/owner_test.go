package pgsession_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/jackc/pgx/v5"
)

// Whether an owner was asked after the backup was made is not known, so no one is mentioned again.
func TestNoOwnerIsAskedAgainAfterARestore(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	store := pgsession.New(db)
	asked := leased(t, store, 1)
	finished(t, store, asked, message.Message{Role: message.Assistant, Text: "A"})
	for range 2 {
		if err := db.InTx(t.Context(), pgx.TxOptions{}, func(tx pgx.Tx) error {
			_, err := pgsession.Restored(t.Context(), tx)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if first, err := store.ClaimOwner(t.Context(), asked, "U7"); err != nil || first {
		t.Errorf("the owner is asked: %v, %v", first, err)
	}
	if standing, err := store.OwnerStanding(t.Context(), asked); err != nil || !standing.Asked {
		t.Errorf("the turn is %+v, %v", standing, err)
	}
}

// Replicas press at once: one of them asks.
func TestOneReplicaAsksTheOwner(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	store := pgsession.New(db)
	asked := leased(t, store, 1)
	finished(t, store, asked, message.Message{Role: message.Assistant, Text: "A"})
	firsts, errs := make(chan bool, 8), make(chan error, 8)
	for range cap(firsts) {
		go func() {
			first, err := pgsession.New(db).ClaimOwner(t.Context(), asked, "U7")
			firsts <- first
			errs <- err
		}()
	}
	asks := 0
	for range cap(firsts) {
		if <-firsts {
			asks++
		}
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if asks != 1 {
		t.Errorf("the owner is asked %d times", asks)
	}
}
