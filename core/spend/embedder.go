package spend

import (
	"context"
	"sync"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
)

// Counted is a retrieve.Embedder that also returns the number of tokens that the provider billed.
type Counted interface {
	// EmbedCounted is like Embed and also returns a token count. The count includes all batches
	// that succeeded, even if another batch failed. It is 0 if the provider does not report a
	// count.
	EmbedCounted(ctx context.Context, purpose retrieve.Purpose, texts []string) (vectors [][]float32, tokens int, err error)
}

type embedder struct {
	retrieve.Embedder
	meter *Meter
	name  string // name of the model in Prices
	count Counting
}

var _ retrieve.Embedder = (*embedder)(nil)

// Embedder wraps inner, which calls the named model. The result enforces the caps and books each
// call.
func (m *Meter) Embedder(inner retrieve.Embedder, name string) retrieve.Embedder {
	return &embedder{Embedder: inner, meter: m, name: name, count: m.config.Counting(name)}
}

// perTextTokens is the maximum number of tokens that a provider adds to each text, such as a prefix
// for questions.
const perTextTokens = 64

// Embed implements retrieve.Embedder.
func (e *embedder) Embed(ctx context.Context, purpose retrieve.Purpose, texts []string) ([][]float32, error) {
	input := sync.OnceValue(func() int {
		n := 0
		for _, text := range texts {
			n += e.count.Count(text)
		}
		return n
	})
	most := llm.Usage{}
	if e.meter.config.Caps.Any() {
		most.Input = perTextTokens * len(texts)
		for _, text := range texts {
			if !e.count.Exact {
				most.Input += len(text)
			}
		}
		if e.count.Exact {
			most.Input += input() + input()/20
		}
	}
	c, err := e.meter.begin(ctx, e.name, Embedding, most, input)
	if err != nil {
		return nil, err
	}
	defer c.finish(ctx)
	counted, ok := e.Embedder.(Counted)
	if !ok {
		vectors, err := e.Embedder.Embed(ctx, purpose, texts)
		c.noteFailure(err)
		return vectors, err
	}
	vectors, tokens, err := counted.EmbedCounted(ctx, purpose, texts)
	c.noteFailure(err)
	if tokens > 0 {
		c.reported = &llm.Usage{Input: tokens}
	}
	return vectors, err
}
