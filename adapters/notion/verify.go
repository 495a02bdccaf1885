package notion

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// shrunk is which part of the pages may vanish at once, and few how many of them at least, before
// it is taken for something else than that they were deleted: the integration may have been taken
// off a page by mistake.
const (
	shrunk = 3
	few    = 20
)

// verify asks for what is stored and was met nowhere, each by itself: what a search has left out
// stays, what was deleted, moved away or is not shown any more goes.
func (p *pass) verify(ctx context.Context) error {
	stored, missing, err := p.unmet()
	if err != nil {
		return err
	}
	gone := p.look.Gone
	missing = slices.DeleteFunc(missing, func(id document.ID) bool { return gone[p.pageOf(id)] })
	for some := range slices.Chunk(missing, together) {
		var there []*object
		for _, id := range some {
			o := new(object)
			switch err := p.client.get(ctx, string(page)+"/"+p.pageOf(id), o); {
			case absent(err):
				gone[p.pageOf(id)] = true
			case err != nil:
				return err
			default:
				there = append(there, o)
			}
		}
		if err := p.take(ctx, there); err != nil {
			return err
		}
		if err := p.follow(ctx); err != nil { // what stands on them
			return err
		}
		if err := p.emit(index.Batch{}); err != nil {
			return err
		}
	}
	verdict := index.Verdict{Gone: true}
	much := len(gone) >= few && len(gone) > stored/shrunk
	now := p.client.config.Now()
	if much && p.state.Shrunk == 0 {
		p.state.Shrunk = now.Unix()
	}
	if much && now.Sub(time.Unix(p.state.Shrunk, 0)) < p.options.Forget {
		verdict = index.Verdict{ACL: access.ACL{}}
		p.note(index.Notice{Name: p.source.Name, Sentence: fmt.Sprintf(
			"%d of %d pages are not shown to the integration any more. They are hidden from everyone here; after %s they are removed. If they are still there, connect the integration with their page again.",
			len(gone), stored, p.options.Forget)})
	} else {
		p.state.Shrunk = 0
	}
	if len(gone) == 0 {
		return nil
	}
	return p.send(index.Batch{Review: func(id document.ID) index.Verdict {
		if gone[p.pageOf(id)] {
			return verdict
		}
		return index.Verdict{}
	}})
}

// unmet returns how many documents are stored, and those of them that the pass did not meet. A run
// that ends in the middle may go on counting after it.
func (p *pass) unmet() (int, []document.ID, error) {
	var mu sync.Mutex
	var stored int
	var missing []document.ID
	if err := p.send(index.Batch{Review: func(id document.ID) index.Verdict {
		mu.Lock()
		defer mu.Unlock()
		stored++
		if !p.look.Seen[p.pageOf(id)] {
			missing = append(missing, id)
		}
		return index.Verdict{}
	}}); err != nil {
		return 0, nil, err
	}
	if err := p.send(index.Batch{}); err != nil { // after which the one before is done
		return 0, nil, err
	}
	mu.Lock()
	defer mu.Unlock()
	slices.Sort(missing)
	return stored, slices.Clone(missing), nil
}
