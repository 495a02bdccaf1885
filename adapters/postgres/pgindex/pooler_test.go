package pgindex_test

import (
	"fmt"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgbouncertest"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"golang.org/x/sync/errgroup"
)

// Searches of many clients at once find what they should through a pooler, where no plan is kept,
// and directly, where plans are.
func TestPlansOfSearches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		plans bool
		url   func(direct string) string
	}{
		{"directly", true, func(direct string) string { return direct }},
		{"through PgBouncer", false, func(direct string) string { return pgbouncertest.Start(t, direct).URL() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			db := postgrestest.Connect(t, postgres.Config{URL: c.url(postgrestest.URL(t))})
			x, err := pgindex.New(db, pgindex.Config{})
			if err != nil {
				t.Fatal(err)
			}
			if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(retrievetest.One("a", "Plan", "one plan", "two plans"))}); err != nil {
				t.Fatal(err)
			}
			var clients errgroup.Group
			for range 8 {
				clients.Go(func() error {
					for range 20 {
						r := retrievetest.Ask("plan")
						found, _, err := x.Find(t.Context(), r, nil)
						if err != nil {
							return err
						}
						if n := len(found.Lists[0].Entries); n != 2 {
							return fmt.Errorf("%d chunks were found, want 2", n)
						}
						shown, err := x.Chunks(t.Context(), r.Audience, []document.ChunkID{found.Lists[0].Entries[0].Chunk})
						if err != nil {
							return err
						}
						if len(shown) != 1 {
							return fmt.Errorf("%d chunks were shown, want 1", len(shown))
						}
					}
					return nil
				})
			}
			if err := clients.Wait(); err != nil {
				t.Fatal(err)
			}
			kept := 0
			for _, conn := range db.Pool.AcquireAllIdle(t.Context()) {
				var n int
				if err := conn.QueryRow(t.Context(), `select count(*) from pg_prepared_statements where generic_plans + custom_plans > 0`).Scan(&n); err != nil {
					t.Error(err)
				}
				kept += n
				conn.Release()
			}
			if (kept > 0) != c.plans {
				t.Errorf("%d plans are kept", kept)
			}
		})
	}
}
