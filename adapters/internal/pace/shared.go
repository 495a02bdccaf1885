package pace

import (
	"context"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

const (
	// sharedLimit is the timeout for a call of shared tiers. The caller waits for the call, and so
	// do later callers that need the same tier.
	sharedLimit = 250 * time.Millisecond
	// sharedAgain is the time after a failure during which shared tiers are not called.
	sharedAgain = 5 * time.Second
)

// Shared accesses rate limits (thread.Tiers) that several processes share. While they are
// unreachable, each process uses its own part. The zero value has no tiers. It is safe for
// concurrent use and holds no lock during calls.
type Shared struct {
	mu      sync.Mutex
	tiers   thread.Tiers
	retryAt time.Time // the tiers are not called until then
}

// Use sets the shared tiers. Call it before other methods.
func (s *Shared) Use(tiers thread.Tiers) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tiers = tiers
}

// InReach reports whether there are shared tiers and no recent call to them failed.
func (s *Shared) InReach() bool { return s.reached() != nil }

func (s *Shared) reached() thread.Tiers {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.retryAt) {
		return nil
	}
	return s.tiers
}

// Take takes a call of a tier, or returns the time until the tier permits one. ok is false if the
// tiers did not respond, and for some seconds after that. The process then uses its own limits.
func (s *Shared) Take(ctx context.Context, key string, tier thread.Tier, class thread.Class) (wait time.Duration, ok bool) {
	ok = s.ask(ctx, func(ctx context.Context, tiers thread.Tiers) (err error) {
		wait, err = tiers.Take(ctx, key, tier, class)
		return err
	})
	return wait, ok
}

// Count adds a call that did not wait for Take to the calls of a tier.
func (s *Shared) Count(ctx context.Context, key string, tier thread.Tier) {
	s.ask(ctx, func(ctx context.Context, tiers thread.Tiers) error { return tiers.Count(ctx, key, tier) })
}

// Pause makes all processes wait for d before their next call with this key.
func (s *Shared) Pause(ctx context.Context, key string, d time.Duration) {
	s.ask(ctx, func(ctx context.Context, tiers thread.Tiers) error { return tiers.Pause(ctx, key, d) })
}

// ask calls the shared tiers if they are reachable. A cancelled call does not show whether the
// tiers are reachable. ask therefore waits for the result even if the caller cancels.
func (s *Shared) ask(ctx context.Context, say func(context.Context, thread.Tiers) error) (answered bool) {
	tiers := s.reached()
	if tiers == nil {
		return false
	}
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), sharedLimit)
	defer cancel()
	if say(limited, tiers) == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.retryAt = time.Now().Add(sharedAgain)
	return false
}
