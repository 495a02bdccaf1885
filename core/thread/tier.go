package thread

import (
	"context"
	"time"
)

// Tier is a rate limit of a platform. After a rest it allows Burst calls at once, then one call per
// Every. Reserve is the number of the Burst calls that only final writes may use. If Every is zero,
// there is no limit.
type Tier struct {
	Burst   int
	Every   time.Duration
	Reserve int
}

// Tiers are rate limits that answers and processes share. A key names one limit of the platform,
// such as "slack:T1:edit". All calls for one key must use the same tier. Implementations must pass
// threadtest.TiersSuite and be safe for concurrent use.
type Tiers interface {
	// Take counts one call and returns 0 if there is room for a call of this class. Otherwise it
	// counts nothing and returns the time to wait.
	Take(ctx context.Context, key string, tier Tier, class Class) (wait time.Duration, err error)
	// Count counts a call that was made without waiting.
	Count(ctx context.Context, key string, tier Tier) error
	// Pause blocks all calls of the key for d. Use it after the platform refused a call.
	Pause(ctx context.Context, key string, d time.Duration) error
}
