package wire

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/index"
)

// Settle finishes what indexing leaves behind: chunks without a vector get one, and postings are packed. These are the steps that
// serve runs in the background, done at once. It can be interrupted and goes on where it was. report is told each step.
func (b *Base) Settle(ctx context.Context, report func(step string)) error {
	if err := b.fill(ctx, time.Time{}, report); err != nil {
		return err
	}
	_, err := b.Index.Tidy(ctx, b.Tenant, time.Time{}, report)
	return err
}

// fill gives a vector to every chunk that lacks one. It returns index.ErrPaused when it goes on after until; a zero until is never reached.
func (b *Base) fill(ctx context.Context, until time.Time, report func(string)) error {
	embedder, err := b.Embedder()
	if err != nil {
		return err
	}
	return index.Fill(ctx, b.Index, b.Tenant, embedder, index.Config{Until: until}, func(chunks int) {
		report(fmt.Sprintf("Embedding: %d chunks", chunks))
	})
}
