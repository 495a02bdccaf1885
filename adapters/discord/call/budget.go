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

// Limits of the bot's calls in total. Discord allows 50 calls in any second; a rate of 40 and a
// burst of 5 stay below that.
const (
	globalRate  = 40
	globalBurst = 5
	// globalKept is the part of the burst that progress edits leave to first and final writes.
	globalKept = globalBurst / 5
)

// globalKey returns the key in Redis for the bot's rate. The key holds a hash of the bot's token,
// because the bot's id is known only once it is connected.
func globalKey(token string) string {
	sum := sha256.Sum256([]byte(token))
	return "discord:" + hex.EncodeToString(sum[:8]) + ":global"
}

var globalTier = thread.Tier{Burst: globalBurst, Every: time.Second / globalRate, Reserve: globalKept}

// budget limits the bot's calls. Several processes draw from shared tiers. If there are no shared
// tiers, or they do not answer, each process uses its part of the rate. It is safe for concurrent
// use.
type budget struct {
	own    *pace.Part    // of this process
	asking chan struct{} // holds a token while no call asks the shared tiers: first come, first served
	// holds a token unless a non-urgent call waits, so at most one of those is ahead of urgent
	// calls
	second chan struct{}
	// holds a token unless an idle call waits, so at most one of those is ahead of other calls
	third chan struct{}

	shared pace.Shared
	key    string // of the bot in them

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

// use makes the budget draw from tiers, which other processes share. Call it before the budget is
// used.
func (b *budget) use(tiers thread.Tiers, key string) {
	b.key = key
	b.shared.Use(tiers)
	b.settle()
}

// share sets the number of processes that serve the bot. It may change at any time.
func (b *budget) share(processes int) {
	b.mu.Lock()
	b.processes = max(processes, 1)
	b.mu.Unlock()
	b.settle()
}

// settle sets this process's own limit: the full rate while the shared tiers work, or else its
// part.
func (b *budget) settle() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.shared.InReach() {
		b.own.Share(1)
	} else {
		b.own.Share(b.processes)
	}
}

// room reports whether a call that is not urgent may be made now, according to this process.
func (b *budget) room() bool { return b.own.Room(globalKept) }

// wait waits until a call may be made, and counts it. Urgent calls write answers and take
// precedence, so that the first words appear before a thread is opened for another answer. Idle
// calls come last.
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
	b.settle()
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

// draw waits until a shared tier allows a call, and counts it. If the tiers do not answer, draw
// returns at once, and the process's own limit applies.
func (b *budget) draw(ctx context.Context, key string, tier thread.Tier) error {
	for {
		after, ok := b.shared.Take(ctx, key, tier, thread.Final)
		if !ok {
			b.settle()
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

// pause tells all other processes that Discord refuses calls for d.
func (b *budget) pause(ctx context.Context, d time.Duration) { b.shared.Pause(ctx, b.key, d) }
