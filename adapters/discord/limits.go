package discord

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rates of the platform. The numbers of a bucket are only what is assumed until its first answer tells better; the global rate is 50
// in any second, which a rate of 40 and a burst of 5 stay below.
const (
	assumedRequests = 5
	assumedWindow   = 5 * time.Second
	globalRate      = 40
	globalBurst     = 5
	// globalWindow calls at most are on their way, or ended less than a second ago. The platform counts a call somewhere between its
	// beginning and its end, so that no second has more of them, however long some take and whatever they overtake.
	globalWindow = 48
	// globalKept is how much of the burst progress edits leave to first and final writes.
	globalKept = globalBurst / 5
	// bucketKept is how many requests of a bucket progress edits leave.
	bucketKept = 1
	// forgetAfter is how long an unused bucket is remembered.
	forgetAfter = 10 * time.Minute
)

// limits knows how many requests may be made. Discord says so in the headers of each answer. It is safe for concurrent use.
type limits struct {
	global *rate.Limiter
	window chan struct{} // holds a token for each call that may be counted in the present second

	mu      sync.Mutex
	buckets map[string]*bucket
	paused  time.Time // nothing but interactions is sent before
	swept   time.Time
}

// bucket is a route of one channel.
type bucket struct {
	left     int
	resets   time.Time
	inFlight int
	used     time.Time
	changed  chan struct{} // closed and replaced when more is known of it
}

func (b *bucket) tell() {
	close(b.changed)
	b.changed = make(chan struct{})
}

func newLimits() *limits {
	return &limits{global: rate.NewLimiter(globalRate, globalBurst), window: make(chan struct{}, globalWindow), buckets: make(map[string]*bucket)}
}

// try takes a request of a bucket if more than keep are left in it and the process has room; otherwise it takes nothing.
func (l *limits) try(key string, keep int) bool {
	if l.global.Tokens() <= globalKept && keep > 0 {
		return false
	}
	after, _ := l.take(key, keep)
	return after == 0
}

// wait takes a request of a bucket, as soon as there is one.
func (l *limits) wait(ctx context.Context, key string) error {
	for {
		after, changed := l.take(key, 0)
		if after == 0 {
			return nil
		}
		timer := time.NewTimer(after)
		select {
		case <-timer.C:
		case <-changed: // an answer that was on its way may say that there is room sooner
			timer.Stop()
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}

// take takes a request, or says how long there will be none, unless that changes.
func (l *limits) take(key string, keep int) (time.Duration, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.sweep(now)
	if l.paused.After(now) && !isInteraction(key) {
		return l.paused.Sub(now), nil
	}
	b := l.bucket(key, now)
	if now.Sub(b.used) > 2*requestTimeout {
		b.inFlight = 0 // no call takes so long: its end was missed
	}
	if !b.resets.After(now) && b.inFlight == 0 {
		b.left = max(b.left, assumedRequests)
		b.resets = now.Add(assumedWindow)
	}
	if b.left <= keep {
		return max(min(b.resets.Sub(now), assumedWindow), 10*time.Millisecond), b.changed
	}
	b.left--
	b.inFlight++
	b.used = now
	return 0, nil
}

// giveBack returns a request that was taken and not made.
func (l *limits) giveBack(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.buckets[key]; b != nil {
		b.left++
		b.inFlight = max(0, b.inFlight-1)
		b.tell()
	}
}

// answered notes what an answer's headers say; nil when there was none.
func (l *limits) answered(key string, h http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	b := l.bucket(key, now)
	defer b.tell()
	b.inFlight = max(0, b.inFlight-1)
	left, err := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	if err != nil {
		return
	}
	after, err := strconv.ParseFloat(h.Get("X-RateLimit-Reset-After"), 64)
	if err != nil {
		return
	}
	b.left = max(0, left-b.inFlight)
	b.resets = now.Add(time.Duration(after * float64(time.Second)))
}

// refused notes a 429: of the bucket alone, or of everything.
func (l *limits) refused(key string, after time.Duration, global bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	until := time.Now().Add(after)
	if global {
		if until.After(l.paused) {
			l.paused = until
		}
		return
	}
	b := l.bucket(key, time.Now())
	b.left, b.resets = 0, until
}

// admit waits for the process's share, and out of a global pause. What it returns is called when the call has ended. Interactions are
// outside both.
func (l *limits) admit(ctx context.Context, key string) (ended func(), err error) {
	if isInteraction(key) {
		return func() {}, nil
	}
	for {
		l.mu.Lock()
		after := time.Until(l.paused)
		l.mu.Unlock()
		if after <= 0 {
			break
		}
		if err := pause(ctx, after); err != nil {
			return nil, err
		}
	}
	if err := l.global.Wait(ctx); err != nil {
		return nil, err
	}
	select {
	case l.window <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return func() { time.AfterFunc(time.Second, func() { <-l.window }) }, nil
}

func (l *limits) bucket(key string, now time.Time) *bucket {
	b := l.buckets[key]
	if b == nil {
		b = &bucket{left: assumedRequests, resets: now.Add(assumedWindow), used: now, changed: make(chan struct{})}
		l.buckets[key] = b
	}
	return b
}

// sweep forgets buckets that nobody uses: every thread has its own.
func (l *limits) sweep(now time.Time) {
	if now.Sub(l.swept) < forgetAfter {
		return
	}
	l.swept = now
	for key, b := range l.buckets {
		if b.inFlight == 0 && now.Sub(b.used) > forgetAfter && b.resets.Before(now) {
			delete(l.buckets, key)
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
