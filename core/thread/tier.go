package thread

import (
	"context"
	"sync"
	"time"
)

// Tier is a rate that a platform limits: Burst calls at once after a rest, one more Every so often, and Reserve of Burst for final
// writes alone. A tier whose Every is zero lets everything pass.
type Tier struct {
	Burst   int
	Every   time.Duration
	Reserve int
}

// Tiers are the buckets that several answers, or several processes, draw their calls from. A key names what the platform counts by itself,
// such as "slack:T1:edit". Calls for one key give the same tier. Implementations pass threadtest.TiersSuite and are safe for concurrent use.
type Tiers interface {
	// Take counts one call and returns 0 when a call of this class has room now; else it counts nothing and returns how long to wait.
	Take(ctx context.Context, key string, tier Tier, class Class) (wait time.Duration, err error)
	// Count counts a call that could not wait.
	Count(ctx context.Context, key string, tier Tier) error
	// Pause lets nothing pass for so long, since the platform refused a call.
	Pause(ctx context.Context, key string, d time.Duration) error
}

// LocalTiers are those of one process. The zero value is ready for use.
type LocalTiers struct {
	mu      sync.Mutex
	buckets map[string]*Bucket
}

var _ Tiers = (*LocalTiers)(nil)

// Take implements Tiers.
func (l *LocalTiers) Take(_ context.Context, key string, tier Tier, class Class) (time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, now := l.bucket(key, tier), time.Now()
	if wait := b.Wait(now, 1, class); wait > 0 {
		return wait, nil
	}
	b.Take(now)
	return 0, nil
}

// Count implements Tiers.
func (l *LocalTiers) Count(_ context.Context, key string, tier Tier) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bucket(key, tier).Take(time.Now())
	return nil
}

// Pause implements Tiers.
func (l *LocalTiers) Pause(_ context.Context, key string, d time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[key]
	if b == nil {
		b = l.bucket(key, Tier{})
	}
	b.Pause(time.Now(), d)
	return nil
}

func (l *LocalTiers) bucket(key string, tier Tier) *Bucket {
	if l.buckets == nil {
		l.buckets = make(map[string]*Bucket)
	}
	b := l.buckets[key]
	if b == nil {
		b = &Bucket{}
		l.buckets[key] = b
	}
	b.Burst, b.Every, b.Reserve = tier.Burst, tier.Every, tier.Reserve
	return b
}
