package thread

import (
	"context"
	"time"
)

// Tier is a rate limit of a platform: Burst calls at once after a rest, then one call per Every.
// Reserve calls of Burst are only for final writes. A tier whose Every is zero has no limit.
type Tier struct {
	Burst   int
	Every   time.Duration
	Reserve int
}

// Tiers are rate limits that several answers or processes share. A key names one limit of the
// platform, such as "slack:T1:edit". All calls for one key pass the same tier. Implementations pass
// threadtest.TiersSuite and are safe for concurrent use.
type Tiers interface {
	// Take counts one call and returns 0 if a call of this class has room now. Otherwise it counts
	// nothing and returns the time to wait.
	Take(ctx context.Context, key string, tier Tier, class Class) (wait time.Duration, err error)
	// Count counts a call that was made without waiting.
	Count(ctx context.Context, key string, tier Tier) error
	// Pause blocks all calls of the key for d, because the platform refused a call.
	Pause(ctx context.Context, key string, d time.Duration) error
}
