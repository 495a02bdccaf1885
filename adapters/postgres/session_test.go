package postgres_test

import (
	"context"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/core/session/sessiontest"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	// Making a database takes longer than most of these tests: a few serve them all, emptied in between.
	const databases = 4
	free := make(chan *postgres.DB, databases)
	for range databases {
		free <- migrated(t)
	}
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
		return postgres.NewSessions(db)
	})
}

// migrated returns a new database with the whole schema.
func migrated(t testing.TB) *postgres.DB {
	t.Helper()
	return opened(t, postgres.Config{URL: migratedURL(t)})
}

// migratedURL is the address of a new database with the whole schema.
func migratedURL(t testing.TB) string {
	t.Helper()
	return localtest.Migrated(t, postgres.Migrate)
}

// opened connects to a database until the test ends.
func opened(t testing.TB, config postgres.Config) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}
