package index

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
)

// ChunkText is the search text of a stored chunk.
type ChunkText struct {
	Chunk document.ChunkID
	Text  string
}

// VectorStore replaces the vectors of what is already in the index. Implementations are safe for
// concurrent use.
type VectorStore interface {
	// SearchTexts yields the chunks that have no vector of the model, all of them for an empty
	// model, in batches. An error comes once, last.
	SearchTexts(ctx context.Context, tenant access.TenantID, model string) iter.Seq2[[]ChunkText, error]
	// PutVectors stores vectors of chunks that still exist; the others, and those that have a
	// vector of the model already, are left out. The slices run parallel.
	PutVectors(ctx context.Context, tenant access.TenantID, model string, chunks []document.ChunkID, vectors [][]float32) error
}

// Fill gives every chunk a vector of the model that lacks one: after the embedding model was
// changed or retrained. It can be interrupted at any point and goes on where it was. Searches keep
// using the model they use meanwhile. Fill calls done after each call of the model with the number
// of chunks embedded so far, never twice at once. After config.Until it returns ErrPaused, having
// embedded one batch at least.
func Fill(ctx context.Context, store VectorStore, tenant access.TenantID, model retrieve.Embedder, config Config, done func(chunks int)) error {
	config, ctx = config.withDefaults(), access.WithTenant(ctx, tenant)
	e := newEmbedder(model, config)
	var mu sync.Mutex
	count := 0
	e.embedded = func(n int) {
		mu.Lock()
		defer mu.Unlock()
		count += n
		done(count)
	}
	for batch, err := range store.SearchTexts(ctx, tenant, model.Model()) {
		if err != nil {
			return fmt.Errorf("read the chunks that have no vector: %w", err)
		}
		texts, ids := make([]string, len(batch)), make([]document.ChunkID, len(batch))
		for i, c := range batch {
			texts[i], ids[i] = c.Text, c.Chunk
		}
		vectors, err := e.vectors(ctx, texts)
		if err != nil {
			return err
		}
		if err := store.PutVectors(ctx, tenant, model.Model(), ids, vectors); err != nil {
			return err
		}
		if !config.Until.IsZero() && config.Now().After(config.Until) {
			return ErrPaused
		}
	}
	return nil
}

// Backlog is what Fill has to embed for a model.
type Backlog struct {
	Chunks int64 // without a vector of the model
	Tokens int64 // of their search texts; an estimate above backlogSample chunks
}

// backlogSample is how many chunks EstimateBacklog reads, so that it takes a second at most in a
// large index.
const backlogSample = 1024

// EstimateBacklog returns what Fill has to embed, given how many chunks have no vector of the
// model. It counts the tokens of the first of them and assumes that the others are as long.
func EstimateBacklog(ctx context.Context, store VectorStore, tenant access.TenantID, model string, chunks int64, counter Counter) (Backlog, error) {
	b := Backlog{Chunks: chunks}
	if chunks == 0 {
		return b, nil
	}
	var read, tokens int64
	for batch, err := range store.SearchTexts(ctx, tenant, model) {
		if err != nil {
			return Backlog{}, fmt.Errorf("read the chunks that have no vector: %w", err)
		}
		for _, c := range batch {
			tokens += int64(counter.Count(c.Text))
		}
		if read += int64(len(batch)); read >= backlogSample {
			break
		}
	}
	if read > 0 {
		b.Tokens = int64(float64(tokens) / float64(read) * float64(chunks))
	}
	return b, nil
}
