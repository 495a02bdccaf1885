package postgres_test

import (
	"slices"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
)

func TestClientsConnectToTheSameDatabase(t *testing.T) {
	for _, name := range []string{"PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGPASSWORD", "PGSSLMODE"} {
		t.Setenv(name, "") // what is set for the program itself
	}
	for address, want := range map[string][]string{
		"postgres://ada:se%20cret@db.example:6543/docs?sslmode=disable":       {"PGDATABASE=docs", "PGHOST=db.example", "PGPASSWORD=se cret", "PGPORT=6543", "PGSSLMODE=disable", "PGUSER=ada"},
		"postgres:///docs?host=%2Frun%2Fpg&user=ada&options=-c%20a%3Db":       {"PGDATABASE=docs", "PGHOST=/run/pg", "PGOPTIONS=-c a=b", "PGPORT=5432", "PGUSER=ada"},
		"host=db.example user=ada dbname=docs password=secret sslmode=prefer": {"PGDATABASE=docs", "PGHOST=db.example", "PGPASSWORD=secret", "PGPORT=5432", "PGUSER=ada"},
	} {
		got, err := postgres.ClientEnv(address)
		if slices.Sort(got); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", address, got, err)
		}
	}
	if _, err := postgres.ClientEnv("postgres://[::1/docs"); err == nil {
		t.Error("an address that is none is read")
	}
}
