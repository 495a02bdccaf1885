package call

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
	"golang.org/x/time/rate"
)

// The bot's share of what Discord allows it in all: 50 calls in any second, which a rate of 40 and a burst of 5 stay below.
const (
	globalRate  = 40
	globalBurst = 5
	// globalKept is how much of the burst progress edits leave to first and final writes.
	globalKept = globalBurst / 5
)

// globalKey is the bot's share as the processes on one Redis count it. Bots are told apart by their tokens, of which it holds no more than a
// hash: their ids are known only once they are connected.
func globalKey(token string) string {
	sum := sha256.Sum256([]byte(token))
	return "discord:" + hex.EncodeToString(sum[:8]) + ":global"
}

var globalTier = thread.Tier{Burst: globalBurst, Every: time.Second / globalRate, Reserve: globalKept}

const (
	// tiersLimit bounds a question to the shared tiers, which calls of all answers wait for.
	tiersLimit = 250 * time.Millisecond
	// tiersAgain is how long they are left alone after they did not answer.
	tiersAgain = 5 * time.Second
)

// budget holds a bot to its share of calls. Several processes draw from shared tiers, and while those cannot be asked, or there are none,
// each takes its part. It is safe for concurrent use.
type budget struct {
	own    *rate.Limiter // of this process
	asking chan struct{} // holds a token while nobody asks the shared tiers: first come, first served
	second chan struct{} // holds a token while none of the calls waits that are not urgent: one of them is ahead of urgent ones at most

	mu        sync.Mutex
	shared    thread.Tiers // nil: there are none
	key       string       // of the bot in them
	alone     time.Time    // until then they are not asked again
	processes int
}

func newBudget() *budget {
	b := &budget{own: rate.NewLimiter(globalRate, globalBurst), asking: make(chan struct{}, 1), second: make(chan struct{}, 1), processes: 1}
	b.asking <- struct{}{}
	b.second <- struct{}{}
	return b
}

// use has the share drawn from tiers that other processes draw from too.
func (b *budget) use(tiers thread.Tiers, key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shared, b.key = tiers, key
	b.settle(time.Now())
}

// share says how many processes serve the bot. It may change at any time.
func (b *budget) share(processes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.processes = max(processes, 1)
	b.settle(time.Now())
}

// settle sets what this process may do by itself, and returns the shared tiers unless they are left alone. b.mu is held.
func (b *budget) settle(now time.Time) thread.Tiers {
	shared := b.shared
	if shared != nil && now.Before(b.alone) {
		shared = nil
	}
	parts := b.processes
	if shared != nil {
		parts = 1
	}
	if part := rate.Limit(globalRate) / rate.Limit(parts); b.own.Limit() != part {
		b.own.SetLimitAt(now, part)
		b.own.SetBurstAt(now, max(globalBurst/parts, 1))
	}
	return shared
}

// room reports whether a call that is none of the urgent ones may be made now, as far as this process knows.
func (b *budget) room() bool {
	return b.own.Tokens() > float64(min(globalKept, b.own.Burst()-1))
}

// wait takes a call, as soon as there is one. Urgent calls, which write answers, come before others, such as those that open threads for
// further answers: so the first words that can be shown are.
func (b *budget) wait(ctx context.Context, urgent bool) error {
	if !urgent {
		select {
		case <-b.second:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		defer func() { b.second <- struct{}{} }()
	}
	b.mu.Lock()
	shared, key := b.settle(time.Now()), b.key
	b.mu.Unlock()
	if err := b.own.Wait(ctx); err != nil || shared == nil {
		return err
	}
	select {
	case <-b.asking:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { b.asking <- struct{}{} }()
	for {
		asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), tiersLimit) // a call that is given up says nothing of the tiers
		after, err := shared.Take(asking, key, globalTier, thread.Final)
		cancel()
		if err != nil {
			b.unreachable()
			return nil // the process has a part of its own, which it took above
		}
		if after <= 0 {
			return nil
		}
		if err := sleep.For(ctx, after); err != nil {
			return err
		}
	}
}

func (b *budget) unreachable() {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.alone = now.Add(tiersAgain)
	b.settle(now)
}

// pause tells the other processes that Discord refuses everything for so long.
func (b *budget) pause(ctx context.Context, d time.Duration) {
	b.hold(ctx, func(global string) string { return global }, d)
}

// hold lets nothing of a shared tier pass for so long. key makes the tier's key of that of the bot's share.
func (b *budget) hold(ctx context.Context, key func(global string) string, d time.Duration) {
	b.mu.Lock()
	shared, global := b.settle(time.Now()), b.key
	b.mu.Unlock()
	if shared == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tiersLimit)
	defer cancel()
	if shared.Pause(ctx, key(global), d) != nil {
		b.unreachable()
	}
}
