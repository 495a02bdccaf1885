// Package servertest is a kit for fake servers in tests. It provides conditions to wait for, a log
// of events, faults in a fixed order, and rate limits. Each fake defines its platform's calls and
// error texts.
package servertest

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Signal wakes goroutines that wait for a condition. The zero value is ready to use. It is safe for
// concurrent use.
type Signal struct {
	mu      sync.Mutex
	changed chan struct{} // closed by Notify; nil while no goroutine waits
}

// Notify makes all goroutines in [Signal.Until] check their conditions again.
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

// Until waits until holds returns true. It calls holds at once and after each Notify. It returns
// the error of ctx if ctx is done first.
func (s *Signal) Until(ctx context.Context, holds func() bool) error {
	for {
		changed := s.next() // before the condition is checked, so that no event is missed
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

// Log is an ordered list of events. The zero value is empty. It is safe for concurrent use.
type Log[T any] struct {
	mu      sync.Mutex
	entries []T
}

// Add appends an event.
func (l *Log[T]) Add(entry T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, entry)
}

// All returns a copy of all events so far.
func (l *Log[T]) All() []T {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.entries)
}

// Where returns the events for which fits returns true.
func (l *Log[T]) Where(fits func(T) bool) []T {
	return slices.DeleteFunc(l.All(), func(entry T) bool { return !fits(entry) })
}

// Faults is a list of planned failures, which apply in the order in which they were added. The zero
// value is empty. It is safe for concurrent use.
type Faults[F any] struct {
	mu   sync.Mutex
	list []*fault[F]
}

type fault[F any] struct {
	what        F
	skip, times int
}

// Add plans a fault. skip is the number of matching calls before the fault begins. times is the
// number of calls to which it applies. It applies at least once.
func (f *Faults[F]) Add(what F, skip, times int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, &fault[F]{what, skip, max(times, 1)})
}

// Next returns the fault that applies to the current call. about reports whether a fault matches
// the call. ok is false if no fault applies.
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

// Mend removes all faults.
func (f *Faults[F]) Mend() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = nil
}

// Limit is a rate limit for the calls of each key within a sliding window. The zero value is ready
// to use. It is safe for concurrent use.
type Limit struct {
	mu    sync.Mutex
	calls map[string][]time.Time
}

// Within records a call at the time now and returns 0. If a key already has the maximum number of
// calls (most) within span, it records nothing and returns how long to wait.
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
