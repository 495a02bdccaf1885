package crawl

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Limits on retries of documents that failed to load. Documents beyond the limits wait for the next
// scan of their list.
const (
	maxFailed   = 200
	maxAttempts = 5
)

// group is a batch of items whose texts are fetched together. The first call of load fetches the
// texts, and the others wait for the result.
type group struct {
	vendor Vendor
	items  []Item
	busy   atomic.Bool
	done   chan struct{}
	got    map[document.ID]Read // valid once done is closed
	err    error
	ended  bool // the fetch was cancelled
}

func newGroup(v Vendor) *group { return &group{vendor: v, done: make(chan struct{})} }

var errNotShown = fmt.Errorf("it is not shown any more: %w", index.ErrSkipped)

func (g *group) load(ctx context.Context, it Item) (document.Document, error) {
	if g.busy.CompareAndSwap(false, true) {
		g.got, g.err = g.vendor.Load(ctx, g.items)
		g.ended = ctx.Err() != nil
		close(g.done)
	}
	select {
	case <-g.done:
	case <-ctx.Done():
		return document.Document{}, context.Cause(ctx)
	}
	got, err := g.got, g.err
	if got[it.ID] == nil && len(g.items) > 1 && (err == nil || g.ended && ctx.Err() == nil) {
		got, err = g.vendor.Load(ctx, []Item{it}) // retry it alone
	}
	switch read := got[it.ID]; {
	case read != nil:
		return read(ctx)
	case err != nil:
		return document.Document{}, err
	}
	return document.Document{}, errNotShown
}

// recordLoad records whether an item was loaded, so that later runs retry a failed document. It
// ignores errors that concern the whole source.
func (r *run) recordLoad(it Item, err error) {
	r.loading.Lock()
	defer r.loading.Unlock()
	before, again := r.head.Failed[it.ID]
	switch {
	case errors.Is(err, index.ErrPaused) || errors.Is(err, index.ErrRevoked):
		return // the error concerns the source and ends the run
	case err == nil || errors.Is(err, index.ErrSkipped):
		if !again {
			return
		}
		delete(r.head.Failed, it.ID)
	case again || len(r.head.Failed) < maxFailed:
		r.head.Failed[it.ID] = failure{List: it.List, Of: it.Of, Times: max(before.Times, 1)}
	default:
		return
	}
	r.dirty[headKey] = true
}
