package slack

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// tier is Slack's limit of one method: so many calls a minute for each workspace. Half or less of it passes at once, so that bursts
// and the steady rate together stay within it in every minute, however Slack counts.
type tier struct {
	burst   int
	every   time.Duration
	channel bool // for each channel by itself
}

// tiers are the published ones: chat.postMessage about one a second in a channel, chat.update 50 a minute (tier 3), chat.startStream
// and chat.stopStream 20 (tier 2), chat.appendStream 100 (tier 4).
var tiers = map[thread.Call]tier{
	thread.Create:       {burst: 1, every: 1100 * time.Millisecond, channel: true},
	thread.Edit:         {burst: 20, every: 2 * time.Second},
	thread.StreamStart:  {burst: 10, every: 6 * time.Second},
	thread.StreamAppend: {burst: 40, every: time.Second},
	thread.StreamStop:   {burst: 10, every: 6 * time.Second},
}

// Pacing shares Slack's tiers among all answers of a workspace, a fifth of each kept for final writes. Several processes share them
// through Use, and while those tiers cannot be asked, or there are none, each has its Share. The zero value is that of a single process;
// it is safe for concurrent use.
type Pacing struct {
	mu      sync.Mutex
	share   int          // of processes; 0 is 1
	shared  thread.Tiers // nil: there are none
	alone   time.Time    // until then the shared tiers are not asked again
	buckets map[lane]*queue
	edited  map[thread.Ref]time.Time // answers that were posted early and still need their final edit
}

// An answer that is posted before it is complete needs an edit at its end. So many may be so at once in a workspace that their final
// edits never wait long for one another; others are posted when they are complete, or when it is their turn.
const (
	maxEdited = 10
	// editedFor is how long an answer counts that never came to its final edit.
	editedFor = 10 * time.Minute
	// lookAgain is how often an answer looks whether another one has ended.
	lookAgain = 250 * time.Millisecond
	// shareAgain is how often those who wait look whether their part has grown: processes that were killed count for some seconds.
	shareAgain = time.Second
)

var _ thread.Pacing = (*Pacing)(nil)

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
}

func (q *queue) tier() thread.Tier {
	return thread.Tier{Burst: q.Burst, Every: q.Every, Reserve: q.Bucket.Reserve}
}

type waiter struct{ class thread.Class }

// Share says how many processes serve the workspace. It may change at any time.
func (p *Pacing) Share(processes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.share = max(processes, 1)
}

// Use has the tiers shared with other processes. It is called before use.
func (p *Pacing) Use(tiers thread.Tiers) { p.shared = tiers }

const (
	// tiersLimit bounds a question to the shared tiers, which answers of all threads wait for.
	tiersLimit = 250 * time.Millisecond
	// tiersAgain is how long they are left alone after they did not answer.
	tiersAgain = 5 * time.Second
)

// together reports whether the shared tiers are asked. p.mu is held.
func (p *Pacing) together(now time.Time) bool { return p.shared != nil && !now.Before(p.alone) }

// grant takes a call that the process's own bucket has room for, or says how long the others make it wait. p.mu is held.
func (p *Pacing) grant(
	ctx context.Context, q *queue, to thread.Ref, call thread.Call, class thread.Class, now time.Time,
) (wait time.Duration) {
	if p.together(now) {
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), tiersLimit) // an answer that is stopped says nothing of the tiers
		defer cancel()
		wait, err := p.shared.Take(limited, q.key, q.tier(), class)
		switch {
		case err != nil:
			p.alone = now.Add(tiersAgain)
			if wait := p.queue(to, call).Wait(now, 1, class); wait > 0 { // now that it is a share of the tier
				return wait
			}
		case wait > 0:
			return wait
		}
	}
	p.take(q, to, call, class, now)
	return 0
}

// tell passes on to the shared tiers what happened here. p.mu is held.
func (p *Pacing) tell(ctx context.Context, now time.Time, say func(context.Context, thread.Tiers) error) {
	if !p.together(now) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tiersLimit)
	defer cancel()
	if say(ctx, p.shared) != nil {
		p.alone = now.Add(tiersAgain)
	}
}

// Reserve implements thread.Pacing. A wait that ctx's deadline would cut short is not begun.
func (p *Pacing) Reserve(ctx context.Context, to thread.Ref, call thread.Call, class thread.Class) error {
	w := &waiter{class}
	wait, err := p.enter(ctx, to, call, w)
	if wait == 0 || err != nil {
		return err
	}
	if deadline, ok := ctx.Deadline(); ok && class != thread.Final && time.Until(deadline) < wait {
		p.leave(to, call, w)
		return thread.ErrNoRoom // waiting would be in vain
	}
	timer := time.NewTimer(min(wait, shareAgain))
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			p.leave(to, call, w)
			return context.Cause(ctx)
		}
		if wait = p.try(ctx, to, call, w); wait == 0 {
			return nil
		}
		timer.Reset(min(wait, shareAgain))
	}
}

// Count notes a call that could not wait for its turn, so that others wait instead.
func (p *Pacing) Count(ctx context.Context, to thread.Ref, call thread.Call) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q, now := p.queue(to, call), time.Now()
	q.Take(now)
	p.tell(ctx, now, func(ctx context.Context, t thread.Tiers) error { return t.Count(ctx, q.key, q.tier()) })
}

// Pause lets no call of this kind pass for a while, since Slack refused one.
func (p *Pacing) Pause(ctx context.Context, to thread.Ref, call thread.Call, d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q, now := p.queue(to, call), time.Now()
	q.Pause(now, d)
	p.tell(ctx, now, func(ctx context.Context, t thread.Tiers) error { return t.Pause(ctx, q.key, d) })
}

func (p *Pacing) enter(ctx context.Context, to thread.Ref, call thread.Call, w *waiter) (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q, now := p.queue(to, call), time.Now()
	ahead := 0
	for _, other := range q.waiting {
		if other.class <= w.class {
			ahead++
		}
	}
	wait := q.Wait(now, ahead+1, w.class)
	if call == thread.Edit && w.class == thread.Final {
		delete(p.edited, to)
	}
	if p.crowded(to, call, w.class, now) {
		wait = max(wait, lookAgain)
	}
	if wait == 0 && ahead == 0 {
		if wait = p.grant(ctx, q, to, call, w.class, now); wait == 0 {
			return 0, nil
		}
	}
	if w.class == thread.Progress {
		return 0, thread.ErrNoRoom
	}
	q.waiting = slices.Insert(q.waiting, ahead, w)
	return wait, nil
}

// try takes a token when it is the waiter's turn, or says how long that may take.
func (p *Pacing) try(ctx context.Context, to thread.Ref, call thread.Call, w *waiter) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	q, now := p.queue(to, call), time.Now()
	ahead := slices.Index(q.waiting, w)
	wait := q.Wait(now, ahead+1, w.class)
	if p.crowded(to, call, w.class, now) {
		wait = max(wait, lookAgain)
	}
	if wait == 0 && ahead == 0 {
		if wait = p.grant(ctx, q, to, call, w.class, now); wait == 0 {
			q.waiting = slices.Delete(q.waiting, 0, 1)
			return 0
		}
	}
	return max(wait, time.Millisecond)
}

func (p *Pacing) take(q *queue, to thread.Ref, call thread.Call, class thread.Class, now time.Time) {
	q.Take(now)
	if call != thread.Create || class == thread.Final {
		return
	}
	if p.edited == nil {
		p.edited = make(map[thread.Ref]time.Time)
	}
	p.edited[to] = now
}

// crowded reports whether an incomplete answer has to wait because too many others are waiting for their final edits.
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
	return others >= max(maxEdited/max(p.share, 1), 1)
}

func (p *Pacing) leave(to thread.Ref, call thread.Call, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	q := p.queue(to, call)
	q.waiting = slices.DeleteFunc(q.waiting, func(other *waiter) bool { return other == w })
}

// maxLanes bounds what is remembered of channels; a forgotten lane that nobody waits in is full again within seconds.
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
	if p.together(time.Now()) {
		share = 1
	}
	q.Burst, q.Every = max(t.burst/share, 1), t.every*time.Duration(share)
	q.Bucket.Reserve = q.Burst / 5
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
			if len(q.waiting) == 0 && q.Wait(now, q.Burst, thread.Final) == 0 {
				delete(p.buckets, key)
			}
		}
	}
	p.buckets[at] = q
}
