package wire

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/adapters/telemetry"
)

// SourceMetrics tells how the sources do, for a scrape.
func (b *Base) SourceMetrics(ctx context.Context) ([]telemetry.Source, error) {
	stored, err := b.StoredSources(ctx)
	if err != nil {
		return nil, err
	}
	access, err := b.Access(ctx)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	all := make([]telemetry.Source, len(stored))
	for i, s := range stored {
		one := telemetry.Source{ID: string(s.ID), Failing: s.failing}
		if last := s.last.LastSuccess; s.Every > 0 && !s.Paused() && !last.IsZero() {
			one.Late = max(0, now.Sub(last.Add(s.Every)))
		}
		for _, loop := range []*pgaccess.State{access[s.ID].Nodes, access[s.ID].Groups} {
			if loop == nil || s.Paused() {
				continue
			}
			if one.Left == nil {
				one.Left = make(map[string]time.Duration)
			}
			one.Left[string(loop.Loop)] = 0
			if !loop.Until.IsZero() {
				one.Left[string(loop.Loop)] = loop.Until.Sub(now)
			}
		}
		all[i] = one
	}
	return all, nil
}
