package wire

import (
	"context"

	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/adapters/reranker"
	"github.com/footnotehq/footnote/adapters/staticembed"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
)

// Retriever returns the search over keywords and vectors, as the settings configure it.
func (b *Base) Retriever() (*retrieve.Hybrid, error) {
	embedder, err := b.Embedder()
	if err != nil {
		return nil, err
	}
	cfg := b.SearchConfig()
	sentences, err := b.sentences()
	if err != nil {
		return nil, err
	}
	if sentences != nil {
		cfg.Begin = sentences.Urgent
	}
	hybrid, err := retrieve.NewHybrid(b.checked(), embedder, cfg)
	if err != nil {
		return nil, err
	}
	if sentences != nil {
		hybrid = hybrid.WithPreferred(retrieve.Preferred{Embedder: sentences, Alpha: b.Config.SentenceAlpha, IsComplete: b.isComplete(sentences.Model())})
	}
	if b.Config.KnowledgeStep {
		hybrid = hybrid.WithNeighbours(b.Knowledge())
	}
	judge, err := b.Reranker()
	if judge == nil || err != nil {
		return hybrid, err
	}
	return hybrid.WithReranker(judge, b.Config.RerankWait), nil
}

// Knowledge returns the graph of statements extracted from documents. A reader sees only statements
// from documents that the reader may read.
func (b *Base) Knowledge() *pgknowledge.Graph { return pgknowledge.New(b.DB) }

// Reranker returns the model that scores the best passages of a search, or nil if none is
// configured.
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

// SearchConfig returns the settings of searches.
func (b *Base) SearchConfig() retrieve.Config {
	cfg := retrieve.DefaultConfig()
	cfg.Alpha, cfg.TitleRatio, cfg.MaxChunks = b.Config.HybridAlpha, b.Config.TitleRatio, b.Config.MaxChunks
	cfg.Above, cfg.Below = b.Config.ChunksAbove, b.Config.ChunksBelow
	cfg.TimeDecay, cfg.FavorRecent, cfg.RecencyFloor = b.Config.TimeDecay, b.Config.FavorRecent, b.Config.RecencyFloor
	cfg.Synonyms = func() *analyse.Synonyms { return b.File().Synonyms() }
	if b.Meter != nil {
		cfg.Observe = b.Meter.Searched
	}
	return cfg
}

// Embedder returns the configured embedding endpoint, or else the built-in embedder.
func (b *Base) Embedder() (retrieve.Embedder, error) {
	if b.Config.EmbeddingModel == "" {
		return staticembed.New()
	}
	e, err := b.endpointEmbedder()
	if err != nil {
		return nil, err
	}
	return b.paidEmbedder(e), nil
}

// SearchEmbedder returns the embedder that searches use now, and the weight of its vectors from 0
// to 1.
func (b *Base) SearchEmbedder(ctx context.Context) (retrieve.Embedder, float64, error) {
	m, err := b.sentences()
	if err != nil {
		return nil, 0, err
	}
	if m != nil {
		if complete, err := b.Index.IsComplete(ctx, b.Tenant, m.Model()); complete || err != nil {
			return m, b.Config.SentenceAlpha, err
		}
	}
	e, err := b.Embedder()
	return e, b.Config.HybridAlpha, err
}

// Sketch builds the compact vectors of every tenant in memory, so that the first searches need not
// do it. It only logs failures.
func (b *Base) Sketch(ctx context.Context) {
	if err := b.sketch(ctx); err != nil && ctx.Err() == nil {
		b.Logger.WarnContext(ctx, "vectors are sketched by the first searches, which take longer for that", "error", err)
	}
}

func (b *Base) sketch(ctx context.Context) error {
	tenants, err := b.Index.Tenants(ctx)
	if err != nil {
		return err
	}
	for _, tenant := range tenants {
		e, _, err := b.forTenant(tenant).SearchEmbedder(ctx)
		if err != nil {
			return err
		}
		if err := b.Index.Sketch(ctx, tenant, e.Model()); err != nil {
			return err
		}
	}
	return nil
}

// RenewVectors deletes vectors whose precision differs from INDEX_PRECISION. Searches use keywords
// until reindexing has computed them again.
func (b *Base) RenewVectors(ctx context.Context) error {
	e, err := b.Embedder()
	if err != nil {
		return err
	}
	models := []string{e.Model()}
	if m, err := b.sentences(); err != nil {
		return err
	} else if m != nil {
		models = append(models, m.Model())
	}
	for _, model := range models {
		kept, fresh, err := b.Index.Bits(ctx, b.Tenant, model)
		if err != nil {
			return err
		}
		if kept != 0 && kept != fresh {
			if err := b.Index.DropModel(ctx, b.Tenant, model); err != nil {
				return err
			}
		}
	}
	return nil
}
