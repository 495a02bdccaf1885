package wire

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/adapters/localembed"
	"github.com/footnotehq/footnote/adapters/openai"
	"github.com/footnotehq/footnote/adapters/reranker"
	"github.com/footnotehq/footnote/core/retrieve"
)

// Retriever returns hybrid search over the index, with the settings of the environment.
func (b *Base) Retriever(ctx context.Context) (*retrieve.Hybrid, error) {
	embedder, err := b.Embedder(ctx)
	if err != nil {
		return nil, err
	}
	hybrid, err := retrieve.NewHybrid(b.Index, embedder, b.SearchConfig())
	if err != nil {
		return nil, err
	}
	judge, err := b.Reranker()
	if judge == nil || err != nil {
		return hybrid, err
	}
	return hybrid.WithReranker(judge, b.Config.RerankWait), nil
}

// Reranker judges the best passages of a search; nil where none is configured.
func (b *Base) Reranker() (retrieve.Reranker, error) {
	if b.Config.RerankURL == "" {
		return nil, nil
	}
	c, err := reranker.New(reranker.Config{URL: b.Config.RerankURL, Model: b.Config.RerankModel, Key: b.Config.RerankKey.Reveal(), HTTP: b.HTTP("reranker")})
	if err != nil || b.spending == nil {
		return c, err
	}
	return b.spending.meter.Reranker(c), nil
}

// SearchConfig returns the settings of a search.
func (b *Base) SearchConfig() retrieve.Config {
	cfg := retrieve.DefaultConfig()
	cfg.Alpha, cfg.TitleRatio, cfg.MaxChunks = b.Config.HybridAlpha, b.Config.TitleRatio, b.Config.MaxChunks
	cfg.Above, cfg.Below = b.Config.ChunksAbove, b.Config.ChunksBelow
	cfg.TimeDecay, cfg.FavorRecent, cfg.RecencyFloor = b.Config.TimeDecay, b.Config.FavorRecent, b.Config.RecencyFloor
	cfg.Synonyms = b.File().Synonyms()
	return cfg
}

// Embedder turns texts into vectors: the configured endpoint, else the local embedder once it has been trained. Nil means keywords
// only.
func (b *Base) Embedder(ctx context.Context) (retrieve.Embedder, error) {
	if b.Config.EmbeddingModel == "" {
		return b.localEmbedder(ctx)
	}
	endpoint := b.endpoint()
	if b.Config.EmbeddingBaseURL != "" {
		endpoint.BaseURL = b.Config.EmbeddingBaseURL
	}
	if b.Config.EmbeddingKey != "" {
		endpoint.APIKey = b.Config.EmbeddingKey.Reveal()
	}
	e, err := openai.NewEmbedder(openai.EmbedderConfig{Endpoint: endpoint, Model: b.Config.EmbeddingModel, Dimensions: b.Config.EmbeddingDimensions})
	if err != nil {
		return nil, err
	}
	return b.paidEmbedder(e), nil
}

// localEmbedder returns the trained local embedder, or nil before its first training and in a corpus that has become too small for it.
func (b *Base) localEmbedder(ctx context.Context) (retrieve.Embedder, error) {
	model, err := localembed.Load(ctx, modelStore{index: b.Index}, b.Tenant)
	if errors.Is(err, localembed.ErrNoModel) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("load the local embedder: %w", err)
	}
	chunks, err := b.Index.Size(ctx, b.Tenant)
	if err != nil || chunks < localembed.MinChunks {
		return nil, err
	}
	return model, nil
}

// RenewVectors drops the vectors of the configured embedding model where they have another precision than INDEX_PRECISION, so that whoever indexes
// everything anew makes all of them anew. Until they are there, searches go by keywords.
func (b *Base) RenewVectors(ctx context.Context) error {
	if b.Config.EmbeddingModel == "" {
		return nil // the local embedder's are made anew with each training
	}
	e, err := b.Embedder(ctx)
	if err != nil {
		return err
	}
	kept, fresh, err := b.Index.Bits(ctx, b.Tenant, e.Model())
	if err != nil || kept == 0 || kept == fresh {
		return err
	}
	return b.Index.DropModel(ctx, b.Tenant, e.Model())
}
