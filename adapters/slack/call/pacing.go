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

// tier is Slack's rate limit of one method: calls a minute per workspace. At most half of them may
// be made at once. So bursts and the steady rate together stay within the limit in every minute,
// however Slack counts.
type tier struct {
	burst   int
	every   time.Duration
	channel bool // for each channel by itself
	reserve int  // part of burst for final writes only; 0: a fifth
}

// tiers are Slack's published limits. chat.postMessage allows about one call a second per channel.
// The others are limits a minute: chat.update 50 (tier 3), chat.startStream and chat.stopStream 20
// (tier 2), chat.appendStream 100 (tier 4).
var tiers = map[thread.Call]tier{
	thread.Create:       {burst: 1, every: 1100 * time.Millisecond, channel: true},
	thread.Edit:         {burst: 20, every: 2 * time.Second, reserve: maxEdited},
	thread.StreamStart:  {burst: 10, every: 6 * time.Second},
	thread.StreamAppend: {burst: 40, every: time.Second},
	thread.StreamStop:   {burst: 10, every: 6 * time.Second},
}

// Pacing divides Slack's tiers (limits of calls a minute per method) among all answers of a
// workspace. It reserves part of each tier for final writes: every answer that was posted before it
// was complete needs one final edit. With Use, several processes share the tiers. Without Use, or
// while the shared tiers do not respond, each process is limited to its Share. The zero value is
// for a single process. Pacing is safe for concurrent use.
type Pacing struct {
	shared pace.Shared

	mu      sync.Mutex
	share   int // number of processes; 0 means 1
	buckets map[lane]*queue
	edited  map[thread.Ref]time.Time // answers that were posted early and still need their final edit
}

// An answer that is posted before it is complete needs a final edit. At most maxEdited answers of a
// workspace may be in this state, so that their final edits never wait long. Other answers are
// posted when they are complete, or when it is their turn.
const (
	maxEdited = 10
	// editedFor is how long an answer counts without its final edit.
	editedFor = 10 * time.Minute
	// lookAgain is how often a waiting answer checks whether another answer has ended.
	lookAgain = 250 * time.Millisecond
	// shareAgain is how often waiting calls check whether this process's share has grown. Killed
	// processes count for some seconds.
	shareAgain = time.Second
)

// lane is the unit in which Slack counts calls: a method in a workspace or channel.
type lane struct {
	call      thread.Call
	workspace string
	channel   string // only for calls that are limited by channel
}

// queue is a token bucket with its waiting calls. It is first come, first served, but final writes
// go before others.
type queue struct {
	thread.Bucket
	key     string // in shared tiers
	waiting []*waiter
	// closed when the shared tiers have answered the first waiter; nil while no request to them is
	// running
	asking chan struct{}
}

func (q *queue) tier() thread.Tier {
	return thread.Tier{Burst: q.Burst, Every: q.Every, Reserve: q.Bucket.Reserve}
}

type waiter struct{ class thread.Class }

// soon is how soon a waiter tries again if it waits only for other waiters.
const soon = 10 * time.Millisecond

// Use makes p draw its calls from tiers that all processes share. Call it before any other method.
func (p *Pacing) Use(tiers thread.Tiers) { p.shared.Use(tiers) }

// Share sets the number of processes that serve the workspace. It may be called at any time.
func (p *Pacing) Share(processes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.share = max(processes, 1)
}

// Reserve implements thread.Surface: it waits until a call may be made. If the wait would exceed
// the deadline of ctx, it fails at once.
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

// Count records a call that could not wait for its turn, so that later calls wait instead.
func (p *Pacing) Count(ctx context.Context, to thread.Ref, call thread.Call) {
	p.mu.Lock()
	now := time.Now()
	q := p.queue(to, call)
	q.Take(now)
	key, tier := q.key, q.tier()
	p.mu.Unlock()
	p.shared.Count(ctx, key, tier)
}

// Pause blocks calls of this kind for d, because Slack refused one.
func (p *Pacing) Pause(ctx context.Context, to thread.Ref, call thread.Call, d time.Duration) {
	p.mu.Lock()
	now := time.Now()
	q := p.queue(to, call)
	q.Pause(now, d)
	key := q.key
	p.mu.Unlock()
	p.shared.Pause(ctx, key, d)
}

// enter queues a waiter behind those of its class and before those of lower classes.
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

// leave removes a waiter from the queue, whether or not its call was made.
func (p *Pacing) leave(to thread.Ref, call thread.Call, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queue(to, call)
	q.waiting = slices.DeleteFunc(q.waiting, func(other *waiter) bool { return other == w })
}

// try takes a call if it is the waiter's turn. Otherwise it returns how long that may take. A
// non-nil asked is closed when an earlier try is worthwhile. Only the first waiter of a queue asks
// the shared tiers, without holding the lock, so a slow server delays only that waiter.
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

// crowded reports whether an incomplete answer must wait because too many answers still need their
// final edit. The limit is maxEdited, or fewer if there is less room now.
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

// maxLanes limits the number of remembered lanes. Forgetting a lane without waiting calls is
// harmless, because its bucket is full again within seconds.
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

// remember stores a lane, and removes others if there are too many.
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
