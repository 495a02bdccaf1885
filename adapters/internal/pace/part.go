package pace

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Quota is what all processes together may make of some calls: one in every so long, and so many at
// once.
type Quota struct {
	Every time.Duration
	Burst int
}

// Part is this process's part of a quota. What waits for it waits no longer once the part has
// grown: processes that were killed count for some seconds, in which a part can be so small that a
// call would wait for a minute. It is safe for concurrent use.
type Part struct {
	whole Quota

	mu      sync.Mutex
	limiter *rate.Limiter
	parts   int
	changed chan struct{} // closed and replaced when the part is another
}

// Part returns all of a quota, until Share divides it.
func (q Quota) Part() *Part {
	return &Part{whole: q, limiter: rate.NewLimiter(rate.Every(q.Every), q.Burst), parts: 1, changed: make(chan struct{})}
}

// Share says among how many processes the quota is divided.
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

// Allow takes a call if there is room now.
func (p *Part) Allow() bool { return p.limiter.Allow() }

// Spare takes a call if half of what passes at once is left for others.
func (p *Part) Spare() bool {
	return p.limiter.Tokens() > float64(p.limiter.Burst())/2 && p.limiter.Allow()
}

// Room reports whether there is room now and so much is left of what passes at once, or all but one
// where that is less.
func (p *Part) Room(left int) bool {
	return p.limiter.Tokens() > float64(min(left, p.limiter.Burst()-1))
}

// Wait takes a call as soon as there is room. A wait that ctx's deadline would cut short is not
// begun.
func (p *Part) Wait(ctx context.Context) error {
	for {
		taken, err := p.wait(ctx)
		if taken || err != nil {
			return err
		}
	}
}

// wait is Wait until the part is another.
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
