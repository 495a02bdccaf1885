package retrieve_test

import (
	"context"
	"errors"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
)

// finer is the embedder of another space.
type finer struct{ embedder }

func (*finer) Model() string { return "finer" }

// A search uses one space: its own until the preferred one is complete. Chunks that were added
// since are found by their words.
func TestSearchPrefersCompleteSpace(t *testing.T) {
	t.Parallel()
	index := library(t)
	fine := retrievetest.One("fine", "Copies again", "keep a third server in step")
	fine.Model, fine.Vectors = "finer", [][]float32{{0, 1}}
	if err := index.Put(t.Context(), access.DefaultTenant, fine); err != nil {
		t.Fatal(err)
	}
	const question = "duplicate"
	own := &embedder{vectors: map[string][]float32{question: {0, 1}, "monitoring lag": {0, 1}, "replication in step": {0, 1}}}
	better := &finer{embedder{vectors: own.vectors}}
	complete, err := false, error(nil)
	h := newHybrid(t, index, own, nil).WithPreferred(retrieve.Preferred{
		Embedder: better, Alpha: 0.75, IsComplete: func(context.Context, access.TenantID) (bool, error) { return complete, err },
	})
	search := func(text string) retrieve.Result {
		t.Helper()
		result, err := h.Search(t.Context(), ask(text))
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	if got := search(question); got.Trace.Embedder != "m" || got.Hits[0].Document.ID != "meaning" || better.calls != 0 {
		t.Errorf("before: %s finds %s", got.Trace.Embedder, got.Hits[0].Document.ID)
	}
	complete = true
	if got := search(question); got.Trace.Embedder != "finer" || got.Hits[0].Document.ID != "fine" || own.calls != 1 {
		t.Errorf("after: %s finds %s", got.Trace.Embedder, got.Hits[0].Document.ID)
	}
	if got := search("monitoring lag"); got.Trace.Alpha != 0.75 || got.Hits[0].Document.ID != "guide" {
		t.Errorf("a chunk without a vector: alpha %g, first %s", got.Trace.Alpha, got.Hits[0].Document.ID)
	}
	// Words alone judge a chunk without a vector, next to one that has little but its vector.
	if got := search("replication in step"); got.Hits[0].Document.ID == "fine" {
		t.Errorf("first %s", got.Hits[0].Document.ID)
	}
	err = errors.New("the database is away")
	if _, got := h.Search(t.Context(), ask(question)); !errors.Is(got, err) {
		t.Errorf("error %v", got)
	}
}

func TestSearchCallsBegin(t *testing.T) {
	t.Parallel()
	running := 0
	h := newHybrid(t, library(t), nil, func(c *retrieve.Config) {
		c.Begin = func() func() { running++; return func() { running += 10 } }
	})
	if _, err := h.Search(t.Context(), ask("replication")); err != nil || running != 11 {
		t.Errorf("%d, error %v", running, err)
	}
}
