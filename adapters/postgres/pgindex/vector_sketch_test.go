package pgindex_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
)

// What a process remembers of vectors follows what others write: new chunks, vectors that old
// chunks get later, and a model that was dropped and came back.
func TestSketchesFollowTheIndex(t *testing.T) {
	t.Parallel()
	reader, db := openIndex(t, pgindex.Config{FreshLimit: 1, ExactLimit: 1})
	writer, err := pgindex.New(db, pgindex.Config{FreshLimit: 1})
	if err != nil {
		t.Fatal(err)
	}
	put := func(id string, vectors ...[]float32) {
		t.Helper()
		d := retrievetest.One(id, "", "alpha", "beta")
		if d.Vectors = vectors; vectors != nil {
			d.Model = "m"
		}
		if err := writer.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(d)}); err != nil {
			t.Fatal(err)
		}
	}
	found := func(want int, what string) {
		t.Helper()
		for range 6 { // the first searches of a process remember nothing
			r := retrieve.Request{Audience: retrievetest.Members(), Probes: []retrieve.Probe{{Vector: []float32{1, 0.1}}}, Model: "m", PerSide: 10}
			got, _, err := reader.Find(t.Context(), r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(got.Lists[0].Entries); n != want {
				t.Fatalf("%s: %d chunks were found by route %q, want %d", what, n, got.Route, want)
			}
			if want > 2 && got.Route != retrieve.RouteSketch {
				t.Fatalf("%s: route %q", what, got.Route)
			}
		}
	}
	fill := func() {
		t.Helper()
		for batch, err := range writer.SearchTexts(t.Context(), access.DefaultTenant, "m") {
			if err != nil {
				t.Fatal(err)
			}
			var ids []document.ChunkID
			var vectors [][]float32
			for _, c := range batch {
				ids, vectors = append(ids, c.Chunk), append(vectors, []float32{0, 1})
			}
			if err := writer.PutVectors(t.Context(), access.DefaultTenant, "m", ids, vectors); err != nil {
				t.Fatal(err)
			}
		}
	}
	put("a", []float32{1, 0}, []float32{1, 1})
	put("b", []float32{1, 0.5}, []float32{1, 0.2})
	found(4, "from the beginning")
	put("c", []float32{0, 1}, []float32{1, 1})
	found(6, "a document more")
	put("d")
	found(6, "a document without vectors")
	fill()
	found(8, "which got vectors")
	if err := writer.Remove(t.Context(), access.DefaultTenant, "docs", []document.ID{"a"}); err != nil {
		t.Fatal(err)
	}
	found(6, "a document less")
	if err := writer.SetACL(t.Context(), access.DefaultTenant, "docs", accessOf(access.ACL{"group:few"}, "b")); err != nil {
		t.Fatal(err)
	}
	found(4, "one that others may read")
	if err := writer.DropModel(t.Context(), access.DefaultTenant, "m"); err != nil {
		t.Fatal(err)
	}
	found(0, "without the model")
	fill()
	found(4, "with the model anew")
}

// A chunk has the same cosine whether sketches left it or every vector was compared.
func TestRoutesAgreeOnCosines(t *testing.T) {
	t.Parallel()
	_, db := openIndex(t, pgindex.Config{})
	d := retrievetest.One("a", "", "one", "two", "three", "four")
	d.Model, d.Vectors = "m", [][]float32{{1, -0.001, 3}, {-1, 65e-6, 0.5}, {0.3, 0.3, -0.3}, {0, 0, 1}}
	cosines := make(map[string]map[document.ChunkID]float64)
	for name, cfg := range map[string]pgindex.Config{"table": {}, "sketches": {ExactLimit: 1}} {
		x, err := pgindex.New(db, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if len(cosines) == 0 {
			if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(d)}); err != nil {
				t.Fatal(err)
			}
		}
		for range 6 {
			r := retrieve.Request{Audience: retrievetest.Members(), Probes: []retrieve.Probe{{Vector: []float32{0.2, -2, 0.7}}}, Model: "m", PerSide: 10}
			got, _, err := x.Find(t.Context(), r, nil)
			if err != nil {
				t.Fatal(err)
			}
			cosines[name] = make(map[document.ChunkID]float64)
			for _, e := range got.Lists[0].Entries {
				cosines[name][e.Chunk] = e.Cosine
			}
		}
	}
	for name, got := range cosines {
		for chunk, want := range cosines["table"] {
			if diff := got[chunk] - want; diff > 1e-3 || diff < -1e-3 || len(got) != 4 {
				t.Errorf("%s: chunk %d has the cosine %v, want %v", name, chunk, got[chunk], want)
			}
		}
	}
}

// The first search of a process finds the sketches that were made before it, however many there
// are; a search alone leaves the first of so many to PostgreSQL.
func TestSketchesAreMadeBeforeTheFirstSearch(t *testing.T) {
	t.Parallel()
	writer, db := openIndex(t, pgindex.Config{})
	d := retrievetest.One("a", "", slices.Repeat([]string{"alpha"}, 9000)...)
	for i := range 9000 {
		d.Vectors = append(d.Vectors, []float32{1, float32(i)})
	}
	d.Model = "m"
	if err := writer.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(d)}); err != nil {
		t.Fatal(err)
	}
	route := func(cfg pgindex.Config, sketch bool) (route string, kept bool) {
		t.Helper()
		x, err := pgindex.New(db, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if sketch {
			if err := x.Sketch(t.Context(), access.DefaultTenant, "m"); err != nil {
				t.Fatal(err)
			}
		}
		kept = x.CacheBytes() > 0
		r := retrieve.Request{Audience: retrievetest.Members(), Probes: []retrieve.Probe{{Vector: []float32{1, 0.1}}}, Model: "m", PerSide: 10}
		got, _, err := x.Find(t.Context(), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		return got.Route, kept
	}
	for _, tt := range []struct {
		name   string
		cfg    pgindex.Config
		sketch bool
		route  string
		kept   bool
	}{
		{name: "sketched before", sketch: true, route: retrieve.RouteSketch, kept: true},
		{name: "not sketched before", route: retrieve.RouteExact},
		{name: "no room for them", cfg: pgindex.Config{CacheBytes: 1 << 10}, sketch: true, route: retrieve.RouteExact},
		{name: "few chunks are compared as they are", cfg: pgindex.Config{ExactLimit: 10_000}, sketch: true, route: retrieve.RouteExact},
	} {
		if got, kept := route(tt.cfg, tt.sketch); got != tt.route || kept != tt.kept {
			t.Errorf("%s: route %q, sketches kept %t; want %q, %t", tt.name, got, kept, tt.route, tt.kept)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := writer.Sketch(ended, access.DefaultTenant, "m"); !errors.Is(err, context.Canceled) {
		t.Errorf("told to end: %v", err)
	}
	if err := writer.Sketch(t.Context(), access.DefaultTenant, "unknown"); err != nil {
		t.Errorf("a model that is not known: %v", err)
	}
}
