package retrieve_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/google/go-cmp/cmp"
)

// empty is an index that holds nothing.
type empty struct{ retrieve.Index }

// embedder answers from a table; texts that are not in it get an error.
type embedder struct {
	vectors map[string][]float32
	calls   int
}

func (e *embedder) Embed(_ context.Context, purpose retrieve.Purpose, texts []string) ([][]float32, error) {
	e.calls++
	var out [][]float32
	for _, text := range texts {
		v, found := e.vectors[text]
		if !found || purpose != retrieve.ForQuery {
			return nil, errors.New("no such vector")
		}
		out = append(out, v)
	}
	return out, nil
}

func (e *embedder) Model() string   { return "m" }
func (e *embedder) Dimensions() int { return 2 }

func library(t *testing.T) *retrievetest.Memory {
	t.Helper()
	m := retrievetest.NewMemory()
	guide := retrievetest.One("guide", "Replication guide", "first steps", "streaming replication needs a standby", "monitoring lag", "last words")
	notes := retrievetest.One("notes", "Release notes", "replication was improved", "other changes")
	meaning := retrievetest.One("meaning", "Copies", "keep a second server in step")
	for _, d := range []*retrievetest.Document{&guide, &notes, &meaning} {
		d.Model = "m"
		for range d.Chunks {
			d.Vectors = append(d.Vectors, []float32{1, 0})
		}
	}
	meaning.Vectors = [][]float32{{0, 1}}
	secret := retrievetest.One("secret", "Replication secrets", "streaming replication password")
	secret.ACL = access.ACL{"group:dba"}
	if err := m.Put(t.Context(), access.DefaultTenant, guide, notes, meaning, secret); err != nil {
		t.Fatal(err)
	}
	return m
}

func newHybrid(t *testing.T, index retrieve.Index, e retrieve.Embedder, change func(*retrieve.Config)) *retrieve.Hybrid {
	t.Helper()
	cfg := retrieve.DefaultConfig()
	if change != nil {
		change(&cfg)
	}
	h, err := retrieve.NewHybrid(index, e, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func ask(text string) retrieve.Search {
	return retrieve.Search{Audience: retrievetest.Members(), Queries: []retrieve.Query{{Text: text}}, Now: now}
}

func search(t *testing.T, h *retrieve.Hybrid, s retrieve.Search) retrieve.Result {
	t.Helper()
	r, err := h.Search(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func documents(r retrieve.Result) []document.ID {
	var out []document.ID
	for _, h := range r.Hits {
		out = append(out, h.Document.ID)
	}
	return out
}

func TestHybridAddsNeighbours(t *testing.T) {
	t.Parallel()
	r := search(t, newHybrid(t, library(t), nil, nil), ask("streaming standby improved"))
	if diff := cmp.Diff([]document.ID{"guide", "notes"}, documents(r)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	best := r.Hits[0]
	if want := "first steps\n\nstreaming replication needs a standby\n\nmonitoring lag"; best.Text != want {
		t.Errorf("text %q, want %q", best.Text, want)
	}
	if best.Ordinal != 1 || best.Start != 0 || best.Link != "https://docs.example/guide#s" || best.Tokens != 3+10+4 || !r.Evidence {
		t.Errorf("best hit %+v, evidence %v", best, r.Evidence)
	}
	if want := "replication was improved\n\nother changes"; r.Hits[1].Text != want {
		t.Errorf("the second hit is a page of two chunks, which is shown whole: %q, want %q", r.Hits[1].Text, want)
	}
	if r.Trace.Allowed != 7 || r.Trace.Route != retrieve.RouteNone || r.Trace.Alpha != 0 {
		t.Errorf("trace %+v", r.Trace)
	}
}

// A hit tells of each section that begins within its chunks, so that a link goes to the one that is
// cited.
func TestHitsHaveSections(t *testing.T) {
	t.Parallel()
	m := retrievetest.NewMemory()
	faq := retrievetest.One("faq", "Questions", "Parking is für everybody. Badges are at the desk. Keys are not.", "Lunch is at noon.")
	faq.Chunks[0].Places = []document.Place{{Start: 26, Anchor: "badges"}, {Start: 50, Anchor: "keys"}}
	faq.Chunks[1].Anchor = "lunch"
	if err := m.Put(t.Context(), access.DefaultTenant, faq); err != nil {
		t.Fatal(err)
	}
	want := []retrieve.Part{{Anchor: "s", Heading: "Questions", Text: "Parking is für everybody. "}, {Anchor: "badges", Text: "Badges are at the desk. "}, {Anchor: "keys", Text: "Keys are not."}, {Anchor: "lunch", Heading: "Questions", Text: "Lunch is at noon."}}
	if diff := cmp.Diff(want, search(t, newHybrid(t, m, nil, nil), ask("badges at the desk")).Hits[0].Parts); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
}

func TestHybridLimits(t *testing.T) {
	t.Parallel()
	m := retrievetest.NewMemory()
	for i := range 9 {
		texts := make([]string, 6)
		for n := range texts {
			texts[n] = fmt.Sprintf("vacuum part %d", n)
		}
		if err := m.Put(t.Context(), access.DefaultTenant, retrievetest.One(fmt.Sprintf("d%d", i), "", texts...)); err != nil {
			t.Fatal(err)
		}
	}
	chunks := func(r retrieve.Result) (n int) {
		for _, h := range r.Hits {
			n += strings.Count(h.Text, "vacuum")
		}
		return n
	}
	for _, c := range []struct {
		name         string
		change       func(*retrieve.Config)
		limit        int
		tokens       int
		hits, chunks int
	}{
		{"every document once before any twice", func(c *retrieve.Config) { c.MaxChunks = 9; c.Above, c.Below = 0, 0 }, 0, 0, 9, 9},
		{"neighbours count", func(c *retrieve.Config) { c.MaxChunks = 9 }, 0, 0, 8, 9},
		{"one passage", nil, 1, 0, 1, 2},
		{"no neighbours", func(c *retrieve.Config) { c.Above, c.Below = 0, 0 }, 1, 0, 1, 1},
		{"more neighbours", func(c *retrieve.Config) { c.Below = 4 }, 1, 0, 1, 5},
		{"more passages than MaxChunks", func(c *retrieve.Config) { c.MaxChunks = 2 }, 5, 0, 4, 5},
		{"tokens", func(c *retrieve.Config) { c.MaxChunks = 9; c.Above, c.Below = 0, 0 }, 0, 9, 2, 2},
	} {
		s := ask("vacuum")
		s.Limit, s.MaxTokens = c.limit, c.tokens
		r := search(t, newHybrid(t, m, nil, c.change), s)
		if len(r.Hits) != c.hits || chunks(r) != c.chunks {
			t.Errorf("%s: %d hits with %d chunks, want %d with %d", c.name, len(r.Hits), chunks(r), c.hits, c.chunks)
		}
	}
}

func TestHybridBlendsMeaning(t *testing.T) {
	t.Parallel()
	e := &embedder{vectors: map[string][]float32{"standby": {0, 1}}}
	r := search(t, newHybrid(t, library(t), e, func(c *retrieve.Config) { c.Alpha = 0.9 }), ask("standby"))
	if r.Hits[0].Document.ID != "meaning" || r.Trace.Alpha != 0.9 || r.Trace.Embedder != "m" || r.Trace.Route != retrieve.RouteExact {
		t.Errorf("first %s, trace %+v", r.Hits[0].Document.ID, r.Trace)
	}
	r = search(t, newHybrid(t, library(t), e, func(c *retrieve.Config) { c.Alpha = 0.2 }), ask("standby"))
	if r.Hits[0].Document.ID != "guide" || r.Trace.Alpha != 0.2 {
		t.Errorf("with a small share: first %s, alpha %v", r.Hits[0].Document.ID, r.Trace.Alpha)
	}
	nothing := &embedder{vectors: map[string][]float32{"standby": {0, 0}}} // the model has nothing to say of this question
	r = search(t, newHybrid(t, library(t), nothing, func(c *retrieve.Config) { c.Alpha = 0.9 }), ask("standby"))
	if words := search(t, newHybrid(t, library(t), nil, nil), ask("standby")); !slices.Equal(documents(r), documents(words)) || r.Trace.Alpha != 0 || r.Trace.Notice != "" {
		t.Errorf("with a vector of zeros: %v, by words alone %v, trace %+v", documents(r), documents(words), r.Trace)
	}
	e.calls = 0
	search(t, newHybrid(t, library(t), e, func(c *retrieve.Config) { c.Alpha = 0 }), ask("standby"))
	if e.calls != 0 {
		t.Error("a search by keywords alone called the embedder")
	}
}

// faulty is an embedder that fails in one way.
type faulty struct {
	embedder
	vectors [][]float32
	err     error
}

func (f *faulty) Embed(context.Context, retrieve.Purpose, []string) ([][]float32, error) {
	return f.vectors, f.err
}

// shorter is an index whose vectors have another length than the question's.
type shorter struct{ *retrievetest.Memory }

func (s shorter) Find(
	ctx context.Context, r retrieve.Request, choose func(retrieve.Candidates) []document.ChunkID,
) (retrieve.Candidates, []retrieve.Passage, error) {
	if r.Model != "" {
		return retrieve.Candidates{}, nil, retrieve.ErrDimensions
	}
	return s.Memory.Find(ctx, r, choose)
}

// Whatever is wrong with the vectors, the words are searched and the result says that they alone
// were.
func TestHybridWithoutEmbedder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		model retrieve.Embedder
		index retrieve.Index
	}{
		{"it is down", &faulty{err: errors.New("connection refused")}, library(t)},
		{"it is rate limited", &faulty{err: &llm.RateLimitError{RetryAfter: time.Minute}}, library(t)},
		{"it gives no vector", &faulty{}, library(t)},
		{"its vector is too long", &faulty{vectors: [][]float32{{1, 0, 0}}}, library(t)},
		{"its vector is empty", &faulty{vectors: [][]float32{nil}}, library(t)},
		{"the index holds shorter ones", &faulty{vectors: [][]float32{{1, 0}}}, shorter{library(t)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := search(t, newHybrid(t, c.index, c.model, nil), ask("standby"))
			if len(r.Hits) == 0 || r.Hits[0].Document.ID != "guide" || r.Trace.Alpha != 0 || r.Trace.Route != retrieve.RouteNone {
				t.Errorf("hits %v, trace %+v", documents(r), r.Trace)
			}
			if !strings.HasSuffix(r.Trace.Notice, "the search went by keywords alone.") || !slices.Equal(r.Trace.Notices, []string{r.Trace.Notice}) {
				t.Errorf("notice %q, told %q", r.Trace.Notice, r.Trace.Notices)
			}
		})
	}
}

// silent is an embedder that never answers.
type silent struct{ embedder }

func (*silent) Embed(ctx context.Context, _ retrieve.Purpose, _ []string) ([][]float32, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestHybridSkipsSlowEmbedder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r := search(t, newHybrid(t, library(t), &silent{}, nil), ask("standby"))
		if took := time.Since(began); took != retrieve.DefaultEmbedWait { // of synctest's clock
			t.Errorf("the search took %s, want %s", took, retrieve.DefaultEmbedWait)
		}
		if len(r.Hits) == 0 || r.Hits[0].Document.ID != "guide" || r.Trace.Alpha != 0 {
			t.Errorf("hits %v, trace %+v", documents(r), r.Trace)
		}
		const want = "The embedding model took longer than 2 s, so the search went by keywords alone."
		if !slices.Equal(r.Trace.Notices, []string{want}) || r.Trace.Notice != want {
			t.Errorf("told %q, notice %q", r.Trace.Notices, r.Trace.Notice)
		}
	})
	stopped, stop := context.WithCancelCause(t.Context())
	ended := errors.New("stopped by a person")
	stop(ended)
	if _, err := newHybrid(t, library(t), &silent{}, nil).Search(stopped, ask("standby")); !errors.Is(err, ended) {
		t.Errorf("the error of a search that was stopped is %v", err)
	}
}

// What is measured of a search says nothing where it failed.
func TestHybridObservesSuccessfulSearches(t *testing.T) {
	t.Parallel()
	seen := 0
	observe := func(c *retrieve.Config) { c.Observe = func(retrieve.Trace) { seen++ } }
	search(t, newHybrid(t, library(t), nil, observe), ask("standby"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newHybrid(t, library(t), &faulty{err: context.Canceled}, observe).Search(ctx, ask("standby"))
	if err == nil || seen != 1 {
		t.Errorf("%d of two searches were told of, one of which failed with %v", seen, err)
	}
}

func TestHybridMergesQueries(t *testing.T) {
	t.Parallel()
	s := ask("improved")
	s.Queries = append(s.Queries, retrieve.Query{Text: " "}, retrieve.Query{Text: "monitoring lag", Weight: 3})
	r := search(t, newHybrid(t, library(t), nil, nil), s)
	if diff := cmp.Diff([]document.ID{"guide", "notes"}, documents(r)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if r.Hits[0].Scores.RRF == 0 || r.Hits[0].Scores.RRF != r.Hits[0].Scores.Score || len(r.Trace.Queries) != 2 {
		t.Errorf("scores %+v of queries %q", r.Hits[0].Scores, r.Trace.Queries)
	}
}

func TestHybridFindsNothing(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]retrieve.Search{
		"another subject":       ask("sourdough bread recipe"),
		"no words":              ask("?!"),
		"no query":              {Audience: retrievetest.Members()},
		"an audience of nobody": {Queries: []retrieve.Query{{Text: "replication"}}},
		"another tenant":        {Audience: access.NewAudience("x", access.Members), Queries: []retrieve.Query{{Text: "replication"}}},
	} {
		if r := search(t, newHybrid(t, library(t), nil, nil), s); r.Evidence || len(r.Hits) != 0 {
			t.Errorf("%s: hits %v, evidence %v", name, documents(r), r.Evidence)
		}
	}
	if r := search(t, newHybrid(t, library(t), nil, nil), ask("replication of sourdough starters")); r.Evidence || len(r.Hits) == 0 {
		t.Errorf("one word of three matches: hits %v, evidence %v; want the closest and no evidence", documents(r), r.Evidence)
	}
}

func TestHybridNamesCloseDocuments(t *testing.T) {
	t.Parallel()
	m := retrievetest.NewMemory()
	if err := m.Put(t.Context(), access.DefaultTenant,
		retrievetest.One("migration", "Database migration", "the schema of the office registry moves to another server"),
		retrievetest.One("bikes", "Bikes", "bikes can be left in the yard", "a place for a bike costs nothing"),
		retrievetest.One("a", "Permits", "a permit is printed"), retrievetest.One("b", "Badges", "a permit and a badge"),
		retrievetest.One("c", "Visitors", "a visitor shows a permit"), retrievetest.One("d", "Trucks", "trucks carry a permit"),
	); err != nil {
		t.Fatal(err)
	}
	h := newHybrid(t, m, nil, nil)
	for _, c := range []struct {
		question string
		want     []document.ID
		evidence bool
	}{
		{"where can visitors rent parking lots near the office?", nil, false},
		{"does a bike explode?", []document.ID{"bikes"}, false},
		{"does a permit expire?", []document.ID{"a", "b", "c"}, false},
		{"permit", []document.ID{"a", "b", "c"}, true},
	} {
		r := search(t, h, ask(c.question))
		var got []document.ID
		for _, d := range r.Closest {
			got = append(got, d.ID)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || r.Evidence != c.evidence {
			t.Errorf("%s: evidence %v, hits %v, closest (-want +got):\n%s", c.question, r.Evidence, documents(r), diff)
		}
	}
}

func TestOverlappingChunksAreJoinedOnce(t *testing.T) {
	t.Parallel()
	m := retrievetest.NewMemory()
	d := retrievetest.One("d", "", "alpha bravo charlie", "charlie delta écho", "| head |\n| row |")
	d.Chunks[1].Start, d.Chunks[1].End = 12, 30
	d.Chunks[2].Start, d.Chunks[2].End = 26, 40 // its header is repeated, so that text and range do not agree
	if err := m.Put(t.Context(), access.DefaultTenant, d); err != nil {
		t.Fatal(err)
	}
	r := search(t, newHybrid(t, m, nil, nil), ask("delta"))
	if want := "alpha bravo charlie delta écho\n\n| head |\n| row |"; len(r.Hits) != 1 || r.Hits[0].Text != want || r.Hits[0].Start != 0 || r.Hits[0].End != 40 {
		t.Errorf("hits %+v, want one with %q", r.Hits, want)
	}
}
