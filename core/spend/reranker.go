package spend

import (
	"context"
	"sync"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
)

// CountedReranker is a retrieve.Reranker that also returns the number of tokens that the provider
// billed.
type CountedReranker interface {
	// RerankCounted is like Rerank and also returns a token count. The count is 0 if the provider
	// does not report it.
	RerankCounted(ctx context.Context, question string, texts []string) (scores map[int]float64, tokens int, err error)
}

type reranker struct {
	retrieve.Reranker
	meter *Meter
	count Counting
}

var _ retrieve.Reranker = (*reranker)(nil)

// Reranker returns a wrapper of inner that enforces the caps and books each call. All tokens cost
// as much as the model's input tokens.
func (m *Meter) Reranker(inner retrieve.Reranker) retrieve.Reranker {
	return &reranker{Reranker: inner, meter: m, count: m.config.Counting(inner.Model())}
}

// Rerank implements retrieve.Reranker. A reranking model reads the question together with each
// text.
func (r *reranker) Rerank(ctx context.Context, question string, texts []string) (map[int]float64, error) {
	input := sync.OnceValue(func() int {
		n := len(texts) * r.count.Count(question)
		for _, text := range texts {
			n += r.count.Count(text)
		}
		return n
	})
	most := llm.Usage{}
	if r.meter.config.Caps.Any() {
		most.Input = perTextTokens * len(texts)
		if r.count.Exact {
			most.Input += input() + input()/20
		} else {
			most.Input += len(texts) * len(question)
			for _, text := range texts {
				most.Input += len(text)
			}
		}
	}
	c, err := r.meter.begin(ctx, r.Model(), Reranking, most, input)
	if err != nil {
		return nil, err
	}
	defer c.finish(ctx)
	counted, ok := r.Reranker.(CountedReranker)
	if !ok {
		scores, err := r.Reranker.Rerank(ctx, question, texts)
		c.noteFailure(err)
		return scores, err
	}
	scores, tokens, err := counted.RerankCounted(ctx, question, texts)
	c.noteFailure(err)
	if tokens > 0 {
		c.reported = &llm.Usage{Input: tokens}
	}
	return scores, err
}
