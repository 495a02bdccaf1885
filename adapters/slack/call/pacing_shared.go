package call

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// Use has the tiers shared with other processes. It is called before use.
func (p *Pacing) Use(tiers thread.Tiers) { p.shared = tiers }

const (
	// tiersLimit bounds a question to the shared tiers. The answer that asks waits for it, and those behind it that need the same call.
	tiersLimit = 250 * time.Millisecond
	// tiersAgain is how long they are left alone after they did not answer.
	tiersAgain = 5 * time.Second
)

// together returns the shared tiers; nil when there are none, or they are left alone. p.mu is held.
func (p *Pacing) together(now time.Time) thread.Tiers {
	if now.Before(p.alone) {
		return nil
	}
	return p.shared
}

// tell passes on to the shared tiers, if they are not nil, what happened here. p.mu is not held: nobody else waits for their answer.
func (p *Pacing) tell(ctx context.Context, shared thread.Tiers, say func(context.Context) error) {
	if shared == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tiersLimit)
	defer cancel()
	if say(ctx) == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.alone = time.Now().Add(tiersAgain)
}
