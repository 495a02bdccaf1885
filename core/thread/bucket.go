package thread

import "time"

// Bucket is a token bucket that enforces one rate limit. It allows Burst calls at once, and then
// one call per Every. In any period t it allows at most Burst + t/Every calls. Callers pass the
// current time. The zero Bucket has no limit. A Bucket is not safe for concurrent use.
type Bucket struct {
	Burst   int
	Every   time.Duration
	Reserve int // of Burst: only Final calls may take these

	used   float64   // tokens that are missing at time at
	at     time.Time // of the last change
	paused time.Time // time before which no call passes
}

// Wait returns the time until the bucket has room for n calls of a class. It returns 0 if there is
// room now.
func (b *Bucket) Wait(now time.Time, n int, class Class) time.Duration {
	wait := b.paused.Sub(now)
	if b.Every <= 0 {
		return max(wait, 0)
	}
	room := float64(b.Burst)
	if class != Final {
		room -= float64(b.Reserve)
	}
	if lacking := b.level(now) + float64(n) - room; lacking > 0 {
		// One nanosecond more than exact, so that rounding never wakes a caller too early.
		wait = max(wait, time.Duration(lacking*float64(b.Every))+1)
	}
	return max(wait, 0)
}

// Take records one call at now.
func (b *Bucket) Take(now time.Time) { b.used, b.at = b.level(now)+1, now }

// Pause blocks all calls for d, because the platform refused a call and asked for a pause.
func (b *Bucket) Pause(now time.Time, d time.Duration) {
	if until := now.Add(d); until.After(b.paused) {
		b.paused = until
	}
}

func (b *Bucket) level(now time.Time) float64 {
	if b.at.IsZero() || b.Every <= 0 {
		return 0
	}
	return max(0, b.used-float64(now.Sub(b.at))/float64(b.Every))
}
