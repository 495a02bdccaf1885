package postgres_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/google/go-cmp/cmp"
)

func TestOnErrorHasTheStateOfEachError(t *testing.T) {
	t.Parallel()
	var states []string
	db, err := postgres.Open(t.Context(), postgres.Config{
		URL: localtest.Migrated(t, postgres.Migrate), MaxConns: 1, OnError: func(state string) { states = append(states, state) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{`do $$ begin raise sqlstate '58P01'; end $$`, `select 1`, `select 1/0`} {
		_, _ = db.Pool.Exec(t.Context(), statement) // two of them fail
	}
	if diff := cmp.Diff([]string{"58P01", "22012"}, states); diff != "" {
		t.Error(diff)
	}
}
