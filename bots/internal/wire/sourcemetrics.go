package wire

import (
	"context"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/telemetry"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/sources"
)

// peopleEvery is long because counting many people is slow and the number changes rarely.
const peopleEvery = 5 * time.Minute

// SourceMetrics returns the function that provides the state of sources for metrics.
func (b *Base) SourceMetrics() func(context.Context) ([]telemetry.Source, error) {
	var mu sync.Mutex
	var counted time.Time
	var people map[document.SourceID]sources.Access
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

func (b *Base) sourceMetrics(ctx context.Context, people map[document.SourceID]sources.Access) ([]telemetry.Source, error) {
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
		one := telemetry.Source{ID: string(s.ID), Failing: s.Failing, Late: s.Schedule().Late(now)}
		for _, loop := range access[s.ID].Loops() {
			if s.Paused() {
				break
			}
			if one.Left == nil {
				one.Left = make(map[string]time.Duration)
			}
			one.Left[string(loop.Loop)] = loop.Left(now)
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
