package deepsearch

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
)

// telling is how often a reader learns how far a search is, though nothing else happens.
const telling = 10 * time.Second

// tell says every while how far the search is, and takes up what people change in the plan, until
// ctx ends.
func (s *inquiry) tell(ctx context.Context) {
	ticker, steering := time.NewTicker(telling), time.NewTicker(s.config.Steer)
	defer ticker.Stop()
	defer steering.Stop()
	for {
		select {
		case <-ticker.C:
			s.out.emit(askBlock(0), s.progress())
		case <-steering.C:
			s.steer(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// conclude tells what the whole search took.
func (s *inquiry) conclude(ctx context.Context) {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	p := s.progress()
	s.out.emit(askBlock(s.latest()), p)
	s.keep(ctx, "end", func(ctx context.Context) error { return s.Journal.Conclude(ctx, s.fence(), p) })
}

// progress is how far the search is.
func (s *inquiry) progress() packet.Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := packet.Progress{Seconds: int(time.Since(s.began).Seconds()), Searches: len(s.searches)}
	if s.cost > 0 {
		p.Cost = s.cost.String() + " " + s.prices.Currency
	}
	read := make(map[document.ID]bool)
	for _, r := range s.rows {
		if r.finding == nil && !s.over {
			p.Most += s.config.Searches
		}
		if r.finding == nil {
			continue
		}
		p.Searches += len(r.finding.Searches)
		for _, ref := range r.finding.References {
			read[ref.Document.ID] = read[ref.Document.ID] || ref.Text != ""
		}
	}
	if p.Most > 0 {
		p.Most += p.Searches
	}
	if !s.over {
		more, cost := s.ahead()
		p.More = int(more.Seconds())
		if cost > 0 {
			p.MoreCost, p.Left = cost.String()+" "+s.prices.Currency, s.left
		}
	}
	for _, whole := range read {
		if whole {
			p.Documents++
		}
	}
	return p
}
