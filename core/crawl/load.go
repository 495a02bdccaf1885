package crawl

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// Bounds of the documents that are asked for again. Others wait until their list is scanned.
const (
	mostFailed = 200
	mostTimes  = 5
)

// group is some items whose texts are fetched together. The first that is loaded fetches; the
// others wait.
type group struct {
	vendor Vendor
	items  []Item
	busy   atomic.Bool
	done   chan struct{}
	got    map[document.ID]Read // once done
	err    error
	ended  bool // fetching was stopped
}

func newGroup(v Vendor) *group { return &group{vendor: v, done: make(chan struct{})} }

// errNotShown marks a document that the source lists and does not show.
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
		got, err = g.vendor.Load(ctx, []Item{it}) // it may fail by itself
	}
	switch read := got[it.ID]; {
	case read != nil:
		return read(ctx)
	case err != nil:
		return document.Document{}, err
	}
	return document.Document{}, errNotShown
}

// loaded notes how the loading of a document ended. One that failed is asked for again by later
// runs.
func (r *run) loaded(it Item, err error) {
	r.loading.Lock()
	defer r.loading.Unlock()
	before, again := r.head.Failed[it.ID]
	switch {
	case errors.Is(err, index.ErrPaused) || errors.Is(err, index.ErrRevoked):
		return // it is about the source, and ends the run
	case err == nil || errors.Is(err, index.ErrSkipped):
		if !again {
			return
		}
		delete(r.head.Failed, it.ID)
	case again || len(r.head.Failed) < mostFailed:
		r.head.Failed[it.ID] = failure{List: it.List, Of: it.Of, Times: max(before.Times, 1)}
	default:
		return
	}
	r.dirty[headKey] = true
}
