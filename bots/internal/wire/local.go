package wire

import (
	"context"
	"fmt"
	"iter"

	"github.com/footnotehq/footnote/adapters/localembed"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
)

// modelStore keeps local models in PostgreSQL.
type modelStore struct{ index *postgres.Index }

var _ localembed.Store = modelStore{}

// Load implements localembed.Store.
func (s modelStore) Load(ctx context.Context, tenant access.TenantID) (localembed.Stored, error) {
	m, found, err := s.index.LocalModel(ctx, tenant)
	if err == nil && !found {
		err = localembed.ErrNoModel
	}
	return localembed.Stored{Version: m.Version, Data: m.Data, Chunks: m.Chunks}, err
}

// Save implements localembed.Store. The vectors of models that are forgotten by this go too.
func (s modelStore) Save(ctx context.Context, tenant access.TenantID, m localembed.Stored) error {
	forgotten, err := s.index.SaveLocalModel(ctx, tenant, postgres.LocalModel{Version: m.Version, Data: m.Data, Chunks: m.Chunks})
	if err != nil {
		return err
	}
	for _, version := range forgotten {
		if err := s.index.DropModel(ctx, tenant, localembed.Name(version)); err != nil {
			return err
		}
	}
	return nil
}

// Settle finishes what indexing leaves behind: the local embedder is trained when the corpus has outgrown it, chunks without a vector get
// one, postings are packed and vectors indexed. It can be interrupted and goes on where it was. report is told each step.
func (b *Base) Settle(ctx context.Context, report func(step string)) error {
	embedder, trained, err := b.settledEmbedder(ctx, report)
	if err != nil {
		return err
	}
	if embedder != nil {
		err := index.Fill(ctx, b.Index, b.Tenant, embedder, index.Config{}, func(chunks int) {
			report(fmt.Sprintf("Embedding: %d chunks", chunks))
		})
		if err != nil {
			return err
		}
	}
	if trained != nil { // only now: until every chunk has its vector, searches use the model before
		if err := localembed.Save(ctx, modelStore{b.Index}, b.Tenant, trained); err != nil {
			return err
		}
	}
	report("Packing the index")
	return b.Index.Maintain(ctx, b.Tenant)
}

// settledEmbedder returns the embedder that every chunk should have a vector of, and the local model if it was trained just now.
func (b *Base) settledEmbedder(ctx context.Context, report func(string)) (retrieve.Embedder, *localembed.Model, error) {
	embedder, err := b.Embedder(ctx)
	if err != nil || b.Config.EmbeddingModel != "" {
		return embedder, nil, err
	}
	chunks, err := b.Index.Size(ctx, b.Tenant)
	if err != nil || chunks < localembed.MinChunks {
		return nil, nil, err
	}
	if model, ok := embedder.(*localembed.Model); ok && !model.Outgrown(chunks) {
		return model, nil, nil
	}
	report(fmt.Sprintf("Training the local embedder on %d chunks", chunks))
	model, err := localembed.Train(ctx, b.texts(ctx))
	if err != nil {
		return nil, nil, fmt.Errorf("train the local embedder: %w", err)
	}
	return model, model, nil
}

// texts yields the search text of every chunk.
func (b *Base) texts(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for batch, err := range b.Index.SearchTexts(ctx, b.Tenant, "") {
			if err != nil {
				yield("", err)
				return
			}
			for _, c := range batch {
				if !yield(c.Text, nil) {
					return
				}
			}
		}
	}
}
