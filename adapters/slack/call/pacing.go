package call

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
	"github.com/footnotehq/footnote/core/thread"
)

// tier is the rate limit of one Slack method as a token bucket. In any minute, the burst and the
// steady rate together stay within Slack's limit.
type tier struct {
	burst   int
	every   time.Duration
	channel bool // the limit is per channel, not per workspace
	reserve int  // part of burst for final writes only; 0: a fifth
}

// tiers are the rate limits of the calls that write answers, derived from Slack's published limits.
// Slack allows 50 edits, 100 appends, and 20 starts and stops of streams a minute. It allows about
// one new message a second per channel.
var tiers = map[thread.Call]tier{
	thread.Create:       {burst: 1, every: 1100 * time.Millisecond, channel: true},
	thread.Edit:         {burst: 20, every: 2 * time.Second, reserve: maxEdited},
	thread.StreamStart:  {burst: 10, every: 6 * time.Second},
	thread.StreamAppend: {burst: 40, every: time.Second},
	thread.StreamStop:   {burst: 10, every: 6 * time.Second},
}

// Pacing limits the rate of writes to a workspace. It reserves a part of each limit for the final
// writes of answers. It is safe for concurrent use, and its zero value is ready for use.
//
// After Use, all processes count in one shared limiter. Without it, or while it does not respond,
// each process gets the part that Share sets.
type Pacing struct {
	shared pace.Shared

	mu      sync.Mutex
	share   int // number of processes; 0 means 1
	buckets map[lane]*queue
	edited  map[thread.Ref]time.Time // answers that were posted early and still need their final edit
}

// maxEdited is the maximum number of incomplete answers in a workspace that still need a final
// edit. Further answers are delayed, so that final edits do not wait long.
const (
	maxEdited = 10
	// editedFor is how long an answer without its final edit counts towards maxEdited.
	editedFor = 10 * time.Minute
	// lookAgain is the interval at which a waiting answer checks whether another answer has ended.
	lookAgain = 250 * time.Millisecond
	// shareAgain is the interval at which a waiting call checks its rate limit again. The limit
	// grows when another process ends.
	shareAgain = time.Second
)

// lane identifies one rate limit of Slack: a method in a workspace or in a channel.
type lane struct {
	call      thread.Call
	workspace string
	channel   string // only for calls that are limited by channel
}

// queue is a token bucket with the calls that wait for it. Final writes are served first. Calls of
// the same class are served in order of arrival.
type queue struct {
	thread.Bucket
	key     string // in shared tiers
	waiting []*waiter
	// closed when the shared tiers have responded to the first waiter. It is nil if no request to
	// the shared tiers is running.
	asking chan struct{}
}

func (q *queue) tier() thread.Tier {
	return thread.Tier{Burst: q.Burst, Every: q.Every, Reserve: q.Bucket.Reserve}
}

type waiter struct{ class thread.Class }

// soon is the retry interval of a call that waits only for other calls in its queue.
const soon = 10 * time.Millisecond

// Use makes p count its calls in tiers, a rate limiter that all processes share. Call Use before
// any other method.
func (p *Pacing) Use(tiers thread.Tiers) { p.shared.Use(tiers) }

// Share sets the number of processes that serve the workspace and divide its rate limits. Share may
// be called at any time.
func (p *Pacing) Share(processes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.share = max(processes, 1)
}

// Reserve implements thread.Surface. It returns thread.ErrNoRoom for a progress call that would
// have to wait. It also returns that error if a call would wait beyond the deadline of ctx, unless
// it is a final write.
func (p *Pacing) Reserve(ctx context.Context, to thread.Ref, call thread.Call, class thread.Class) error {
	w := &waiter{class: class}
	p.enter(to, call, w)
	defer p.leave(to, call, w)
	var timer *time.Timer
	for {
		wait, asked := p.try(ctx, to, call, w)
		switch {
		case wait == 0:
			return nil
		case class == thread.Progress:
			return thread.ErrNoRoom
		case timer == nil:
			if deadline, ok := ctx.Deadline(); ok && class != thread.Final && time.Until(deadline) < wait {
				return thread.ErrNoRoom // waiting would be in vain
			}
			timer = time.NewTimer(min(wait, shareAgain))
			defer timer.Stop()
		default:
			timer.Reset(min(wait, shareAgain))
		}
		select {
		case <-timer.C:
		case <-asked:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Count records a call that was made without Reserve. Later calls then wait longer.
func (p *Pacing) Count(ctx context.Context, to thread.Ref, call thread.Call) {
	p.mu.Lock()
	now := time.Now()
	q := p.queue(to, call)
	q.Take(now)
	key, tier := q.key, q.tier()
	p.mu.Unlock()
	p.shared.Count(ctx, key, tier)
}

// Pause blocks calls of this kind for d. Use it after Slack refused such a call.
func (p *Pacing) Pause(ctx context.Context, to thread.Ref, call thread.Call, d time.Duration) {
	p.mu.Lock()
	now := time.Now()
	q := p.queue(to, call)
	q.Pause(now, d)
	key := q.key
	p.mu.Unlock()
	p.shared.Pause(ctx, key, d)
}

func (p *Pacing) enter(to thread.Ref, call thread.Call, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queue(to, call)
	ahead := 0
	for _, other := range q.waiting {
		if other.class <= w.class {
			ahead++
		}
	}
	q.waiting = slices.Insert(q.waiting, ahead, w)
}

func (p *Pacing) leave(to thread.Ref, call thread.Call, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queue(to, call)
	q.waiting = slices.DeleteFunc(q.waiting, func(other *waiter) bool { return other == w })
}

// try takes a token if it is the waiter's turn and one is available. It then returns a wait of 0,
// and otherwise the expected wait. If asked is not nil, the caller should retry when asked is
// closed.
func (p *Pacing) try(ctx context.Context, to thread.Ref, call thread.Call, w *waiter) (wait time.Duration, asked <-chan struct{}) {
	p.mu.Lock()
	q, now := p.queue(to, call), time.Now()
	ahead := slices.Index(q.waiting, w)
	wait = q.Wait(now, ahead+1, w.class)
	if p.crowded(to, call, w.class, now) {
		wait = max(wait, lookAgain)
	}
	key, tier := q.key, q.tier()
	switch {
	case wait > 0 || ahead > 0 || q.asking != nil:
		asked = q.asking
		p.mu.Unlock()
		return max(wait, soon), asked
	case !p.shared.InReach():
		p.take(q, to, call, w.class, now)
		p.mu.Unlock()
		return 0, nil
	}
	answered := make(chan struct{})
	q.asking = answered
	p.mu.Unlock()

	wait, together := p.shared.Take(ctx, key, tier, w.class)

	p.mu.Lock()
	defer p.mu.Unlock()
	q, now = p.queue(to, call), time.Now()
	q.asking = nil
	close(answered)
	if !together { // use this process's share of the tier
		wait = q.Wait(now, 1, w.class)
	}
	if wait == 0 {
		p.take(q, to, call, w.class, now)
	}
	return wait, nil
}

func (p *Pacing) take(q *queue, to thread.Ref, call thread.Call, class thread.Class, now time.Time) {
	q.Take(now)
	switch {
	case call == thread.Edit && class == thread.Final:
		delete(p.edited, to)
	case call == thread.Create && class != thread.Final:
		if p.edited == nil {
			p.edited = make(map[thread.Ref]time.Time)
		}
		p.edited[to] = now
	}
}

// crowded reports whether the first post of an incomplete answer must wait, because too many
// answers need a final edit. The limit is this process's part of maxEdited. It is lower if the
// bucket for edits has fewer tokens.
func (p *Pacing) crowded(to thread.Ref, call thread.Call, class thread.Class, now time.Time) bool {
	if _, begun := p.edited[to]; begun || call != thread.Create || class == thread.Final {
		return false
	}
	others := 0
	for ref, at := range p.edited {
		switch {
		case now.Sub(at) >= editedFor:
			delete(p.edited, ref)
		case ref.Workspace == to.Workspace:
			others++
		}
	}
	return others >= max(maxEdited/max(p.share, 1), 1) || p.queue(to, thread.Edit).Wait(now, others+1, thread.Final) > 0
}

// maxLanes is the number of buckets in memory at which unused ones are removed. A full bucket
// without waiting calls counts as unused.
const maxLanes = 4096

func (p *Pacing) queue(to thread.Ref, call thread.Call) *queue {
	t := tiers[call]
	at := lane{call: call, workspace: to.Workspace}
	if t.channel {
		at.channel = to.Channel
	}
	q := p.buckets[at]
	if q == nil {
		q = &queue{key: fmt.Sprintf("slack:%s:%d:%s", at.workspace, at.call, at.channel)}
		p.remember(at, q)
	}
	share := max(p.share, 1)
	if p.shared.InReach() {
		share = 1
	}
	q.Burst, q.Every = max(t.burst/share, 1), t.every*time.Duration(share)
	q.Bucket.Reserve = q.Burst / 5
	if t.reserve > 0 {
		q.Bucket.Reserve = q.Burst * t.reserve / t.burst
	}
	return q
}

func (p *Pacing) remember(at lane, q *queue) {
	if p.buckets == nil {
		p.buckets = make(map[lane]*queue)
	}
	if len(p.buckets) >= maxLanes {
		now := time.Now()
		for key, q := range p.buckets {
			if len(q.waiting) == 0 && q.asking == nil && q.Wait(now, q.Burst, thread.Final) == 0 {
				delete(p.buckets, key)
			}
		}
	}
	p.buckets[at] = q
}
