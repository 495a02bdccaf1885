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

// tier is Slack's limit of one method: so many calls a minute for each workspace. Half or less of
// it passes at once, so that bursts and the steady rate together stay within it in every minute,
// however Slack counts.
type tier struct {
	burst   int
	every   time.Duration
	channel bool // for each channel by itself
	reserve int  // of burst, for final writes alone; 0: a fifth
}

// tiers are the published ones: chat.postMessage about one a second in a channel, chat.update 50 a
// minute (tier 3), chat.startStream and chat.stopStream 20 (tier 2), chat.appendStream 100 (tier
// 4).
var tiers = map[thread.Call]tier{
	thread.Create:       {burst: 1, every: 1100 * time.Millisecond, channel: true},
	thread.Edit:         {burst: 20, every: 2 * time.Second, reserve: maxEdited},
	thread.StreamStart:  {burst: 10, every: 6 * time.Second},
	thread.StreamAppend: {burst: 40, every: time.Second},
	thread.StreamStop:   {burst: 10, every: 6 * time.Second},
}

// Pacing shares Slack's tiers among all answers of a workspace, part of each kept for final writes:
// so many edits that each answer which was posted before it was complete finds one at its end.
// Several processes share them through Use, and while those tiers cannot be asked, or there are
// none, each has its Share. The zero value is that of a single process; it is safe for concurrent
// use.
type Pacing struct {
	shared pace.Shared

	mu      sync.Mutex
	share   int // of processes; 0 is 1
	buckets map[lane]*queue
	edited  map[thread.Ref]time.Time // answers that were posted early and still need their final edit
}

// An answer that is posted before it is complete needs an edit at its end. So many may be so at
// once in a workspace that their final edits never wait long for one another; others are posted
// when they are complete, or when it is their turn.
const (
	maxEdited = 10
	// editedFor is how long an answer counts that never came to its final edit.
	editedFor = 10 * time.Minute
	// lookAgain is how often an answer looks whether another one has ended.
	lookAgain = 250 * time.Millisecond
	// shareAgain is how often those who wait look whether their part has grown: processes that were
	// killed count for some seconds.
	shareAgain = time.Second
)

// lane is what Slack counts by itself.
type lane struct {
	call      thread.Call
	workspace string
	channel   string // only for calls that are limited by channel
}

// queue is a bucket with those who wait for it: first come, first served, finals before the rest.
type queue struct {
	thread.Bucket
	key     string // in shared tiers
	waiting []*waiter
	// closed when the shared tiers have answered the first one; nil while they are not asked
	asking chan struct{}
}

func (q *queue) tier() thread.Tier {
	return thread.Tier{Burst: q.Burst, Every: q.Every, Reserve: q.Bucket.Reserve}
}

type waiter struct{ class thread.Class }

// soon is when those look again who wait for others alone.
const soon = 10 * time.Millisecond

// Use has the tiers shared with other processes. It is called before use.
func (p *Pacing) Use(tiers thread.Tiers) { p.shared.Use(tiers) }

// Share says how many processes serve the workspace. It may change at any time.
func (p *Pacing) Share(processes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.share = max(processes, 1)
}

// Reserve is thread.Surface's. A wait that ctx's deadline would cut short is not begun.
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

// Count notes a call that could not wait for its turn, so that others wait instead.
func (p *Pacing) Count(ctx context.Context, to thread.Ref, call thread.Call) {
	p.mu.Lock()
	now := time.Now()
	q := p.queue(to, call)
	q.Take(now)
	key, tier := q.key, q.tier()
	p.mu.Unlock()
	p.shared.Count(ctx, key, tier)
}

// Pause lets no call of this kind pass for a while, since Slack refused one.
func (p *Pacing) Pause(ctx context.Context, to thread.Ref, call thread.Call, d time.Duration) {
	p.mu.Lock()
	now := time.Now()
	q := p.queue(to, call)
	q.Pause(now, d)
	key := q.key
	p.mu.Unlock()
	p.shared.Pause(ctx, key, d)
}

// enter has a waiter wait behind those of its class, and before the others.
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

// leave ends the waiting, whatever came of it.
func (p *Pacing) leave(to thread.Ref, call thread.Call, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queue(to, call)
	q.waiting = slices.DeleteFunc(q.waiting, func(other *waiter) bool { return other == w })
}

// try takes a call when it is the waiter's turn, and otherwise says how long that may take; asked,
// when it is not nil, is closed when it is worth another try before. The shared tiers are asked for
// one waiter of a queue at a time, the first one, and without the lock: only the one who asks waits
// for a server that does not answer.
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
	if !together { // it is a share of the tier
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

// crowded reports whether an incomplete answer has to wait because it would be too many that still
// need their final edit: more than maxEdited, or more than there is room for now.
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

// maxLanes bounds what is remembered of channels; a forgotten lane without waiting calls is full
// again within seconds.
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

// remember keeps a lane, and forgets others when they have become many.
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
