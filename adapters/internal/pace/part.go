package call

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// quota is what all processes together make of a method's calls.
type quota struct {
	every time.Duration
	burst int
}

// paced is the quota with another pace.
func (q quota) paced(every time.Duration) quota { return quota{every, q.burst} }

// assistant.threads.setStatus has a limit of its own kind: about one a second in each thread, as chat.postMessage has in each channel, and several
// hundred a minute in the workspace, of which this is the part that is counted here. Titles and suggested prompts are 50 a minute of each; threads
// and channels are read 50 times a minute, half of it for answers that wait for it and a third for what nobody waits for.
var (
	statusQuota  = quota{200 * time.Millisecond, 100}
	promptQuota  = quota{2 * time.Second, 10}
	sessionQuota = quota{4 * time.Second, 8} // two calls each, of 50 a minute
	readQuota    = quota{3 * time.Second, 8}
	scanQuota    = quota{5 * time.Second, 8}
	listQuota    = quota{7500 * time.Millisecond, 12} // of 20 a minute: 12,000 people at once
	infoQuota    = quota{time.Second, 40}             // of 100 a minute
	homeQuota    = quota{1700 * time.Millisecond, 14} // of 50 a minute
)

// Portion is this process's part of a quota. What waits for it waits no longer once the part has grown: processes that were killed count for
// some seconds, in which a part can be so small that a call would wait for a minute. It is safe for concurrent use.
type Portion struct {
	whole quota

	mu      sync.Mutex
	limiter *rate.Limiter
	parts   int
	changed chan struct{} // closed and replaced when the part is another
}

func (q quota) portion() *Portion {
	return &Portion{whole: q, limiter: rate.NewLimiter(rate.Every(q.every), q.burst), parts: 1, changed: make(chan struct{})}
}

// share says among how many processes the quota is divided.
func (p *Portion) share(processes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if processes == p.parts {
		return
	}
	p.parts = processes
	p.limiter.SetLimit(rate.Every(p.whole.every * time.Duration(processes)))
	p.limiter.SetBurst(max(p.whole.burst/processes, 1))
	close(p.changed)
	p.changed = make(chan struct{})
}

// Allow takes a call if there is room now.
func (p *Portion) Allow() bool { return p.limiter.Allow() }

// Spare takes a call if half of what passes at once is left for others.
func (p *Portion) Spare() bool {
	return p.limiter.Tokens() > float64(p.limiter.Burst())/2 && p.limiter.Allow()
}

// Wait takes a call as soon as there is room. A wait that ctx's deadline would cut short is not begun.
func (p *Portion) Wait(ctx context.Context) error {
	for {
		taken, err := p.wait(ctx)
		if taken || err != nil {
			return err
		}
	}
}

// wait is Wait until the part is another.
func (p *Portion) wait(ctx context.Context) (taken bool, err error) {
	p.mu.Lock()
	call, changed := p.limiter.Reserve(), p.changed
	p.mu.Unlock()
	after := call.Delay()
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < after {
		call.Cancel()
		return false, fmt.Errorf("wait %s for a call: %w", after, context.DeadlineExceeded)
	}
	timer := time.NewTimer(after)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true, nil
	case <-changed:
		call.Cancel()
		return false, nil
	case <-ctx.Done():
		call.Cancel()
		return false, context.Cause(ctx)
	}
}
