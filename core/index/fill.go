package index

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/plural"
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
// changed, or for one whose vectors are made next to answering. It can be interrupted at any point
// and goes on where it was. Searches keep using the model they use meanwhile. Fill calls done after
// each call of the model with the number of chunks embedded so far, never twice at once. After
// config.Until it returns ErrPaused, having stored something at least.
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
		for len(batch) > 0 {
			ids, vectors, err := e.first(ctx, batch, config)
			if err != nil {
				return err
			}
			if err := store.PutVectors(ctx, tenant, model.Model(), ids, vectors); err != nil {
				return err
			}
			batch = batch[len(ids):]
			if !config.Until.IsZero() && config.Now().After(config.Until) {
				return ErrPaused
			}
		}
	}
	return nil
}

// first embeds the first chunks of a batch: all of them, or those of about config.StoreEvery.
func (e *embedder) first(ctx context.Context, batch []ChunkText, config Config) ([]document.ChunkID, [][]float32, error) {
	ids, vectors := make([]document.ChunkID, 0, len(batch)), make([][]float32, 0, len(batch))
	step := len(batch)
	if config.StoreEvery > 0 {
		step = 1
	}
	began := config.Now()
	for some := range slices.Chunk(batch, step) {
		texts := make([]string, len(some))
		for i, c := range some {
			texts[i] = c.Text
			ids = append(ids, c.Chunk)
		}
		made, err := e.vectors(ctx, texts)
		if err != nil {
			return nil, nil, err
		}
		if vectors = append(vectors, made...); config.Now().Sub(began) >= config.StoreEvery {
			break
		}
	}
	return ids, vectors, nil
}

// FillState is how far the vectors of a model are that are made next to answering.
type FillState struct {
	Chunks   int64   // in the index
	Missing  int64   // of them, those without a vector
	Rate     float64 // chunks a second while it was filled last; 0: not known
	Running  bool    // a process fills it now
	Complete bool    // searches use the model
}

// Searches begin to use a model when at most 1 chunk of lackFirst lacks a vector, since documents
// may change all the time. They stop when more than 1 of lackLater does: such chunks are found by
// words alone.
const (
	lackFirst = 100
	lackLater = 5
)

// IsComplete reports whether searches are to use the model. Scores of two models cannot be
// compared, so a search uses one.
func (s FillState) IsComplete() bool {
	most := s.Chunks / lackFirst
	if s.Complete {
		most = s.Chunks / lackLater
	}
	return s.Chunks > 0 && s.Missing <= most
}

// Left estimates how long the rest takes; 0 when unknown.
func (s FillState) Left() time.Duration {
	if s.Rate <= 0 {
		return 0
	}
	return time.Duration(float64(s.Missing) / s.Rate * float64(time.Second))
}

// String is the state in a line, such as "1200 of 5343 chunks (22 %), 14.0/s, 5m0s left".
func (s FillState) String() string {
	done := s.Chunks - s.Missing
	says := fmt.Sprintf("%d of %s", done, plural.Count(s.Chunks, "chunk"))
	if s.Missing == 0 {
		return says
	}
	says += fmt.Sprintf(" (%d %%)", 100*done/max(s.Chunks, 1))
	if s.Running && s.Rate > 0 {
		says += fmt.Sprintf(", %.1f/s, %s left", s.Rate, s.Left().Round(time.Second))
	}
	return says
}

// ErrClaimed says that another process fills the model.
var ErrClaimed = errors.New("another process embeds the chunks")

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
