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

// The bot's share of what Discord allows it in all: 50 calls in any second, which a rate of 40 and
// a burst of 5 stay below.
const (
	globalRate  = 40
	globalBurst = 5
	// globalKept is how much of the burst progress edits leave to first and final writes.
	globalKept = globalBurst / 5
)

// globalKey is the bot's share as the processes on one Redis count it. Bots are distinguished by
// their tokens, of which it holds no more than a hash: their ids are known only once they are
// connected.
func globalKey(token string) string {
	sum := sha256.Sum256([]byte(token))
	return "discord:" + hex.EncodeToString(sum[:8]) + ":global"
}

var globalTier = thread.Tier{Burst: globalBurst, Every: time.Second / globalRate, Reserve: globalKept}

// budget holds a bot to its share of calls. Several processes draw from shared tiers, and while
// those cannot be asked, or there are none, each takes its part. It is safe for concurrent use.
type budget struct {
	own    *pace.Part    // of this process
	asking chan struct{} // holds a token while no call asks the shared tiers: first come, first served
	// holds a token while none of the calls waits that are not urgent: one of them is ahead of
	// urgent ones at most
	second chan struct{}
	// holds one while none of the idle calls waits: one of them is ahead of others at most
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

// use has the share drawn from tiers that other processes draw from too. It is called before use.
func (b *budget) use(tiers thread.Tiers, key string) {
	b.key = key
	b.shared.Use(tiers)
	b.settle()
}

// share says how many processes serve the bot. It may change at any time.
func (b *budget) share(processes int) {
	b.mu.Lock()
	b.processes = max(processes, 1)
	b.mu.Unlock()
	b.settle()
}

// settle sets what this process may do by itself: everything while the shared tiers count, else its
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

// room reports whether a call that is none of the urgent ones may be made now, as far as this
// process knows.
func (b *budget) room() bool { return b.own.Room(globalKept) }

// wait takes a call, as soon as there is one. Urgent calls, which write answers, come before
// others, such as those that open threads for further answers: so the first words that can be shown
// are. Idle calls come last.
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

// draw takes a call of a shared tier, as soon as there is one. While they cannot be asked it takes
// none: the process uses what it knows itself.
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

// pause tells the other processes that Discord refuses everything for so long.
func (b *budget) pause(ctx context.Context, d time.Duration) { b.shared.Pause(ctx, b.key, d) }
