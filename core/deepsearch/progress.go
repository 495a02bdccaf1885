package deepsearch

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
)

const progressInterval = 10 * time.Second

// reportProgress emits the progress, and applies people's changes to the plan, until ctx ends.
func (s *inquiry) reportProgress(ctx context.Context) {
	ticker, steering := time.NewTicker(progressInterval), time.NewTicker(s.config.Steer)
	defer ticker.Stop()
	defer steering.Stop()
	for {
		select {
		case <-ticker.C:
			s.packets.emit(askBlock(0), s.progress())
		case <-steering.C:
			s.steer(ctx)
		case <-ctx.Done():
			return
		}
	}
}

func (s *inquiry) conclude(ctx context.Context) {
	s.mu.Lock()
	s.concluded = true
	s.mu.Unlock()
	p := s.progress()
	s.packets.emit(askBlock(s.latestRound()), p)
	s.writeJournal(ctx, "end", func(ctx context.Context) error { return s.Journal.Conclude(ctx, s.fence(), p) })
}

func (s *inquiry) progress() packet.Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := packet.Progress{Seconds: int(time.Since(s.began).Seconds()), Searches: len(s.searches)}
	if s.cost > 0 {
		p.Cost = s.cost.String() + " " + s.prices.Currency
	}
	read := make(map[document.ID]bool)
	for _, r := range s.rows {
		if r.finding == nil && !s.concluded {
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
	if !s.concluded {
		more, cost := s.estimate()
		p.More = int(more.Seconds())
		if cost > 0 {
			p.MoreCost, p.Left = cost.String()+" "+s.prices.Currency, s.remaining
		}
	}
	for _, whole := range read {
		if whole {
			p.Documents++
		}
	}
	return p
}
