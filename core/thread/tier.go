package thread

import (
	"context"
	"time"
)

// Tier is a rate that a platform limits: Burst calls at once after a rest, one more Every so often,
// and Reserve of Burst for final writes alone. A tier whose Every is zero lets everything pass.
type Tier struct {
	Burst   int
	Every   time.Duration
	Reserve int
}

// Tiers are the buckets that several answers, or several processes, draw their calls from. A key
// names what the platform counts by itself, such as "slack:T1:edit". Calls for one key give the
// same tier. Implementations pass threadtest.TiersSuite and are safe for concurrent use.
type Tiers interface {
	// Take counts one call and returns 0 when a call of this class has room now; else it counts
	// nothing and returns how long to wait.
	Take(ctx context.Context, key string, tier Tier, class Class) (wait time.Duration, err error)
	// Count counts a call that could not wait.
	Count(ctx context.Context, key string, tier Tier) error
	// Pause lets nothing pass for d, because the platform refused a call.
	Pause(ctx context.Context, key string, d time.Duration) error
}
