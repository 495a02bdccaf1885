package pgindex_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
)

// A server that restarts in the middle of a search costs the person nothing but a moment.
func TestSearchGoesOnWhenItsConnectionIsLost(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{})
	if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(retrievetest.One("kettle", "Kettle", "descale the kettle"))}); err != nil {
		t.Fatal(err)
	}
	asked := 0
	_, passages, err := x.Find(t.Context(), retrieve.Request{Audience: retrievetest.Members(), Probes: []retrieve.Probe{{Text: "kettle"}}, PerSide: 10},
		func(c retrieve.Candidates) (chosen []document.ChunkID) {
			if asked++; asked == 1 {
				const end = `select count(pg_terminate_backend(pid)) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
				var ended int
				if err := db.Pool.QueryRow(t.Context(), end).Scan(&ended); err != nil || ended == 0 {
					t.Errorf("%d connections were ended, %v", ended, err)
				}
			}
			for _, list := range c.Lists {
				for _, e := range list.Entries {
					chosen = append(chosen, e.Chunk)
				}
			}
			return chosen
		})
	if err != nil || len(passages) != 1 || asked != 2 {
		t.Errorf("%d passages after %d tries, %v", len(passages), asked, err)
	}
}
