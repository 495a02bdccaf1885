package pace

import (
	"context"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/sleep"
)

const maxResting = 1000

// Rest stores the time until which each key is blocked. No key is blocked in the zero value. It is
// safe for concurrent use.
type Rest struct {
	mu    sync.Mutex
	until map[string]time.Time
}

// For blocks a key for the duration d. It never shortens an earlier block.
func (r *Rest) For(key string, d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.until == nil {
		r.until = make(map[string]time.Time)
	}
	if len(r.until) >= maxResting {
		for key, until := range r.until {
			if !until.After(now) {
				delete(r.until, key)
			}
		}
	}
	if until := now.Add(d); until.After(r.until[key]) {
		r.until[key] = until
	}
}

// Left returns how long a key remains blocked. It returns 0 or less if the key is not blocked.
func (r *Rest) Left(key string) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	until, resting := r.until[key]
	if !resting {
		return 0
	}
	return time.Until(until)
}

// Wait waits until a key is no longer blocked, even if the block is extended meanwhile. It returns
// an error if ctx is done first.
func (r *Rest) Wait(ctx context.Context, key string) error {
	for left := r.Left(key); left > 0; left = r.Left(key) {
		if err := sleep.For(ctx, left); err != nil {
			return err
		}
	}
	return nil
}

// Empty reports whether no key was ever blocked.
func (r *Rest) Empty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.until) == 0
}
