package index

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/sleep"
	"golang.org/x/sync/errgroup"
)

type embedder struct {
	model    retrieve.Embedder
	batch    int // texts per call
	parallel int // calls at once
	attempts int
	pause    time.Duration // before the second attempt; doubled before each further one
	// embedded is called after each successful call, possibly concurrently. It may be nil.
	embedded func(n int)
}

func newEmbedder(model retrieve.Embedder, config Config) *embedder {
	return &embedder{
		model: model, batch: config.EmbedBatch, parallel: config.EmbedParallel, attempts: config.EmbedAttempts, pause: config.EmbedPause,
	}
}

func (e *embedder) vectors(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(e.parallel)
	for start := 0; start < len(texts); start += e.batch {
		end := min(start+e.batch, len(texts))
		group.Go(func() error {
			got, err := e.call(ctx, texts[start:end])
			copy(vectors[start:end], got)
			if err == nil && e.embedded != nil {
				e.embedded(end - start)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("embed %d passages with %s: %w", len(texts), e.model.Model(), err)
	}
	return vectors, nil
}

func (e *embedder) call(ctx context.Context, texts []string) ([][]float32, error) {
	var vectors [][]float32
	err := sleep.Backoff{First: e.pause, Tries: e.attempts, Vary: func(wait time.Duration) time.Duration { return wait + rand.N(wait/2+1) }}.Retry(ctx,
		func() (err error) {
			vectors, err = e.model.Embed(ctx, retrieve.ForPassage, texts)
			return err
		}, llm.RetryAfter)
	if err != nil {
		return nil, err
	}
	return vectors, e.check(vectors, len(texts))
}

func (e *embedder) check(vectors [][]float32, want int) error {
	if len(vectors) != want {
		return fmt.Errorf("the model returned %d vectors for %d texts: %w", len(vectors), want, errVectors)
	}
	for _, v := range vectors {
		if len(v) != e.model.Dimensions() {
			return fmt.Errorf("the model returned a vector of %d dimensions instead of %d; set EMBEDDING_DIMENSIONS to what it returns, and index again: %w",
				len(v), e.model.Dimensions(), errVectors)
		}
	}
	return nil
}

var errVectors = errors.New("the embedding endpoint does not do what it is set up for")
