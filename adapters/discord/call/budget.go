package call

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

// globalRate is the maximum number of the bot's calls in a second. Discord allows 50 calls in any
// second. A rate of 40 with a burst of 5 stays below that.
const (
	globalRate  = 40
	globalBurst = 5
	// globalKept is the number of calls of the burst that non-urgent calls, such as progress edits,
	// leave unused.
	globalKept = globalBurst / 5
)

// globalKey returns the Redis key of the bot's rate limit. The key contains a hash of the bot's
// token, because the bot's id is unknown before it connects.
func globalKey(token string) string {
	sum := sha256.Sum256([]byte(token))
	return "discord:" + hex.EncodeToString(sum[:8]) + ":global"
}

var globalTier = thread.Tier{Burst: globalBurst, Every: time.Second / globalRate, Reserve: globalKept}

// budget limits the rate of all calls of the bot. It counts them in a rate limiter that the bot's
// processes share. If that limiter is missing or does not answer, each process uses its part of the
// rate. It is safe for concurrent use.
type budget struct {
	own    *pace.Part    // limit of this process
	asking chan struct{} // holds a token while no call asks the shared tiers: first come, first served
	// holds a token unless a non-urgent call waits; at most one non-urgent call is ahead of urgent
	// calls
	second chan struct{}
	// holds a token unless an idle call waits; at most one idle call is ahead of other calls
	third chan struct{}

	shared pace.Shared
	key    string // the bot's key in shared

	mu        sync.Mutex
	processes int
}

func newBudget() *budget {
	b := &budget{own: pace.Quota{Every: time.Second / globalRate, Burst: globalBurst}.Part(), asking: make(chan struct{}, 1), second: make(chan struct{}, 1), third: make(chan struct{}, 1), processes: 1}
	b.asking <- struct{}{}
	b.second <- struct{}{}
	b.third <- struct{}{}
	return b
}

// use sets the shared rate limiter and the bot's key in it. It must be called before wait.
func (b *budget) use(tiers thread.Tiers, key string) {
	b.key = key
	b.shared.Use(tiers)
	b.updateShare()
}

func (b *budget) share(processes int) {
	b.mu.Lock()
	b.processes = max(processes, 1)
	b.mu.Unlock()
	b.updateShare()
}

// updateShare sets the rate of this process. It is the full rate while the shared limiter works,
// and otherwise an equal part for each process.
func (b *budget) updateShare() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shared.InReach() {
		b.own.Share(1)
	} else {
		b.own.Share(b.processes)
	}
}

// room reports whether a call that is not urgent may be made now. It does not ask the shared
// limiter.
func (b *budget) room() bool { return b.own.Room(globalKept) }

// wait blocks until the rate limits allow a call, and counts the call. Urgent calls are served
// first, and calls with a context from [Idle] last.
func (b *budget) wait(ctx context.Context, urgent bool) error {
	if hurry, idle := idleUntil(ctx); idle {
		urgent = false
		select {
		case <-b.third:
			defer func() { b.third <- struct{}{} }()
		case <-hurry:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if !urgent {
		select {
		case <-b.second:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		defer func() { b.second <- struct{}{} }()
	}
	b.updateShare()
	together := b.shared.InReach()
	if err := b.own.Wait(ctx); err != nil || !together {
		return err
	}
	select {
	case <-b.asking:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { b.asking <- struct{}{} }()
	return b.draw(ctx, b.key, globalTier)
}

// draw waits until the shared limiter allows a call. If that limiter does not answer, draw returns
// nil, and only the limit of this process applies.
func (b *budget) draw(ctx context.Context, key string, tier thread.Tier) error {
	for {
		after, ok := b.shared.Take(ctx, key, tier, thread.Final)
		if !ok {
			b.updateShare()
			return nil
		}
		if after <= 0 {
			return nil
		}
		if err := sleep.For(ctx, after); err != nil {
			return err
		}
	}
}

// pause makes all processes of the bot wait for d after Discord refused a call.
func (b *budget) pause(ctx context.Context, d time.Duration) { b.shared.Pause(ctx, b.key, d) }
