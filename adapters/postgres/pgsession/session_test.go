package pgsession_test

import (
	"context"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/adapters/postgres/pgbouncertest"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/session/sessiontest"
)

// store is what the suite asks for, of all rooms.
type store struct {
	*pgsession.Store
	*settings
	*audit.Reader
}

type settings = admin.Settings // embedded under a name that is no method's

func TestSessions(t *testing.T) {
	t.Parallel()
	// Making a database takes longer than most of these tests: a few serve them all, emptied in
	// between.
	const databases = 4
	free := make(chan *postgres.DB, databases)
	for range databases {
		free <- postgrestest.Open(t)
	}
	sessionSuite(t, free)
}

// Everything that sessions are kept by works through PgBouncer in transaction mode, where each
// transaction may meet another connection.
func TestSessionsThroughPgBouncer(t *testing.T) {
	t.Parallel()
	db := postgrestest.Connect(t, postgres.Config{URL: pgbouncertest.Start(t, postgrestest.URL(t)).URL()})
	free := make(chan *postgres.DB, 1) // one database serves all tests, emptied in between
	free <- db
	sessionSuite(t, free)
}

// sessionSuite runs the suite on databases that are emptied in between.
func sessionSuite(t *testing.T, free chan *postgres.DB) {
	t.Helper()
	sessiontest.Suite(t, func(t *testing.T) sessiontest.Store {
		t.Helper()
		db := <-free
		t.Cleanup(func() {
			const empty = `
				alter table audit disable trigger audit_append_only; -- which takes its owner
				truncate session, thread, replica, quarantine, event, surface_message, system_prompt, setting, audit, audit_person cascade;
				alter table audit enable trigger audit_append_only`
			if _, err := db.Pool.Exec(context.WithoutCancel(t.Context()), empty); err != nil {
				t.Errorf("empty the database for the next test: %v", err)
			}
			free <- db
		})
		return store{pgsession.New(db), admin.NewSettings(db), audit.NewReader(db)}
	})
}
