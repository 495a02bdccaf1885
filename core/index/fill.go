package index

import (
	"context"
	"fmt"
	"iter"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
)

// ChunkText is the search text of a stored chunk.
type ChunkText struct {
	Chunk document.ChunkID
	Text  string
}

// VectorStore embeds anew what is already in the index. Implementations are safe for concurrent use.
type VectorStore interface {
	// SearchTexts yields the chunks that have no vector of the model, all of them for an empty model, in batches. An error comes once, last.
	SearchTexts(ctx context.Context, tenant access.TenantID, model string) iter.Seq2[[]ChunkText, error]
	// PutVectors stores vectors of chunks that still exist; the others, and those that have a vector of the model already, are left out.
	// The slices run parallel.
	PutVectors(ctx context.Context, tenant access.TenantID, model string, chunks []document.ChunkID, vectors [][]float32) error
}

// Fill gives every chunk a vector of the model that lacks one: after the embedding model was changed, or trained anew. It can be
// interrupted at any point and goes on where it was. Searches keep using the model they use meanwhile. done is told how many chunks
// have been embedded so far. After config.Until it returns ErrPaused, having embedded one batch at least.
func Fill(ctx context.Context, store VectorStore, tenant access.TenantID, model retrieve.Embedder, config Config, done func(chunks int)) error {
	config, ctx = config.withDefaults(), access.WithTenant(ctx, tenant)
	e := newEmbedder(model, config)
	count := 0
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
		count += len(batch)
		done(count)
		if !config.Until.IsZero() && config.Now().After(config.Until) {
			return ErrPaused
		}
	}
	return nil
}
