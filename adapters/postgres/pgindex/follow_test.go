package pgindex_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/google/go-cmp/cmp"
)

// What a process remembers of the index follows what other processes write: the first search after
// any write finds what there is then, words that are new to the process included.
func TestSearchesFollowOtherProcesses(t *testing.T) {
	t.Parallel()
	reader, db := openIndex(t, pgindex.Config{FreshLimit: 2})
	writer, err := pgindex.New(db, pgindex.Config{FreshLimit: 2})
	if err != nil {
		t.Fatal(err)
	}
	want := func(what, text string, want ...string) {
		t.Helper()
		for range 3 { // the third one relies on what the second found unchanged
			r := retrieve.Request{Audience: retrievetest.Members(), Probes: []retrieve.Probe{{Text: text, Vector: []float32{1, 0.1}}}, Model: "m", PerSide: 10}
			_, passages, err := reader.Find(t.Context(), r, func(c retrieve.Candidates) []document.ChunkID {
				var ids []document.ChunkID
				for _, e := range c.Lists[0].Entries {
					ids = append(ids, e.Chunk)
				}
				return ids
			})
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, p := range passages {
				texts = append(texts, p.Chunk.Text)
			}
			if diff := cmp.Diff(want, texts); diff != "" {
				t.Errorf("after %s -want +got:\n%s", what, diff)
			}
		}
	}
	put := func(id, text string, vector []float32) {
		t.Helper()
		d := retrievetest.One(id, "", text)
		if d.Vectors = [][]float32{vector}; vector == nil {
			d.Vectors = nil
		} else {
			d.Model = "m"
		}
		if err := writer.Put(t.Context(), access.DefaultTenant, []index.Entry{entryOf(d)}); err != nil {
			t.Fatal(err)
		}
	}
	put("a", "alpha one", []float32{1, 0})
	put("b", "beta two", []float32{1, 1})
	want("the beginning", "alpha", "alpha one", "beta two")
	want("a word that is new", "two", "alpha one", "beta two")
	put("c", "alpha three", nil)
	want("a document came", "alpha", "alpha one", "beta two", "alpha three")
	for batch, err := range writer.SearchTexts(t.Context(), access.DefaultTenant, "m") {
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range batch {
			if err := writer.PutVectors(t.Context(), access.DefaultTenant, "m", []document.ChunkID{c.Chunk}, [][]float32{{0, 1}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	want("it got a vector", "alpha", "alpha one", "beta two", "alpha three")
	if err := writer.Maintain(t.Context(), access.DefaultTenant); err != nil {
		t.Fatal(err)
	}
	want("everything was packed", "alpha", "alpha one", "beta two", "alpha three")
	if err := writer.SetACL(t.Context(), access.DefaultTenant, "docs", accessOf(access.ACL{"group:few"}, "a")); err != nil {
		t.Fatal(err)
	}
	want("a change of readers", "alpha", "beta two", "alpha three")
	if err := writer.Remove(t.Context(), access.DefaultTenant, "docs", []document.ID{"b"}); err != nil {
		t.Fatal(err)
	}
	want("a document went", "alpha", "alpha three")
}
