package notion

import (
	"context"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/sourcepass"
	"github.com/footnotehq/footnote/core/crawl"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// verify asks for what is stored and was met nowhere, each by itself: what a search has left out
// stays, what was deleted, moved away or is not shown any more goes.
func (p *pass) verify(ctx context.Context) error {
	unmet, err := sourcepass.FindUnmet(p.send, index.Batch{}, func(id document.ID) (in, met bool) { return true, p.look.Seen[p.pageOf(id)] })
	if err != nil {
		return err
	}
	gone := p.look.Gone
	missing := slices.DeleteFunc(unmet.IDs, func(id document.ID) bool { return gone[p.pageOf(id)] })
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
	list := crawl.List{Name: p.source.Name, Stored: unmet.Stored, Missing: len(gone), Since: sourcepass.Time(p.state.Shrunk)}
	now := p.client.config.Now()
	if lost := p.lost(now); !lost.IsZero() {
		list.Lost, list.Since = true, lost
	}
	r := crawl.Vanish(list, now)
	if r.Fate == crawl.Hide && len(gone) > 0 {
		p.note(r.Shrunk(list, "connect the integration with their page again"))
	}
	p.state.Shrunk = sourcepass.Seconds(r.Since)
	if len(gone) == 0 {
		return nil
	}
	return p.send(index.Batch{Review: func(id document.ID) index.Verdict {
		if gone[p.pageOf(id)] {
			return r.Fate.Verdict()
		}
		return index.Verdict{}
	}})
}

// lost returns since when the newest lost root is not shown; zero if no missing page waits for one.
// Notion does not tell which pages stood below it, so all missing pages wait.
func (p *pass) lost(now time.Time) (newest time.Time) {
	for _, since := range p.state.Lost {
		if at := sourcepass.Time(since); now.Sub(at) < crawl.Grace && at.After(newest) {
			newest = at
		}
	}
	return newest
}
