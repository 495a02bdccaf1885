package wire

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/footnotehq/footnote/adapters/localembed"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
)

// modelStore keeps local models in PostgreSQL: those in use, or the one that waits for its vectors.
type modelStore struct {
	index   *postgres.Index
	waiting bool
}

var _ localembed.Store = modelStore{}

// Load implements localembed.Store.
func (s modelStore) Load(ctx context.Context, tenant access.TenantID) (localembed.Stored, error) {
	load := s.index.LocalModel
	if s.waiting {
		load = s.index.WaitingLocalModel
	}
	m, found, err := load(ctx, tenant)
	if err == nil && !found {
		err = localembed.ErrNoModel
	}
	return localembed.Stored{Version: m.Version, Data: m.Data, Chunks: m.Chunks}, err
}

// Save implements localembed.Store: the model waits until it is taken into use.
func (s modelStore) Save(ctx context.Context, tenant access.TenantID, m localembed.Stored) error {
	forgotten, err := s.index.SaveLocalModel(ctx, tenant, postgres.LocalModel{Version: m.Version, Data: m.Data, Chunks: m.Chunks})
	if err != nil {
		return err
	}
	return s.drop(ctx, tenant, forgotten)
}

// use takes a model into use.
func (s modelStore) use(ctx context.Context, tenant access.TenantID, version string) error {
	forgotten, err := s.index.UseLocalModel(ctx, tenant, version)
	if err != nil {
		return err
	}
	return s.drop(ctx, tenant, forgotten)
}

// drop removes the vectors of models that are forgotten.
func (s modelStore) drop(ctx context.Context, tenant access.TenantID, versions []string) error {
	for _, version := range versions {
		if err := s.index.DropModel(ctx, tenant, localembed.Name(version)); err != nil {
			return err
		}
	}
	return nil
}

// Settle finishes what indexing leaves behind: the local embedder is trained when the corpus has outgrown it, chunks without a vector get
// one, and postings are packed. These are the steps that serve runs in the background, done at once. It can be interrupted and
// goes on where it was. report is told each step.
func (b *Base) Settle(ctx context.Context, report func(step string)) error {
	if err := b.train(ctx, report); err != nil {
		return err
	}
	if err := b.fill(ctx, time.Time{}, report); err != nil {
		return err
	}
	report("Packing the index")
	_, err := b.Index.Tidy(ctx, b.Tenant, time.Time{})
	return err
}

// train learns the local vector space anew if it is in use and the corpus has outgrown it. The new one waits until fill has given every chunk its vector; until then searches use the one before.
func (b *Base) train(ctx context.Context, report func(string)) error {
	if b.Config.EmbeddingModel != "" {
		return nil
	}
	chunks, err := b.Index.Size(ctx, b.Tenant)
	if err != nil || chunks < localembed.MinChunks {
		return err
	}
	for _, waiting := range []bool{true, false} {
		model, err := localembed.Load(ctx, modelStore{b.Index, waiting}, b.Tenant)
		switch {
		case err == nil && !model.Outgrown(chunks):
			return nil
		case err != nil && !errors.Is(err, localembed.ErrNoModel):
			return fmt.Errorf("load the local embedder: %w", err)
		}
	}
	report(fmt.Sprintf("Training the local embedder on %d chunks", chunks))
	model, err := localembed.Train(ctx, b.texts(ctx))
	if errors.Is(err, localembed.ErrTooFew) { // many chunks, but hardly two words that some share and others lack
		return nil
	}
	if err != nil {
		return fmt.Errorf("train the local embedder: %w", err)
	}
	return localembed.Save(ctx, modelStore{b.Index, true}, b.Tenant, model)
}

// fill gives a vector to every chunk that lacks one. It returns index.ErrPaused when it goes on after until; a zero until is never reached.
func (b *Base) fill(ctx context.Context, until time.Time, report func(string)) error {
	embedder, waiting, err := b.fillingEmbedder(ctx)
	if err != nil || embedder == nil {
		return err
	}
	err = index.Fill(ctx, b.Index, b.Tenant, embedder, index.Config{Until: until}, func(chunks int) {
		report(fmt.Sprintf("Embedding: %d chunks", chunks))
	})
	if err != nil || waiting == nil {
		return err
	}
	return modelStore{index: b.Index}.use(ctx, b.Tenant, waiting.Version())
}

// fillingEmbedder is the embedder that every chunk should have a vector of, and the local model if it waits for that. The embedder is nil
// where there is none.
func (b *Base) fillingEmbedder(ctx context.Context) (retrieve.Embedder, *localembed.Model, error) {
	if b.Config.EmbeddingModel == "" {
		model, err := localembed.Load(ctx, modelStore{b.Index, true}, b.Tenant)
		if err == nil {
			return model, model, nil
		}
		if !errors.Is(err, localembed.ErrNoModel) {
			return nil, nil, fmt.Errorf("load the local embedder that waits for its vectors: %w", err)
		}
	}
	embedder, err := b.Embedder(ctx)
	return embedder, nil, err
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
