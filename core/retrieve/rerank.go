package retrieve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/span"
)

// Reranker scores passages by reading each together with the question, for example with a
// cross-encoder. Implementations are safe for concurrent use.
type Reranker interface {
	// Rerank returns the scores by position in texts. A higher score is better. The scale depends
	// on the model. Texts that the model skipped have no score.
	Rerank(ctx context.Context, question string, texts []string) (map[int]float64, error)
	// Model returns the name of the model, for explanations.
	Model() string
}

const (
	// RerankDepth is the number of best candidates that the reranker scores.
	RerankDepth = 100
	// DefaultRerankWait is the default time limit of a reranker. It is short because a person waits
	// for the first words of the answer.
	DefaultRerankWait = 300 * time.Millisecond
)

// WithReranker returns a copy of h that uses a reranker. wait limits each call, and 0 means
// DefaultRerankWait. If the reranker is late or fails, the order stays unchanged and the trace says
// so. If r is nil, the copy uses no reranker.
func (h *Hybrid) WithReranker(r Reranker, wait time.Duration) *Hybrid {
	with := *h
	with.reranker, with.wait = r, cmp.Or(max(wait, 0), DefaultRerankWait)
	return &with
}

func (h *Hybrid) fetchedChunks(ranked []Ranked, chosen selection) []document.ChunkID {
	if h.reranker == nil {
		return chosen.order
	}
	ids := slices.Clone(chosen.order)
	for i := range ranked[:min(len(ranked), RerankDepth)] {
		ids = append(ids, ranked[i].Chunk)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// rerank scores the best candidates with the reranker. It then selects chunks again and fetches
// missing ones. passages are the chunks fetched so far, ordered by id.
func (h *Hybrid) rerank(ctx context.Context, s Search, question string, ranked []Ranked, chosen selection, passages []Passage, trace *Trace) (selection, []Passage, error) {
	if h.reranker == nil || len(passages) == 0 {
		return chosen, passages, nil
	}
	order, judged := h.applyReranker(ctx, question, ranked, passages, trace)
	if ctx.Err() != nil {
		return chosen, nil, context.Cause(ctx)
	}
	if judged {
		chosen = h.selectChunks(s, order)
	}
	passages, err := h.fetchMissing(ctx, s, chosen.order, passages)
	return chosen, passages, err
}

// fetchMissing returns the passages of exactly the given ids, ordered by id. It fetches only those
// that are not in passages.
func (h *Hybrid) fetchMissing(ctx context.Context, s Search, ids []document.ChunkID, passages []Passage) ([]Passage, error) {
	wanted := make(map[document.ChunkID]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	passages = slices.DeleteFunc(passages, func(p Passage) bool { return !wanted[p.ID] })
	for _, p := range passages {
		delete(wanted, p.ID)
	}
	if len(wanted) == 0 {
		return passages, nil
	}
	beside, err := h.index.Chunks(ctx, s.Audience, slices.Sorted(maps.Keys(wanted)))
	if err != nil {
		return nil, fmt.Errorf("fetch further passages: %w", err)
	}
	passages = append(passages, beside...)
	slices.SortFunc(passages, func(a, b Passage) int { return cmp.Compare(a.ID, b.ID) })
	return passages, nil
}

// applyReranker returns the candidates in the order of the reranker. Candidates without a score
// come last, in their previous order. It returns false if the reranker failed.
func (h *Hybrid) applyReranker(ctx context.Context, question string, ranked []Ranked, passages []Passage, trace *Trace) ([]Ranked, bool) {
	began := time.Now()
	byID := make(map[document.ChunkID]int, len(passages))
	for i, p := range passages {
		byID[p.ID] = i
	}
	var texts []string
	var at []int // in ranked
	for i := range ranked[:min(len(ranked), RerankDepth)] {
		if p, there := byID[ranked[i].Chunk]; there {
			texts, at = append(texts, passages[p].rerankText()), append(at, i)
		}
	}
	trace.Reranker = h.reranker.Model()
	asking, rerankSpan := span.Begin(ctx, "rerank", slog.String("model", trace.Reranker), slog.Int("texts", len(texts)))
	asking, cancel := context.WithTimeout(asking, h.wait)
	defer cancel()
	scores, err := h.reranker.Rerank(asking, question, texts)
	if err == nil {
		err = checkScores(scores, len(texts))
	}
	rerankSpan.End(err)
	trace.Timings["rerank"] = time.Since(began)
	switch {
	case err == nil:
	case errors.Is(err, llm.ErrBudget):
		trace.AddNotice("The budget for models is used up, so the passages were not reranked.")
		return nil, false
	case asking.Err() != nil:
		trace.AddNotice(fmt.Sprintf("The reranker took longer than %d ms, so the passages stand in the order of the search.", h.wait.Milliseconds()))
		return nil, false
	default:
		trace.AddNotice("The reranker did not answer as it should, so the passages stand in the order of the search.")
		return nil, false
	}
	order := slices.Clone(ranked)
	for i, score := range scores {
		order[at[i]].Scores.Rerank, order[at[i]].Scores.RerankPos = score, 1 // the rank is set below
	}
	// ties and unscored passages keep their order
	slices.SortStableFunc(order, func(a, b Ranked) int {
		switch {
		case a.Scores.RerankPos > 0 && b.Scores.RerankPos > 0:
			return cmp.Compare(b.Scores.Rerank, a.Scores.Rerank)
		case a.Scores.RerankPos > 0:
			return -1
		case b.Scores.RerankPos > 0:
			return 1
		}
		return 0
	})
	for i := range len(scores) {
		order[i].Scores.RerankPos = i + 1
	}
	return order, true
}

var errScores = errors.New("the reranker returned scores for unknown texts, or scores that are not numbers")

func checkScores(scores map[int]float64, texts int) error {
	if len(scores) == 0 && texts > 0 {
		return errors.New("the reranker scored no text")
	}
	for i, score := range scores {
		if i < 0 || i >= texts || math.IsNaN(score) || math.IsInf(score, 0) {
			return errScores
		}
	}
	return nil
}

func (p Passage) rerankText() string {
	var b strings.Builder
	b.WriteString(p.Document.Title)
	for _, h := range p.Chunk.Heading {
		if h != p.Document.Title {
			b.WriteString(" › " + h)
		}
	}
	b.WriteString("\n" + p.Chunk.Shown())
	return b.String()
}

// AddNotice appends a sentence to Notice. The sentence says which part of the search could not run.
func (t *Trace) AddNotice(sentence string) {
	t.Notice = strings.TrimSpace(t.Notice + " " + sentence)
}

func (t *Trace) addAnswerNotice(sentence string) {
	t.Notices = append(t.Notices, sentence)
	t.AddNotice(sentence)
}

func (t *Trace) noteKeywordsOnly(why string) {
	t.addAnswerNotice(why + ", so the search went by keywords alone.")
}

func (t *Trace) noteUnchecked(documents int) {
	switch {
	case documents == 1:
		t.addAnswerNotice("One document is left out: its source could not be asked whether you may still read it.")
	case documents > 1:
		t.addAnswerNotice(fmt.Sprintf("%s %s left out: their sources could not be asked whether you may still read them.", plural.Count(documents, "document"), plural.Are(documents)))
	}
}
