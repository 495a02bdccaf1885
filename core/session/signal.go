package session

import (
	"context"
	"sync"
)

// LocalSignal is a Signal within one process. Programs without Redis use it. Other Signals use it
// to reach watchers in their own process. The zero value is ready to use.
type LocalSignal struct {
	mu       sync.Mutex
	watchers map[TurnID]map[*watcher]struct{}
}

type watcher struct{ raised chan struct{} }

var _ Signal = (*LocalSignal)(nil)

// Raise implements Signal; it never fails.
func (s *LocalSignal) Raise(_ context.Context, id TurnID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.watchers[id] {
		close(w.raised)
	}
	delete(s.watchers, id)
	return nil
}

// Watch implements Signal.
func (s *LocalSignal) Watch(ctx context.Context, id TurnID) <-chan struct{} {
	w := &watcher{raised: make(chan struct{})}
	s.mu.Lock()
	if s.watchers == nil {
		s.watchers = make(map[TurnID]map[*watcher]struct{})
	}
	if s.watchers[id] == nil {
		s.watchers[id] = make(map[*watcher]struct{})
	}
	s.watchers[id][w] = struct{}{}
	s.mu.Unlock()
	context.AfterFunc(ctx, func() { s.removeWatcher(id, w) })
	return w.raised
}

func (s *LocalSignal) removeWatcher(id TurnID, w *watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.watchers[id], w)
	if len(s.watchers[id]) == 0 {
		delete(s.watchers, id)
	}
}

// Reliable implements Signal. It always returns true, because no signal within a process is lost.
func (s *LocalSignal) Reliable() bool { return true }

// Watching returns the number of watched turns.
func (s *LocalSignal) Watching() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.watchers)
}
