package postgres_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/google/go-cmp/cmp"
)

// A search of an index at rest goes by what is remembered, words that are new to the process included; the first one after any write of another
// process does not, and finds what there is then.
func TestSearchesGuessUntilSomethingIsWritten(t *testing.T) {
	t.Parallel()
	for name, after := range map[string]time.Duration{"at once": 1, "and look first": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			guessUntilSomethingIsWritten(t, after)
		})
	}
}

func guessUntilSomethingIsWritten(t *testing.T, after time.Duration) {
	t.Helper()
	reader, db := openIndex(t, postgres.IndexConfig{FreshLimit: 2, GuessAfter: after})
	writer, err := postgres.NewIndex(db, postgres.IndexConfig{FreshLimit: 2})
	if err != nil {
		t.Fatal(err)
	}
	search := func(text string) (texts []string, guessed bool) {
		t.Helper()
		r := retrieve.Request{Audience: retrievetest.Members(), Probes: []retrieve.Probe{{Text: text, Vector: []float32{1, 0.1}}}, Model: "m", PerSide: 10}
		got, passages, err := reader.Find(t.Context(), r, func(c retrieve.Candidates) []document.ChunkID {
			var ids []document.ChunkID
			for _, e := range c.Lists[0].Entries {
				ids = append(ids, e.Chunk)
			}
			return ids
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range passages {
			texts = append(texts, p.Chunk.Text)
		}
		_, read := got.Timings["narrow"]
		return texts, !read
	}
	want := func(what string, want ...string) {
		t.Helper()
		texts, guessed := search("alpha")
		if diff := cmp.Diff(want, texts); diff != "" || guessed {
			t.Errorf("after %s (guessed: %v) -want +got:\n%s", what, guessed, diff)
		}
		for range 10 {
			if texts, guessed = search("alpha"); guessed {
				break
			}
		}
		if diff := cmp.Diff(want, texts); diff != "" || !guessed {
			t.Errorf("long after %s (guessed: %v) -want +got:\n%s", what, guessed, diff)
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
	want("the beginning", "alpha one", "beta two")
	if texts, guessed := search("two"); len(texts) != 2 || !guessed {
		t.Errorf("a new word found %q (guessed: %v)", texts, guessed)
	}
	put("c", "alpha three", nil)
	want("a document came", "alpha one", "beta two", "alpha three")
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
	want("it got a vector", "alpha one", "beta two", "alpha three")
	if err := writer.Maintain(t.Context(), access.DefaultTenant); err != nil {
		t.Fatal(err)
	}
	want("everything was packed", "alpha one", "beta two", "alpha three")
	if err := writer.SetACL(t.Context(), access.DefaultTenant, access.ACL{"group:few"}, []document.ID{"a"}); err != nil {
		t.Fatal(err)
	}
	want("a change of readers", "beta two", "alpha three")
	if err := writer.Remove(t.Context(), access.DefaultTenant, "docs", []document.ID{"b"}); err != nil {
		t.Fatal(err)
	}
	want("a document went", "alpha three")
}
