package wire

import (
	"context"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/adapters/telemetry"
	"github.com/footnotehq/footnote/core/document"
)

// peopleEvery is how often people are counted for scrapes. Counting many people takes long, and the
// number changes rarely.
const peopleEvery = 5 * time.Minute

// SourceMetrics returns a function that reports the state of sources to scrapes.
func (b *Base) SourceMetrics() func(context.Context) ([]telemetry.Source, error) {
	var mu sync.Mutex
	var counted time.Time
	var people map[document.SourceID]SourceAccess
	return func(ctx context.Context) ([]telemetry.Source, error) {
		mu.Lock()
		last, fresh := people, time.Since(counted) < peopleEvery
		mu.Unlock()
		if !fresh {
			now, err := b.Access(ctx)
			if err != nil {
				return nil, err
			}
			mu.Lock()
			people, counted, last = now, time.Now(), now
			mu.Unlock()
		}
		return b.sourceMetrics(ctx, last)
	}
}

func (b *Base) sourceMetrics(ctx context.Context, people map[document.SourceID]SourceAccess) ([]telemetry.Source, error) {
	stored, err := b.StoredSources(ctx)
	if err != nil {
		return nil, err
	}
	access, err := b.loops(ctx)
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
		for state, n := range people[s.ID].People {
			if one.People == nil {
				one.People = make(map[string]int)
			}
			one.People[string(state)] = n
		}
		all[i] = one
	}
	return all, nil
}
