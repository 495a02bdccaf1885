// Package postgrestest gives each test a separate database with the complete schema. Helpers for
// the tests of a single package do not belong here.
package postgrestest

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
)

// Open returns a new database with the complete schema. The database is dropped when the test ends.
func Open(t testing.TB) *postgres.DB {
	t.Helper()
	return Connect(t, postgres.Config{URL: URL(t)})
}

// URL returns the address of a new database with the complete schema.
func URL(t testing.TB) string {
	t.Helper()
	return localtest.Migrated(t, postgres.Migrate)
}

// Connect opens a database and closes it when the test ends.
func Connect(t testing.TB, config postgres.Config) *postgres.DB {
	t.Helper()
	db, err := postgres.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}
