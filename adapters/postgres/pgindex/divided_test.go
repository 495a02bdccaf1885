package pgindex_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	gocmp "github.com/google/go-cmp/cmp"
)

// An index that an earlier version divided is searched, changed and cleared as before. New
// documents are all in one shard, and so is the index once its documents went and came again.
func TestDividedIndexGoesOn(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{FreshLimit: 12})
	old, s, oracle := &indexStore{index: x, shards: 3}, &indexStore{index: x}, retrievetest.NewMemory()
	rng := rand.New(rand.NewPCG(5, 6))
	put := func(store *indexStore, docs ...retrievetest.Document) {
		t.Helper()
		if err := errors.Join(store.Put(t.Context(), access.DefaultTenant, docs...), oracle.Put(t.Context(), access.DefaultTenant, docs...)); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(ids ...document.ID) {
		t.Helper()
		if err := errors.Join(s.Remove(t.Context(), access.DefaultTenant, ids...), oracle.Remove(t.Context(), access.DefaultTenant, ids...)); err != nil {
			t.Fatal(err)
		}
	}
	shards := func(like string) (found map[int16]int) {
		t.Helper()
		rows, err := db.Pool.Query(t.Context(), `select shard, count(*) from document where external_id like $1 group by shard`, like)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		found = make(map[int16]int)
		for rows.Next() {
			var shard int16
			var n int
			if err := rows.Scan(&shard, &n); err != nil {
				t.Fatal(err)
			}
			found[shard] = n
		}
		if rows.Err() != nil {
			t.Fatal(rows.Err())
		}
		return found
	}
	right := func() {
		t.Helper()
		for range 3 {
			sameScores(t, s, oracle, fmt.Sprintf("w1x w%dx w%dx", 1+rng.IntN(20), 1+rng.IntN(80)))
		}
		if err := x.Maintain(t.Context(), access.DefaultTenant); err != nil {
			t.Fatal(err)
		}
		sameScores(t, s, oracle, "w1x w2x w7x")
	}
	var all []document.ID
	for i := range 30 {
		all = append(all, document.ID(fmt.Sprintf("old-%d", i)))
		put(old, steadyDoc(rng, string(all[i])))
	}
	before := shards("old-%")
	if len(before) != 3 {
		t.Fatalf("documents by shard: %v, want three shards", before)
	}
	right()
	for i := range 20 {
		all = append(all, document.ID(fmt.Sprintf("new-%d", i)))
		put(s, steadyDoc(rng, string(all[30+i])), steadyDoc(rng, string(all[i]))) // a new one, and another version of an old one
	}
	if diff := gocmp.Diff(before, shards("old-%")); diff != "" {
		t.Errorf("new versions moved (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff(map[int16]int{0: 20}, shards("new-%")); diff != "" {
		t.Errorf("new documents by shard (-want +got):\n%s", diff)
	}
	right()
	remove(all[:10]...)
	right()
	remove(all[10:]...)
	for _, id := range all {
		put(s, steadyDoc(rng, string(id)))
	}
	if diff := gocmp.Diff(map[int16]int{0: 50}, shards("%")); diff != "" {
		t.Errorf("documents that came again by shard (-want +got):\n%s", diff)
	}
	right()
}
