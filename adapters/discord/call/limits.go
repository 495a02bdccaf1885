package call

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
)

// assumedRequests and assumedWindow are the rate limit of a bucket until a response states the real
// one.
const (
	assumedRequests = 5
	assumedWindow   = 5 * time.Second
	// resetMargin is added to a stated reset time, because Discord rounds it.
	resetMargin = 10 * time.Millisecond
	// globalWindow is the maximum number of calls that are running or ended within the last second.
	// Discord allows 50 calls in any second.
	globalWindow = 48
	// idleWindow is the part of globalWindow that low-priority calls may use.
	idleWindow = globalWindow / 3
	// BucketKept is the number of requests in a bucket that low-priority calls, such as progress
	// edits, leave unused.
	BucketKept  = 1
	forgetAfter = 10 * time.Minute
)

// limits tracks Discord's rate limits from the headers of each response. It is safe for concurrent
// use.
type limits struct {
	budget *budget
	paused pace.Rest     // a global pause; only interactions are sent meanwhile
	window chan struct{} // one token per call that Discord may count in the present second
	idle   chan struct{} // one token per idle call in window

	mu      sync.Mutex
	buckets map[string]*bucket
	// buckets that several routes of a channel share, by Discord's bucket name and the channel
	groups map[string]*bucket
	swept  time.Time
}

// everything is the key of the limit that applies to all calls.
const everything = ""

// bucket is the rate limit of one route in one channel, or of several routes that share a limit.
type bucket struct {
	known     bool // a response arrived; before that, only one request may run
	limit     int  // requests in a window, if known
	remaining int
	resets    time.Time
	// the stated reset time, by Discord's clock, which identifies a window; zero if not stated yet
	window   time.Time
	inFlight int
	used     time.Time
	group    *bucket       // limit that several routes share; nil until Discord names it
	changed  chan struct{} // closed and replaced when the bucket changes
}

// timeUntilFree returns 0 if the bucket has more than keep requests left, and otherwise how long to
// wait for one.
func (b *bucket) timeUntilFree(now time.Time, keep int) time.Duration {
	if now.Sub(b.used) > 2*RequestTimeout {
		b.inFlight = 0 // no call takes so long: its end was missed
	}
	if !b.known {
		if b.inFlight > 0 {
			return assumedWindow // or until the response arrives
		}
		return 0
	}
	if !b.resets.After(now) && b.inFlight == 0 {
		b.remaining = max(b.remaining, b.limit)
		b.resets = now.Add(assumedWindow)
	}
	if b.remaining > keep || keep >= b.limit && b.remaining >= b.limit {
		return 0
	}
	return max(min(b.resets.Sub(now), assumedWindow), 10*time.Millisecond)
}

func (b *bucket) takeRequest(now time.Time) {
	b.remaining--
	b.inFlight++
	b.used = now
}

func (b *bucket) giveBack() {
	b.remaining++
	b.inFlight = max(0, b.inFlight-1)
	b.notifyWaiters()
}

// windowSlack is the largest difference between two stated reset times of the same window.
const windowSlack = 100 * time.Millisecond

// update applies the rate limit headers of a response to the bucket. Responses may arrive out of
// order, so headers about an earlier window are ignored. Within a window, the number of remaining
// requests never rises.
func (b *bucket) update(said statement) {
	defer b.notifyWaiters()
	b.inFlight = max(0, b.inFlight-1)
	if !b.known && !said.present {
		b.remaining, b.resets = b.limit-1-b.inFlight, time.Now().Add(assumedWindow)
	}
	first := !b.known
	b.known = true
	left := max(0, said.remaining-b.inFlight)
	switch apart := said.window.Sub(b.window); {
	case !said.present || apart < -windowSlack:
		return
	case apart <= windowSlack && !first:
		b.remaining, b.resets = min(b.remaining, left), later(b.resets, said.resets)
	default:
		b.remaining, b.resets = left, said.resets
	}
	b.limit, b.window = max(said.limit, 1), later(b.window, said.window)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (b *bucket) notifyWaiters() {
	close(b.changed)
	b.changed = make(chan struct{})
}

func newLimits() *limits {
	return &limits{
		budget: newBudget(), window: make(chan struct{}, globalWindow), idle: make(chan struct{}, idleWindow), buckets: make(map[string]*bucket), groups: make(map[string]*bucket),
	}
}

// Try takes one request from a rate limit bucket without waiting. It returns false if at most keep
// requests are left. If keep is positive, it also returns false when the bot's global rate has no
// room.
func (l *limits) Try(key string, keep int) bool {
	if keep > 0 && !l.budget.room() {
		return false
	}
	after, _ := l.takeRequest(key, keep)
	return after == 0
}

// Wait takes one request from a rate limit bucket. It blocks until the bucket has a request left or
// ctx is done.
func (l *limits) Wait(ctx context.Context, key string) error {
	err := l.await(ctx, key, 0)
	if err != nil || !strings.HasPrefix(key, openPrefix) {
		return err
	}
	if err := l.budget.open(ctx, key); err != nil {
		l.GiveBack(key)
		return err
	}
	return nil
}

// await takes one request from a bucket as soon as more than keep are left. It uses only the limits
// of this process.
func (l *limits) await(ctx context.Context, key string, keep int) error {
	for {
		after, changed := l.takeRequest(key, keep)
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

// takeRequest takes a request from a bucket and returns 0 if more than keep are left. Otherwise it
// returns the time to wait. The channel is closed if the bucket changes before that time.
func (l *limits) takeRequest(key string, keep int) (time.Duration, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.sweep(now)
	if left := l.paused.Left(everything); left > 0 && !isInteraction(key) {
		return left, nil
	}
	b := l.bucket(key, now)
	if after := b.timeUntilFree(now, keep); after > 0 {
		return after, b.changed
	}
	if b.group != nil {
		if after := b.group.timeUntilFree(now, keep); after > 0 {
			return after, b.group.changed
		}
		b.group.takeRequest(now)
	}
	b.takeRequest(now)
	return 0, nil
}

// GiveBack returns an unused request to its rate limit bucket.
func (l *limits) GiveBack(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.buckets[key]; b != nil {
		b.giveBack()
		if b.group != nil {
			b.group.giveBack()
		}
	}
}

// answered updates a bucket after a call. h is nil if there was no response.
func (l *limits) answered(key string, h http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	b := l.bucket(key, now)
	said := stated(h, now)
	if said.limit < 1 {
		said.limit = max(b.limit, said.remaining+1)
	}
	b.update(said)
	if b.group != nil {
		b.group.update(said)
	}
	if name := h.Get("X-RateLimit-Bucket"); name != "" && said.present {
		l.join(b, name+" "+key[strings.LastIndexByte(key, ' ')+1:], now, said)
	}
}

// join makes b share the limit of the bucket that Discord names in a response. Several routes of a
// channel may share one named bucket.
func (l *limits) join(b *bucket, name string, now time.Time, said statement) {
	group := l.groups[name]
	if group == nil {
		group = newBucket(now)
		l.groups[name] = group
	}
	if b.group == group {
		return
	}
	b.group = group
	group.used = now
	group.inFlight += b.inFlight + 1 // update subtracts 1
	group.update(said)
}

type statement struct {
	present   bool // false if the headers are missing
	limit     int  // of requests in a window; 0 where it is not stated
	remaining int
	resets    time.Time // by this machine's clock
	window    time.Time // end of the window as stated by the platform, else resets
}

// stated parses the rate limit headers. If Reset-After is missing, it computes the time left from
// the reset time.
func stated(h http.Header, now time.Time) statement {
	left, err := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	if err != nil {
		return statement{}
	}
	said := statement{present: true, remaining: left}
	said.limit, _ = strconv.Atoi(h.Get("X-RateLimit-Limit"))
	moment, err := strconv.ParseFloat(h.Get("X-RateLimit-Reset"), 64)
	if err == nil {
		said.window = time.UnixMilli(int64(moment * 1000))
	}
	if seconds, err := strconv.ParseFloat(h.Get("X-RateLimit-Reset-After"), 64); err == nil {
		said.resets = now.Add(time.Duration(seconds*float64(time.Second)) + resetMargin)
		if said.window.IsZero() {
			said.window = said.resets
		}
		return said
	}
	if err != nil {
		return statement{}
	}
	after := said.window.Sub(now)
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		after = said.window.Sub(date) // both by Discord's clock, in whole seconds
	}
	said.resets = now.Add(after + resetMargin)
	return said
}

// refused records a 429 response. global means that the 429 applies to all calls.
func (l *limits) refused(key string, after time.Duration, global bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	until := time.Now().Add(after)
	if global {
		l.paused.For(everything, after)
		if !isInteraction(key) { // interactions wait for their own bucket
			return
		}
	}
	b := l.bucket(key, time.Now())
	b.known, b.remaining, b.resets = true, 0, until
}

// admit waits until the bot's total rate allows a call. It returns at once for interactions, to
// which that rate does not apply. The caller must call ended after the call.
func (l *limits) admit(ctx context.Context, key string) (ended func(), err error) {
	if isInteraction(key) {
		return func() {}, nil
	}
	if err := l.paused.Wait(ctx, everything); err != nil {
		return nil, err
	}
	release, err := l.admitIdle(ctx)
	if err != nil {
		return nil, err
	}
	if err := l.budget.wait(ctx, isWrite(key)); err != nil {
		release()
		return nil, err
	}
	select {
	case l.window <- struct{}{}:
	case <-ctx.Done():
		release()
		return nil, context.Cause(ctx)
	}
	return func() { time.AfterFunc(time.Second, func() { <-l.window; release() }) }, nil
}

// admitIdle delays a call with a context from [Idle] until idleWindow has room for it. Other calls
// do not wait. The caller must call release after the call.
func (l *limits) admitIdle(ctx context.Context) (release func(), err error) {
	hurry, idle := idleUntil(ctx)
	if !idle {
		return func() {}, nil
	}
	select {
	case l.idle <- struct{}{}:
		return func() { <-l.idle }, nil
	case <-hurry:
		return func() {}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (l *limits) bucket(key string, now time.Time) *bucket {
	b := l.buckets[key]
	if b == nil {
		b = newBucket(now)
		l.buckets[key] = b
	}
	return b
}

func newBucket(now time.Time) *bucket {
	return &bucket{limit: assumedRequests, used: now, changed: make(chan struct{})}
}

// sweep removes buckets that were not used for a while. Without it, the buckets of all threads
// would stay in memory.
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
	for name, b := range l.groups {
		if b.inFlight == 0 && now.Sub(b.used) > forgetAfter && b.resets.Before(now) {
			delete(l.groups, name)
		}
	}
}
