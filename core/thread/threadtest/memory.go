package threadtest

import (
	"context"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// Tiers implements thread.Tiers in memory for tests. The zero value is ready to use.
type Tiers struct {
	mu      sync.Mutex
	buckets map[string]*thread.Bucket
}

var _ thread.Tiers = (*Tiers)(nil)

// Take implements thread.Tiers.
func (l *Tiers) Take(_ context.Context, key string, tier thread.Tier, class thread.Class) (time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, now := l.bucket(key, tier), time.Now()
	if wait := b.Wait(now, 1, class); wait > 0 {
		return wait, nil
	}
	b.Take(now)
	return 0, nil
}

// Count implements thread.Tiers.
func (l *Tiers) Count(_ context.Context, key string, tier thread.Tier) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bucket(key, tier).Take(time.Now())
	return nil
}

// Pause implements thread.Tiers.
func (l *Tiers) Pause(_ context.Context, key string, d time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.buckets[key]
	if b == nil {
		b = l.bucket(key, thread.Tier{})
	}
	b.Pause(time.Now(), d)
	return nil
}

func (l *Tiers) bucket(key string, tier thread.Tier) *thread.Bucket {
	if l.buckets == nil {
		l.buckets = make(map[string]*thread.Bucket)
	}
	b := l.buckets[key]
	if b == nil {
		b = &thread.Bucket{}
		l.buckets[key] = b
	}
	b.Burst, b.Every, b.Reserve = tier.Burst, tier.Every, tier.Reserve
	return b
}
