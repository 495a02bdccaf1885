package pgindex_test

import (
	"errors"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
)

// One process at a time fills a model. Where it dies, another one takes over and continues.
func TestOneProcessFillsAModel(t *testing.T) {
	t.Parallel()
	x, db := openIndex(t, pgindex.Config{})
	if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(retrievetest.One("a", "", "one", "two"))}); err != nil {
		t.Fatal(err)
	}
	state := func(want index.FillState) {
		t.Helper()
		got, err := x.FillState(t.Context(), access.DefaultTenant, "m")
		if got.Rate = 0; err != nil || got != want {
			t.Errorf("%+v, error %v; want %+v", got, err, want)
		}
	}
	claim := func(free bool) *pgindex.Filler {
		t.Helper()
		f, err := x.ClaimFill(t.Context(), access.DefaultTenant, "m", 2)
		if err != nil || (f != nil) != free {
			t.Fatalf("claimed: %v, error %v", f != nil, err)
		}
		return f
	}
	put := func(f *pgindex.Filler, n int) error {
		t.Helper()
		for batch, err := range f.SearchTexts(t.Context(), access.DefaultTenant, "m") {
			if err != nil {
				t.Fatal(err)
			}
			ids, vectors := chunkIDs(batch[:n]), make([][]float32, n)
			for i := range vectors {
				vectors[i] = []float32{1, 0}
			}
			return f.PutVectors(t.Context(), access.DefaultTenant, "m", ids, vectors)
		}
		return errors.New("there is nothing to embed")
	}
	state(index.FillState{Chunks: 2, Missing: 2})
	killed := claim(true)
	if err := put(killed, 1); err != nil {
		t.Fatal(err)
	}
	claim(false)
	state(index.FillState{Chunks: 2, Missing: 1, Running: true})
	if _, err := db.Pool.Exec(t.Context(), `update embedding_fill set until = clock_timestamp() - interval '1 second'`); err != nil {
		t.Fatal(err)
	}
	second := claim(true)
	if err := put(killed, 1); !errors.Is(err, index.ErrClaimed) {
		t.Errorf("the process that lost its claim: %v", err)
	}
	if err := killed.Release(t.Context(), access.DefaultTenant); err != nil {
		t.Fatal(err)
	}
	claim(false)
	if err := second.Release(t.Context(), access.DefaultTenant); err != nil {
		t.Fatal(err)
	}
	state(index.FillState{Chunks: 2})
	if err := x.SetComplete(t.Context(), access.DefaultTenant, "m", 2, true); err != nil {
		t.Fatal(err)
	}
	state(index.FillState{Chunks: 2, Complete: true})
	for model, want := range map[string]bool{"m": true, "other": false} {
		if got, err := x.IsComplete(t.Context(), access.DefaultTenant, model); err != nil || got != want {
			t.Errorf("model %s is complete: %v, error %v", model, got, err)
		}
	}
	if err := x.DropModel(t.Context(), access.DefaultTenant, "m"); err != nil {
		t.Fatal(err)
	}
	state(index.FillState{Chunks: 2, Missing: 2})
}

func chunkIDs(of []index.ChunkText) []document.ChunkID {
	ids := make([]document.ChunkID, len(of))
	for i, c := range of {
		ids[i] = c.Chunk
	}
	return ids
}
