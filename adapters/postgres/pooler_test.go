package postgres_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/adapters/postgres/pgbouncertest"
)

// Everything that sessions are kept by works through PgBouncer in transaction mode, where each transaction may meet another connection.
func TestSessionsThroughPgBouncer(t *testing.T) {
	t.Parallel()
	direct := localtest.URL(t)
	if _, err := postgres.Migrate(t.Context(), direct); err != nil {
		t.Fatal(err)
	}
	db, err := postgres.Open(t.Context(), postgres.Config{URL: pgbouncertest.Start(t, direct).URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	free := make(chan *postgres.DB, 1) // one database serves all tests, emptied in between
	free <- db
	sessionSuite(t, free)
}
