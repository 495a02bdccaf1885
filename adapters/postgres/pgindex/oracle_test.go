package pgindex_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sync/errgroup"
)

// randomText draws words so that few are frequent and many are rare.
func randomText(rng *rand.Rand, n int) string {
	text := ""
	for range n {
		text += fmt.Sprintf("w%dx ", int(math.Exp(rng.Float64()*math.Log(80))))
	}
	return text
}

// steadyDoc has chunks of a steady length, so that the average that impacts are made with does not
// move while the test compares.
func steadyDoc(rng *rand.Rand, id string) retrievetest.Document {
	texts := make([]string, 1+rng.IntN(4))
	for i := range texts {
		texts[i] = randomText(rng, 11)
	}
	return retrievetest.One(id, randomText(rng, 3), texts...)
}

// While one goroutine writes, replaces and deletes, and others pack, merge and search all the time,
// every step ends with the same scores as brute force over what is in the index then.
func TestIndexEqualsOracleDuringMerges(t *testing.T) {
	t.Parallel()
	x, _ := openIndex(t, pgindex.Config{FreshLimit: 12})
	s := &indexStore{index: x}
	oracle := retrievetest.NewMemory()
	ctx, stop := context.WithCancel(t.Context())
	var background errgroup.Group
	background.Go(func() error { return until(ctx, func() error { return x.Maintain(ctx, access.DefaultTenant) }) })
	background.Go(func() error { return until(ctx, func() error { return x.Pack(ctx, access.DefaultTenant) }) })
	background.Go(func() error { return until(ctx, func() error { return neverTwice(ctx, s) }) })

	rng := rand.New(rand.NewPCG(1, 2))
	known := make(map[string]bool)
	for step := range 60 {
		var docs []retrievetest.Document
		batch := make(map[string]bool)
		for range 1 + rng.IntN(6) {
			if id := fmt.Sprintf("d%d", rng.IntN(60)); !batch[id] {
				batch[id], known[id] = true, true
				docs = append(docs, steadyDoc(rng, id))
			}
		}
		if err := errors.Join(s.Put(ctx, access.DefaultTenant, docs...), oracle.Put(ctx, access.DefaultTenant, docs...)); err != nil {
			t.Fatal(err)
		}
		for id := range known {
			if rng.IntN(12) == 0 {
				gone := document.ID(id)
				if err := errors.Join(s.Remove(ctx, access.DefaultTenant, gone), oracle.Remove(ctx, access.DefaultTenant, gone)); err != nil {
					t.Fatal(err)
				}
				delete(known, id)
			}
		}
		for range 1 + rng.IntN(4) { // the third search and later ones rely on what was remembered, as far as nothing was written meanwhile
			sameScores(t, s, oracle, fmt.Sprintf("w%[1]dx w%[2]dx w%[3]dx w%[2]dx", 1+rng.IntN(5), 1+rng.IntN(20), 1+rng.IntN(80)))
		}
		if t.Failed() {
			t.Fatalf("in step %d", step)
		}
	}
	stop()
	if err := background.Wait(); err != nil {
		t.Error(err)
	}
}

// until repeats f until the context ends.
func until(ctx context.Context, f func() error) error {
	for ctx.Err() == nil {
		if err := f(); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// neverTwice searches for a frequent word and checks that no chunk shows up twice.
func neverTwice(ctx context.Context, s *indexStore) error {
	got, _, err := s.Find(ctx, retrievetest.Ask("w1x w2x"), nil)
	if err != nil {
		return err
	}
	seen := make(map[document.ChunkID]bool)
	for _, e := range got.Lists[0].Entries {
		if seen[e.Chunk] {
			return fmt.Errorf("chunk %d was found twice", e.Chunk)
		}
		seen[e.Chunk] = true
	}
	return nil
}

type scoredChunk struct {
	Document    document.ID
	Ordinal     int
	Flat, Title float64
}

// sameScores compares with the oracle as far as 16-bit impacts allow. Documents have chunks and
// titles of one length, so that averages stay.
func sameScores(t *testing.T, got, want retrieve.Index, question string) {
	t.Helper()
	rows := func(x retrieve.Index) []scoredChunk {
		r := retrievetest.Ask(question)
		r.PerSide = 1000
		c, _, err := x.Find(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		var out []scoredChunk
		names := retrievetest.Names(t, x, r.Audience, c.Lists[0].Entries)
		for _, e := range c.Lists[0].Entries {
			out = append(out, scoredChunk{names[e.Chunk], e.Ordinal(), e.Flat, e.Title})
		}
		slices.SortFunc(out, func(a, b scoredChunk) int {
			return cmp.Or(cmp.Compare(a.Document, b.Document), cmp.Compare(a.Ordinal, b.Ordinal))
		})
		return out
	}
	if diff := gocmp.Diff(rows(want), rows(got), cmpopts.EquateApprox(0, 2e-3), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("candidates of %q (-want +got):\n%s", question, diff)
	}
}

// Merges of merges keep every score: impacts are restated from what they hold, not from the text.
func TestMergesKeepScores(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{FreshLimit: 1})
	s := &indexStore{index: x}
	oracle := retrievetest.NewMemory()
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 40 {
		d := retrievetest.One(fmt.Sprintf("d%d", i), randomText(rng, 1+rng.IntN(6)), randomText(rng, 1+rng.IntN(60)), randomText(rng, 1+rng.IntN(60)))
		if err := errors.Join(s.Put(t.Context(), access.DefaultTenant, d), oracle.Put(t.Context(), access.DefaultTenant, d)); err != nil {
			t.Fatal(err)
		}
	}
	var segments int
	if err := db.Pool.QueryRow(t.Context(), `select count(*) from segment`).Scan(&segments); err != nil || segments >= 12 {
		t.Fatalf("%d segments after 40 packings, error %v: they were not merged", segments, err)
	}
	// A last change makes all averages of the segments stale enough to be restated; then scores are
	// exact again.
	long := retrievetest.One("long", randomText(rng, 40), randomText(rng, 4000))
	if err := errors.Join(s.Put(t.Context(), access.DefaultTenant, long), oracle.Put(t.Context(), access.DefaultTenant, long)); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"w1x", "w3x w9x", "w2x w40x w70x"} {
		retrievetest.Same(t, q, s, oracle)
	}
}

// Several processes write at once: every document is found, each chunk once, and statistics add up.
func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{FreshLimit: 20})
	s := &indexStore{index: x}
	oracle := retrievetest.NewMemory()
	var writers errgroup.Group
	var mu sync.Mutex
	for w := range 4 {
		writers.Go(func() error {
			rng := rand.New(rand.NewPCG(uint64(w), 9))
			for i := range 10 {
				d := steadyDoc(rng, fmt.Sprintf("w%d-%d", w, i))
				if err := s.Put(t.Context(), access.DefaultTenant, d); err != nil {
					return err
				}
				mu.Lock()
				err := oracle.Put(t.Context(), access.DefaultTenant, d)
				mu.Unlock()
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := writers.Wait(); err != nil {
		t.Fatal(err)
	}
	sameScores(t, s, oracle, "w1x w2x w7x")
	var stated, real [2]int64
	err := db.Pool.QueryRow(t.Context(), `select (select sum(chunks) from index_shard), (select sum(flat_length) from index_shard),
		(select count(*) from chunk), (select sum(flat_length) from document)`).Scan(&stated[0], &stated[1], &real[0], &real[1])
	if err != nil {
		t.Fatal(err)
	}
	if stated != real {
		t.Errorf("statistics say %v, the tables hold %v", stated, real)
	}
}

// Whatever is wrong in one entry, nothing of the call is stored.
func TestPutIsAllOrNothing(t *testing.T) {
	t.Parallel()
	x, _ := openIndex(t, pgindex.Config{})
	good := retrievetest.One("good", "", "alpha")
	good.Vectors, good.Model = [][]float32{{1, 2}}, "m"
	bad := retrievetest.One("bad", "", "alpha")
	bad.Vectors, bad.Model = [][]float32{{1, 2, 3}}, "m"
	err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(good), entryOf(bad)})
	if !errors.Is(err, pgindex.ErrDimensions) {
		t.Errorf("two lengths of one model: error %v, want ErrDimensions", err)
	}
	if got := retrievetest.Found(t, x, retrievetest.Ask("alpha")); len(got) != 0 {
		t.Errorf("after the failed call the index holds %v", got)
	}
}
