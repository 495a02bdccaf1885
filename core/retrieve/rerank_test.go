package retrieve_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/google/go-cmp/cmp"
)

// reranker gives a text the score of the first word of the table that it holds, and is told what it
// was asked.
type reranker struct {
	scores map[string]float64
	err    error
	answer func(ctx context.Context, texts []string) (map[int]float64, error) // instead, if set
	asked  string
	texts  []string
}

func (r *reranker) Model() string { return "judge" }

func (r *reranker) Rerank(ctx context.Context, question string, texts []string) (map[int]float64, error) {
	r.asked, r.texts = question, texts
	if r.answer != nil {
		return r.answer(ctx, texts)
	}
	scores := make(map[int]float64)
	for i, text := range texts {
		for word, score := range r.scores {
			if strings.Contains(text, word) {
				scores[i] = score
			}
		}
	}
	return scores, r.err
}

func reranked(t *testing.T, r *reranker, text string) retrieve.Result {
	t.Helper()
	return search(t, newHybrid(t, library(t), nil, nil).WithReranker(r, time.Hour), ask(text))
}

func TestRerankerDecidesTheOrder(t *testing.T) {
	t.Parallel()
	r := &reranker{scores: map[string]float64{"improved": 0.9, "standby": 0.1}}
	got := reranked(t, r, "streaming standby replication improved")
	if diff := cmp.Diff([]document.ID{"notes", "guide"}, documents(got)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	best := got.Hits[0]
	if !strings.Contains(best.Text, "improved") || !strings.Contains(best.Text, "other changes") { // with its neighbour, which was no candidate
		t.Errorf("the best is %q", best.Text)
	}
	if best.Scores.RerankPos != 1 || best.Scores.Rerank != 0.9 || got.Trace.Reranker != "judge" || got.Trace.Notice != "" || got.Trace.Timings["rerank"] <= 0 {
		t.Errorf("scores %+v, trace %+v", best.Scores, got.Trace)
	}
	if r.asked != "streaming standby replication improved" || !strings.HasPrefix(r.texts[0], "Replication guide\n") {
		t.Errorf("it was asked %q about %q", r.asked, r.texts)
	}
	for _, text := range r.texts {
		if strings.Contains(text, "password") {
			t.Error("the reranker was shown what the audience may not read")
		}
	}
}

// What a reranker says that makes no sense, or says too late, changes nothing but the trace.
func TestInvalidRerankerScoresAreIgnored(t *testing.T) {
	t.Parallel()
	plain := search(t, newHybrid(t, library(t), nil, nil), ask("streaming standby replication improved"))
	for name, tt := range map[string]struct {
		answer func(context.Context, []string) (map[int]float64, error)
		want   string
	}{
		"down":     {func(context.Context, []string) (map[int]float64, error) { return nil, errors.New("refused") }, "did not answer as it should"},
		"no score": {func(context.Context, []string) (map[int]float64, error) { return nil, nil }, "did not answer as it should"},
		"NaN":      {func(context.Context, []string) (map[int]float64, error) { return map[int]float64{0: math.NaN()}, nil }, "did not answer as it should"},
		"infinite": {func(context.Context, []string) (map[int]float64, error) { return map[int]float64{1: math.Inf(1)}, nil }, "did not answer as it should"},
		"of other text": {func(_ context.Context, texts []string) (map[int]float64, error) {
			return map[int]float64{len(texts): 1}, nil
		}, "did not answer as it should"},
		"no budget": {func(context.Context, []string) (map[int]float64, error) { return nil, llm.ErrBudget }, "budget"},
	} {
		got := reranked(t, &reranker{answer: tt.answer}, "streaming standby replication improved")
		if diff := cmp.Diff(documents(plain), documents(got)); diff != "" || !strings.Contains(got.Trace.Notice, tt.want) || got.Hits[0].Text != plain.Hits[0].Text {
			t.Errorf("%s: notice %q; documents (-want +got):\n%s", name, got.Trace.Notice, diff)
		}
	}
}

func TestLateRerankerIsSkipped(t *testing.T) {
	t.Parallel()
	late := &reranker{answer: func(ctx context.Context, _ []string) (map[int]float64, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	got := search(t, newHybrid(t, library(t), nil, nil).WithReranker(late, time.Millisecond), ask("streaming standby replication improved"))
	if len(got.Hits) == 0 || !strings.Contains(got.Trace.Notice, "longer than 1 ms") {
		t.Errorf("%d hits, notice %q", len(got.Hits), got.Trace.Notice)
	}
	stopped, stop := context.WithCancelCause(t.Context())
	ended := errors.New("stopped by a person")
	h := newHybrid(t, library(t), nil, nil).WithReranker(&reranker{answer: func(ctx context.Context, _ []string) (map[int]float64, error) {
		stop(ended)
		<-ctx.Done()
		return nil, ctx.Err()
	}}, time.Hour)
	if _, err := h.Search(stopped, ask("streaming standby replication")); !errors.Is(err, ended) {
		t.Errorf("the error of a search that was stopped is %v", err)
	}
}

// Those that it left out stand behind those that it judged, as they stood.
func TestUnscoredPassagesComeLast(t *testing.T) {
	t.Parallel()
	r := &reranker{scores: map[string]float64{"improved": -3}}
	got := reranked(t, r, "streaming standby replication improved")
	if diff := cmp.Diff([]document.ID{"notes", "guide"}, documents(got)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if got.Hits[1].Scores.RerankPos != 0 {
		t.Error("what was not judged has a score")
	}
}
