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

// ChunkText is the text of a stored chunk that is embedded and searched.
type ChunkText struct {
	Chunk document.ChunkID
	Text  string
}

// VectorStore stores embedding vectors of indexed chunks. Implementations must be safe for
// concurrent use.
type VectorStore interface {
	// SearchTexts yields the chunks that have no vector of the model, in batches. An empty model
	// means all chunks. It yields at most one error, as the last value.
	SearchTexts(ctx context.Context, tenant access.TenantID, model string) iter.Seq2[[]ChunkText, error]
	// PutVectors stores vectors. It skips chunks that no longer exist or already have a vector of
	// the model. vectors[i] belongs to chunks[i].
	PutVectors(ctx context.Context, tenant access.TenantID, model string, chunks []document.ChunkID, vectors [][]float32) error
}

// Fill embeds all chunks that have no vector of the model, for example after a change of the
// embedding model. It calls done after each call of the model, never concurrently, with the number
// of chunks embedded so far. After config.Until it returns [ErrPaused], but not before it has
// stored some vectors. An interrupted Fill continues with the next call.
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
			ids, vectors, err := e.embedFirst(ctx, batch, config)
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

// embedFirst embeds chunks from the start of a batch, for about config.StoreEvery. If that is 0, it
// embeds the whole batch.
func (e *embedder) embedFirst(ctx context.Context, batch []ChunkText, config Config) ([]document.ChunkID, [][]float32, error) {
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

// FillState is the progress of [Fill] for one embedding model.
type FillState struct {
	Chunks   int64   // chunks in the index
	Missing  int64   // chunks without a vector
	Rate     float64 // chunks per second during the last fill; 0 if unknown
	Running  bool    // a process is filling
	Complete bool    // searches already use the model
}

// Searches begin to use a model when at most one in lackFirst chunks lacks a vector. They stop
// using it when more than one in lackLater chunks does. A few chunks may always lack a vector,
// because documents change.
const (
	lackFirst = 100
	lackLater = 5
)

// IsComplete reports whether almost all chunks have a vector of the model, so that searches may use
// it. Searches do not mix models, because their scores are not comparable.
func (s FillState) IsComplete() bool {
	most := s.Chunks / lackFirst
	if s.Complete {
		most = s.Chunks / lackLater
	}
	return s.Chunks > 0 && s.Missing <= most
}

// Left estimates the remaining time. It returns 0 if the time is unknown.
func (s FillState) Left() time.Duration {
	if s.Rate <= 0 {
		return 0
	}
	return time.Duration(float64(s.Missing) / s.Rate * float64(time.Second))
}

// String formats the state as one line, such as "1200 of 5343 chunks (22 %), 14.0/s, 5m0s left".
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

// ErrClaimed means that another process is already embedding the chunks with this model.
var ErrClaimed = errors.New("another process embeds the chunks")

// Backlog is the work that [Fill] has left for a model.
type Backlog struct {
	Chunks int64 // chunks without a vector of the model
	Tokens int64 // tokens of these chunks; estimated for more than backlogSample chunks
}

// backlogSample is the number of chunks that EstimateBacklog reads. Reading them takes at most a
// second.
const backlogSample = 1024

// EstimateBacklog estimates how many tokens [Fill] has to embed, from the first chunks without a
// vector. chunks is the number of all such chunks.
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
