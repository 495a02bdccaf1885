package wire

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/spend"
)

// Settle finishes work that indexing leaves: it computes missing vectors and compacts the index. A
// later call continues an interrupted one. report gets each step with its progress from 0 to 1, or
// 0 if that is unknown.
func (b *Base) Settle(ctx context.Context, report func(step string, share float64)) error {
	embedder, err := b.Embedder()
	if err != nil {
		return err
	}
	missing, err := b.Index.WithoutVector(ctx, b.Tenant, embedder.Model())
	if err != nil {
		return err
	}
	began := time.Now()
	if err := b.fill(ctx, time.Time{}, func(chunks int) {
		report(embedding(int64(chunks), missing, time.Since(began)), float64(chunks)/float64(max(missing, int64(chunks), 1)))
	}); err != nil {
		return err
	}
	_, err = b.Index.Tidy(ctx, b.Tenant, time.Time{}, func(step string) { report(step, 0) })
	return err
}

func embedding(done, total int64, elapsed time.Duration) string {
	total = max(total, done)
	says := fmt.Sprintf("Embedding: %d of %s", done, plural.Count(total, "chunk"))
	if elapsed > 0 && done > 0 {
		says += fmt.Sprintf(", %.0f/s", float64(done)/elapsed.Seconds())
		if done < total {
			says += fmt.Sprintf(", %s left", time.Duration(float64(elapsed)/float64(done)*float64(total-done)).Round(time.Second))
		}
	}
	return says
}

// fill embeds every chunk that lacks a vector. A zero until sets no limit; otherwise fill returns
// index.ErrPaused at that time if chunks are left.
func (b *Base) fill(ctx context.Context, until time.Time, done func(chunks int)) error {
	embedder, err := b.Embedder()
	if err != nil {
		return err
	}
	return index.Fill(ctx, b.Index, b.Tenant, embedder, index.Config{Until: until}, done)
}

// Backlog counts the chunks that the current embedding model has not embedded yet, and what
// embedding them costs.
type Backlog struct {
	index.Backlog // Tokens is 0 for the embedder in the program, which costs nothing
	Model         string
	Cost          spend.Amount
	Currency      string // empty: the model has no price
}

// Backlog counts the chunks that are not embedded yet. It calls no model.
func (b *Base) Backlog(ctx context.Context) (Backlog, error) {
	embedder, err := b.Embedder()
	if err != nil {
		return Backlog{}, err
	}
	out := Backlog{Model: embedder.Model()}
	out.Chunks, err = b.Index.WithoutVector(ctx, b.Tenant, out.Model)
	paid := b.Config.EmbeddingModel
	if err != nil || out.Chunks == 0 || paid == "" {
		return out, err
	}
	if out.Backlog, err = index.EstimateBacklog(ctx, b.Index, b.Tenant, out.Model, out.Chunks, counter(paid)); err != nil {
		return out, err
	}
	prices := b.File().Prices
	if price, priced := prices.Models[paid]; priced {
		out.Currency, out.Cost = prices.Currency, price.OfEmbedding(int(out.Tokens))
	}
	return out, nil
}

// String returns the number of chunks and their cost, such as "20 chunks (about 4000 tokens, 0.02
// USD)".
func (b Backlog) String() string {
	says := plural.Count(b.Chunks, "chunk")
	switch {
	case b.Tokens > 0 && b.Currency != "":
		says += fmt.Sprintf(" (about %s, %s %s)", plural.Count(b.Tokens, "token"), b.Cost, b.Currency)
	case b.Tokens > 0:
		says += fmt.Sprintf(" (about %s)", plural.Count(b.Tokens, "token"))
	}
	return says
}
