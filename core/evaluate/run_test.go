package evaluate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/retrievetest"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// words counts tokens as words.
type words struct{}

func (words) Count(text string) int { return len(strings.Fields(text)) }

// indexed cuts a collection into chunks of 32 words and puts them into an index in memory.
func indexed(t *testing.T, c *evaluate.Collection) *retrievetest.Memory {
	t.Helper()
	chunker, err := index.NewChunker(words{}, index.ChunkSize{Max: 32, Overlap: -1})
	if err != nil {
		t.Fatal(err)
	}
	memory := retrievetest.NewMemory()
	for batch, err := range c.Connector().Sync(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range batch.Documents {
			d, err := item.Load(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			d.ID = item.ID
			chunks, err := chunker.Chunks(t.Context(), &d)
			if err != nil {
				t.Fatal(err)
			}
			if err := memory.Put(t.Context(), access.DefaultTenant, retrievetest.Document{Document: d, Chunks: chunks}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return memory
}

// Fifty documents of thirty chunks each fill the candidates many times over, and all of them are in
// the ranking nevertheless.
func TestLongDocumentsAreRankedToTheFullDepth(t *testing.T) {
	t.Parallel()
	c := &evaluate.Collection{Queries: []evaluate.Text{{ID: "q", Text: "lighthouse"}}, Judgements: map[string]map[string]int{"q": {}}}
	for i := range 50 {
		id := fmt.Sprintf("d%d", i)
		c.Documents = append(c.Documents, evaluate.Text{ID: id, Title: id, Text: strings.Repeat(strings.Repeat("lighthouse keeper ", i+1)+"\n\n", 30)})
		c.Judgements["q"][id] = 1
	}
	memory := indexed(t, c)
	cfg := retrieve.DefaultConfig()
	cfg.PerSide = 200
	calls := 0
	got, err := evaluate.Runner{Index: memory, Config: cfg, Tenant: access.DefaultTenant}.Run(t.Context(), c, evaluate.Keyword, func(int) { calls++ })
	if err != nil {
		t.Fatal(err)
	}
	if got.Recall100 != 1 || got.Queries != 1 || calls != 1 {
		t.Errorf("result = %+v after %d calls", got, calls)
	}
}

// Where the queries are documents, a query does not find itself, as BEIR has it: its own document
// is no hit, whatever became of its text.
func TestQueryDoesNotFindItself(t *testing.T) {
	t.Parallel()
	c := &evaluate.Collection{
		Documents: []evaluate.Text{{ID: "a", Text: "the lighthouse keeper lights the lamp at dusk"}, {ID: "b", Text: "a keeper of another lighthouse"},
			{ID: "c", Text: "tide tables of the harbour"}},
		Queries: []evaluate.Text{{ID: "a", Text: "lighthouse keeper lights lamp"}, {ID: "c", Text: "tide tables"}},
	}
	for name, tt := range map[string]struct {
		judgements map[string]map[string]int
		want       float64 // MRR@10
	}{
		"not judged":             {map[string]map[string]int{"a": {"b": 1}}, 1},
		"judged to be no answer": {map[string]map[string]int{"a": {"a": 0, "b": 1}}, 1},
		"judged to be one":       {map[string]map[string]int{"c": {"c": 1}}, 1},
	} {
		c.Judgements = tt.judgements
		r := evaluate.Runner{Index: indexed(t, c), Config: retrieve.DefaultConfig(), Tenant: access.DefaultTenant}
		got, err := r.Run(t.Context(), c, evaluate.Keyword, func(int) {})
		if err != nil {
			t.Fatal(err)
		}
		if got.MRR10 != tt.want {
			t.Errorf("%s: MRR@10 %v, want %v", name, got.MRR10, tt.want)
		}
	}
}

// A run names every query's documents in order, under their own ids, with scores that fall.
func TestTRECRun(t *testing.T) {
	t.Parallel()
	c := &evaluate.Collection{
		Documents:  []evaluate.Text{{ID: "a 1", Text: "the lighthouse keeper"}, {ID: "b", Text: "lighthouse"}, {ID: "c", Text: "tide"}},
		Queries:    []evaluate.Text{{ID: "q2", Text: "lighthouse keeper"}, {ID: "q1", Text: "tide"}, {ID: "q3", Text: "nothing"}},
		Judgements: map[string]map[string]int{"q2": {"a 1": 1}, "q1": {"c": 1}, "q3": {"c": 1}},
	}
	r, err := evaluate.Runner{Index: indexed(t, c), Config: retrieve.DefaultConfig(), Tenant: access.DefaultTenant}.Run(t.Context(), c, evaluate.Keyword, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	var run bytes.Buffer
	if err := c.WriteRun(&run, r); err != nil {
		t.Fatal(err)
	}
	want := "q2\tQ0\ta 1\t1\t100\tfootnote-keyword\nq2\tQ0\tb\t2\t99\tfootnote-keyword\nq1\tQ0\tc\t1\t100\tfootnote-keyword\n"
	if diff := cmp.Diff(want, run.String()); diff != "" {
		t.Errorf("run (-want +got):\n%s", diff)
	}
}

func TestUnavailableModes(t *testing.T) {
	t.Parallel()
	c := &evaluate.Collection{Documents: []evaluate.Text{{ID: "d", Text: "x"}}, Queries: []evaluate.Text{{ID: "q", Text: "x"}}}
	r := evaluate.Runner{Index: indexed(t, c), Config: retrieve.DefaultConfig(), Tenant: access.DefaultTenant}
	if _, err := r.Run(t.Context(), c, evaluate.Semantic, func(int) {}); !errors.Is(err, evaluate.ErrNoEmbedder) {
		t.Errorf("semantic without an embedder: %v", err)
	}
	if _, err := r.Run(t.Context(), c, "other", func(int) {}); err == nil {
		t.Error("an unknown mode ran")
	}
	r.Embedder = silent{}
	if _, err := r.Run(t.Context(), c, evaluate.Hybrid, func(int) {}); err == nil || !strings.Contains(err.Error(), "did not answer") {
		t.Errorf("with an embedder that fails: %v", err)
	}
}

// silent is an embedder that never answers.
type silent struct{}

func (silent) Embed(context.Context, retrieve.Purpose, []string) ([][]float32, error) {
	return nil, errors.New("no answer")
}
func (silent) Model() string   { return "silent" }
func (silent) Dimensions() int { return 2 }

// A document without a text has its title for it, and the pipeline keeps both kinds.
func TestConnector(t *testing.T) {
	t.Parallel()
	c := &evaluate.Collection{Documents: []evaluate.Text{{ID: "a", Title: "Only a title"}, {ID: "b", Text: "One.\n\nTwo."}}}
	chunker, err := index.NewChunker(words{}, index.ChunkSize{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := index.New(new(indextest.Store), chunker, nil, index.Config{}).Run(t.Context(), access.DefaultTenant, c.Connector(), nil)
	if err != nil || run.Counts.Indexed != 2 || run.Counts.Chunks != 2 {
		t.Errorf("run = %+v, %v", run.Counts, err)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	for _, err := range c.Connector().Sync(ended, nil) {
		if err == nil || !strings.Contains(err.Error(), "enough") {
			t.Errorf("a cancelled run gives %v", err)
		}
	}
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	if got := evaluate.Percentile(nil, 95); got != 0 {
		t.Errorf("of nothing: %v", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 300).Draw(t, "n")
		p := rapid.IntRange(0, 100).Draw(t, "p")
		sample := make([]time.Duration, n)
		for i := range sample {
			sample[i] = time.Duration(i + 1)
		}
		got := int(evaluate.Percentile(sample, p))
		if got*100 < p*n || got > 1 && (got-1)*100 >= p*n {
			t.Fatalf("percentile %d of 1…%d is %d", p, n, got)
		}
	})
}

func TestReports(t *testing.T) {
	t.Parallel()
	result := func(mode evaluate.Mode, ndcg, p50 float64) evaluate.Result {
		return evaluate.Result{Mode: mode, Metrics: evaluate.Metrics{NDCG10: ndcg}, Latency: []evaluate.Latency{{Stage: "total", P50: p50}}}
	}
	before := evaluate.Report{Fingerprint: "f", Results: []evaluate.Result{result(evaluate.Keyword, 0.5, 3), result(evaluate.Semantic, 0.2, 9)}}
	now := evaluate.Report{Fingerprint: "f", Results: []evaluate.Result{result(evaluate.Hybrid, 0.75, 5), result(evaluate.Keyword, 0.625, 2)}}
	var file bytes.Buffer
	if err := before.Write(&file); err != nil {
		t.Fatal(err)
	}
	read, err := evaluate.ReadReport(&file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, read); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
	differences, err := now.Compare(read)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]evaluate.Difference{{Mode: evaluate.Keyword, NDCG10: 0.125, P50: -1}}, differences); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
	want := []evaluate.Result{now.Results[1], before.Results[1], now.Results[0]}
	if diff := cmp.Diff(want, now.With(before).Results); diff != "" {
		t.Errorf("with the earlier results (-want +got):\n%s", diff)
	}
	before.Fingerprint = "g"
	if _, err := now.Compare(before); err == nil {
		t.Error("reports on different collections were compared")
	}
	for _, text := range []string{"", "{}", "[1]"} {
		if _, err := evaluate.ReadReport(strings.NewReader(text)); err == nil {
			t.Errorf("%q was read as a report", text)
		}
	}
}
