// Package servertest is the kit of the fake servers that run inside tests: waiting until something
// has happened, a record of what did, faults that happen in order, and limits that refuse what is
// too much. What a platform's calls are, and how it words a refusal, is its fake's.
package servertest

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Signal tells those who wait that something has happened. The zero value is ready; it is safe for
// concurrent use.
type Signal struct {
	mu      sync.Mutex
	changed chan struct{} // closed and replaced whenever something happened; nil while no one waits
}

// Notify has everybody who waits look again.
func (s *Signal) Notify() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
}

func (s *Signal) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == nil {
		s.changed = make(chan struct{})
	}
	return s.changed
}

// Until returns once a condition holds, or with ctx's error. The condition is asked at once, and
// again whenever something happened.
func (s *Signal) Until(ctx context.Context, holds func() bool) error {
	for {
		changed := s.next() // before the condition is asked, so that nothing is missed
		if holds() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Log is what happened, in order. The zero value is empty; it is safe for concurrent use.
type Log[T any] struct {
	mu      sync.Mutex
	entries []T
}

// Add notes one thing more.
func (l *Log[T]) Add(entry T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, entry)
}

// All returns a copy of what was noted so far.
func (l *Log[T]) All() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.entries)
}

// Where returns what was noted and fits.
func (l *Log[T]) Where(fits func(T) bool) []T {
	return slices.DeleteFunc(l.All(), func(entry T) bool { return !fits(entry) })
}

// Faults are what is to go wrong, each with its own calls and in the order in which they were
// added. The zero value has none; it is safe for concurrent use.
type Faults[F any] struct {
	mu   sync.Mutex
	list []*fault[F]
}

type fault[F any] struct {
	what        F
	skip, times int
}

// Add has a fault happen to so many calls, at least one, after so many that it is about have
// passed.
func (f *Faults[F]) Add(what F, skip, times int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, &fault[F]{what, skip, max(times, 1)})
}

// Next takes the fault of a call: the first one left that is about it. ok is false when nothing
// goes wrong.
func (f *Faults[F]) Next(about func(F) bool) (what F, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.list {
		switch {
		case one.times == 0 || !about(one.what):
		case one.skip > 0:
			one.skip--
		default:
			one.times--
			return one.what, true
		}
	}
	return what, false
}

// Mend ends all faults.
func (f *Faults[F]) Mend() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = nil
}

// Limit refuses what comes more often than so many times within a span that ends now, for each key
// by itself. The zero value is ready; it is safe for concurrent use.
type Limit struct {
	mu    sync.Mutex
	calls map[string][]time.Time
}

// Within counts a call, or says how long it is until there is room for one.
func (l *Limit) Within(key string, most int, span time.Duration, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls == nil {
		l.calls = make(map[string][]time.Time)
	}
	calls := l.calls[key]
	for len(calls) > 0 && now.Sub(calls[0]) >= span {
		calls = calls[1:]
	}
	if len(calls) >= most {
		l.calls[key] = calls
		return calls[0].Add(span).Sub(now)
	}
	l.calls[key] = append(calls, now)
	return 0
}
