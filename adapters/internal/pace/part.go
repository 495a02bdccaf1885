package pace

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Quota is a rate limit for all processes together. It allows Burst calls at once, and one further
// call per interval.
type Quota struct {
	Every time.Duration
	Burst int
}

// Part is one process's share of a [Quota]. If the share grows, calls that already wait are
// released earlier. A Part is safe for concurrent use.
type Part struct {
	whole Quota

	mu      sync.Mutex
	limiter *rate.Limiter
	parts   int
	changed chan struct{} // closed and replaced when the part changes
}

// Part returns a Part with the whole quota, as for a single process. Call [Part.Share] if there are
// several processes.
func (q Quota) Part() *Part {
	return &Part{whole: q, limiter: rate.NewLimiter(rate.Every(q.Every), q.Burst), parts: 1, changed: make(chan struct{})}
}

// Share sets the number of processes between which the quota is divided.
func (p *Part) Share(processes int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if processes == p.parts {
		return
	}
	p.parts = processes
	p.limiter.SetLimit(rate.Every(p.whole.Every * time.Duration(processes)))
	p.limiter.SetBurst(max(p.whole.Burst/processes, 1))
	close(p.changed)
	p.changed = make(chan struct{})
}

// Allow takes a call without waiting. It reports whether the quota permitted it.
func (p *Part) Allow() bool { return p.limiter.Allow() }

// Spare takes a call only if more than half of the burst is left. It reports whether it took the
// call. Use it for calls that can be omitted.
func (p *Part) Spare() bool {
	return p.limiter.Tokens() > float64(p.limiter.Burst())/2 && p.limiter.Allow()
}

// Room reports whether at least the given number of calls would be left after one more call. It
// does not take a call. A number above the burst minus one counts as the burst minus one.
func (p *Part) Room(left int) bool {
	return p.limiter.Tokens() > float64(min(left, p.limiter.Burst()-1))
}

// Wait waits until the quota permits a call, and takes the call. It fails at once if the deadline
// of ctx is earlier.
func (p *Part) Wait(ctx context.Context) error {
	for {
		taken, err := p.wait(ctx)
		if taken || err != nil {
			return err
		}
	}
}

func (p *Part) wait(ctx context.Context) (taken bool, err error) {
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
