package pgindex

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/local/localtest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
)

const routeDimensions = 16

func randomVector(rng *rand.Rand) []float32 {
	v := make([]float32, routeDimensions)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return v
}

// routeIndex holds 3,000 chunks that members may read, of which 200 belong to a group.
func routeIndex(t *testing.T, precision string) *Index {
	t.Helper()
	url := localtest.URL(t)
	if _, err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	db, err := postgres.Open(t.Context(), postgres.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	x, err := New(db, Config{FreshLimit: 1000, ExactLimit: 500, Precision: precision})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(7, 8))
	for batch := range 3 {
		var entries []index.Entry
		for i := range 100 {
			e := index.Entry{Document: document.Document{Ref: document.Ref{ID: document.ID(fmt.Sprintf("d%d-%d", batch, i)), Source: "s"},
				ACL: access.ACL{access.Members}}, Model: "m"}
			if batch == 1 && i < 20 {
				e.Document.ACL = append(e.Document.ACL, "group:few")
			}
			for range 10 {
				e.Chunks = append(e.Chunks, document.Chunk{Text: "x"})
				e.Vectors = append(e.Vectors, randomVector(rng))
			}
			entries = append(entries, e)
		}
		if err := x.Put(t.Context(), access.DefaultTenant, entries); err != nil {
			t.Fatal(err)
		}
	}
	return x
}

// The route depends on how much is allowed, and on whether there are sketches. Both give as many
// rows as asked for; sketches agree with brute force.
func TestVectorRoutes(t *testing.T) {
	t.Parallel()
	for _, precision := range []string{precisionHalf, precisionFull} {
		t.Run(precision, func(t *testing.T) {
			t.Parallel()
			x := routeIndex(t, precision)
			rng := rand.New(rand.NewPCG(9, 10))
			few := access.NewAudience(access.DefaultTenant, "group:few")
			all := access.NewAudience(access.DefaultTenant, access.Members)
			question := randomVector(rng)
			small, err := New(x.db, Config{ExactLimit: 500, CacheBytes: 1}) // no room for sketches: everything is compared
			if err != nil {
				t.Fatal(err)
			}
			exact := vectorsFound(t, small, all, question, retrieve.RouteExact)
			vectorsFound(t, x, few, question, retrieve.RouteExact)
			agree := 0
			for id := range vectorsFound(t, x, all, question, retrieve.RouteSketch) {
				if exact[id] {
					agree++
				}
			}
			if agree < 95 {
				t.Errorf("by sketches %d of the 100 nearest were found", agree)
			}
		})
	}
}

// vectorsFound returns the chunks that the semantic side chose.
func vectorsFound(t *testing.T, x *Index, a access.Audience, question []float32, route string) map[document.ChunkID]bool {
	t.Helper()
	r := retrieve.Request{Audience: a, Probes: []retrieve.Probe{{Vector: question}}, Model: "m", PerSide: 100}
	got, _, err := x.Find(t.Context(), r, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Route != route {
		t.Errorf("%d allowed chunks took the route %q, want %q", got.Allowed, got.Route, route)
	}
	found := make(map[document.ChunkID]bool)
	for _, e := range got.Lists[0].Entries {
		found[e.Chunk] = e.VectorPos > 0
	}
	if len(found) != 100 {
		t.Errorf("route %s found %d chunks, want 100", route, len(found))
	}
	return found
}

// Vectors of the greatest length that pgvector has are kept and found, in both precisions.
func TestLongVectorsAreFound(t *testing.T) {
	t.Parallel()
	for _, precision := range []string{precisionHalf, precisionFull} {
		t.Run(precision, func(t *testing.T) {
			t.Parallel()
			x := routeIndex(t, precision)
			if err := x.DropModel(t.Context(), access.DefaultTenant, "m"); err != nil {
				t.Fatal(err)
			}
			if err := x.RegisterModel(t.Context(), access.DefaultTenant, "m", maxDimensions); err != nil {
				t.Fatal(err)
			}
			entry := index.Entry{Document: document.Document{Ref: document.Ref{ID: "long", Source: "s"}, ACL: access.ACL{access.Members}}, Model: "m"}
			for i := range 3 {
				vector := make([]float32, maxDimensions)
				vector[i*5_000] = 1
				entry.Chunks, entry.Vectors = append(entry.Chunks, document.Chunk{Text: "x"}), append(entry.Vectors, vector)
			}
			if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{entry}); err != nil {
				t.Fatal(err)
			}
			r := retrieve.Request{Audience: access.NewAudience(access.DefaultTenant, access.Members), Probes: []retrieve.Probe{{Vector: entry.Vectors[1]}}, Model: "m", PerSide: 1}
			got, _, err := x.Find(t.Context(), r, nil)
			if err != nil || len(got.Lists[0].Entries) != 1 || got.Lists[0].Entries[0].Cosine < 0.99 {
				t.Errorf("found %+v, %v", got, err)
			}
		})
	}
}

func TestRegisterModelRefusesWhatCannotBeSearched(t *testing.T) {
	t.Parallel()
	x := routeIndex(t, precisionHalf)
	for _, c := range []struct {
		name       string
		model      string
		dimensions int
		wantError  string
	}{
		{"known", "m", routeDimensions, ""},
		{"another length", "m", 2 * routeDimensions, "EMBEDDING_DIMENSIONS to 16"},
		{"too long", "large", 16_001, "lower EMBEDDING_DIMENSIONS"},
		{"none", "none", 0, "check the embedding model"},
	} {
		err := x.RegisterModel(t.Context(), access.DefaultTenant, c.model, c.dimensions)
		if (err != nil) != (c.wantError != "") || err != nil && !strings.Contains(err.Error(), c.wantError) {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.wantError)
		}
	}
	if err := x.DropModel(t.Context(), access.DefaultTenant, "m"); err != nil {
		t.Fatal(err)
	}
	if err := x.RegisterModel(t.Context(), access.DefaultTenant, "m", 2*routeDimensions); err != nil {
		t.Errorf("after the model was dropped: %v", err)
	}
}
