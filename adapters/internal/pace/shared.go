package pace

import (
	"context"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

const (
	// sharedLimit is the timeout of a call to the shared rate limits. It is short, because other
	// callers wait meanwhile.
	sharedLimit = 250 * time.Millisecond
	// sharedAgain is how long the shared rate limits are not called after a failure.
	sharedAgain = 5 * time.Second
)

// Shared counts calls against rate limits that all processes share. If the shared limits cannot be
// reached, callers must use limits of their process instead. The zero value has no shared limits.
// Shared is safe for concurrent use.
type Shared struct {
	mu      sync.Mutex
	tiers   thread.Tiers
	retryAt time.Time // the tiers are not called until then
}

// Use sets the shared rate limits. Call it before the other methods.
func (s *Shared) Use(tiers thread.Tiers) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tiers = tiers
}

// InReach reports whether shared rate limits are set and no recent call to them has failed.
func (s *Shared) InReach() bool { return s.reached() != nil }

func (s *Shared) reached() thread.Tiers {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.retryAt) {
		return nil
	}
	return s.tiers
}

// Take counts a call and returns 0 if the shared limits permit it. Otherwise it counts nothing and
// returns how long to wait. If ok is false, the shared limits cannot be reached, and the caller
// must use the process's own limits.
func (s *Shared) Take(ctx context.Context, key string, tier thread.Tier, class thread.Class) (wait time.Duration, ok bool) {
	ok = s.ask(ctx, func(ctx context.Context, tiers thread.Tiers) (err error) {
		wait, err = tiers.Take(ctx, key, tier, class)
		return err
	})
	return wait, ok
}

// Count records a call that was made without [Shared.Take].
func (s *Shared) Count(ctx context.Context, key string, tier thread.Tier) {
	s.ask(ctx, func(ctx context.Context, tiers thread.Tiers) error { return tiers.Count(ctx, key, tier) })
}

// Pause makes all processes wait for the duration d before their next call with this key.
func (s *Shared) Pause(ctx context.Context, key string, d time.Duration) {
	s.ask(ctx, func(ctx context.Context, tiers thread.Tiers) error { return tiers.Pause(ctx, key, d) })
}

// ask calls say with the shared limits and reports whether say succeeded. It does not call say if
// the limits are unset or failed recently. A cancelled ctx does not stop the call, because that
// would look like a failure of the limits.
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
