package pgindex_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
)

// No search ever returns what its audience may not read, and each returns all that it may, whatever
// the order of writes, changed access lists, removals, packing and searches.
func TestNoSearchCrossesAnACL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		cfg  pgindex.Config
	}{
		{"vectors by PostgreSQL alone, little memory", pgindex.Config{FreshLimit: 6, ExactLimit: 4, CacheBytes: 40 << 10}},
		{"vectors by sketches", pgindex.Config{FreshLimit: 6, ExactLimit: 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			writer, db := openIndex(t, c.cfg)
			searched, err := pgindex.New(db, c.cfg)
			if err != nil {
				t.Fatal(err)
			}
			indextest.NeverCrosses(t, writer, searched, func(tenant access.TenantID) { createTenant(t, db, tenant) })
		})
	}
}

// The bitmaps of many audiences stay within the memory given, and answers stay right.
func TestBitmapsStayWithinTheirMemory(t *testing.T) {
	t.Parallel()
	const audiences, limit = 300, 1 << 20
	x, _ := openIndex(t, pgindex.Config{FreshLimit: 1, CacheBytes: limit})
	rng := rand.New(rand.NewPCG(5, 6))
	for range 8 {
		var entries []index.Entry
		for range 40 {
			d := retrievetest.One(fmt.Sprintf("d%d", rng.IntN(1000)), "", "plan")
			d.ACL = access.ACL{access.Group(fmt.Sprint(rng.IntN(audiences)))}
			entries = append(entries, entryOf(d))
		}
		if err := x.Put(t.Context(), access.DefaultTenant, uniqueEntries(entries)); err != nil {
			t.Fatal(err)
		}
	}
	for round := range 2 {
		for i := range audiences {
			r := retrievetest.Ask("plan")
			r.Audience = access.NewAudience(access.DefaultTenant, access.Group(fmt.Sprint(i)))
			got, _, err := x.Find(t.Context(), r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(got.Lists) != 1 || len(got.Lists[0].Entries) != got.Allowed {
				t.Fatalf("round %d, audience %d: %d chunks found of %d allowed", round, i, len(got.Lists[0].Entries), got.Allowed)
			}
			if used := x.CacheBytes(); used > limit {
				t.Fatalf("the bitmaps take %d bytes of %d", used, limit)
			}
		}
	}
	if x.CacheBytes() == 0 {
		t.Error("nothing was kept")
	}
}

func uniqueEntries(entries []index.Entry) []index.Entry {
	seen := make(map[document.ID]bool)
	var out []index.Entry
	for _, e := range entries {
		if !seen[e.Document.ID] {
			seen[e.Document.ID] = true
			out = append(out, e)
		}
	}
	return out
}
