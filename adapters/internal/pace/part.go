package pace

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Quota is a rate limit for all processes together. It allows one call per interval, and a burst.
type Quota struct {
	Every time.Duration
	Burst int
}

// Part is this process's part of a quota. If the part grows while calls wait, they wait less. A
// killed process still counts for some seconds, and in that time a small part could make a call
// wait for a minute. A Part is safe for concurrent use.
type Part struct {
	whole Quota

	mu      sync.Mutex
	limiter *rate.Limiter
	parts   int
	changed chan struct{} // closed and replaced when the part changes
}

// Part returns a Part that is the whole quota. [Part.Share] divides it.
func (q Quota) Part() *Part {
	return &Part{whole: q, limiter: rate.NewLimiter(rate.Every(q.Every), q.Burst), parts: 1, changed: make(chan struct{})}
}

// Share sets the number of processes by which the quota is divided.
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

// Allow takes a call if the quota permits one now. It reports whether it took the call.
func (p *Part) Allow() bool { return p.limiter.Allow() }

// Spare takes a call if half of the burst remains for other callers. It reports whether it took the
// call.
func (p *Part) Spare() bool {
	return p.limiter.Tokens() > float64(p.limiter.Burst())/2 && p.limiter.Allow()
}

// Room reports whether at least left calls of the burst remain after one more call. It takes no
// call. A larger left counts as the burst minus one.
func (p *Part) Room(left int) bool {
	return p.limiter.Tokens() > float64(min(left, p.limiter.Burst()-1))
}

// Wait waits until the quota permits a call, and takes the call. It fails immediately if ctx's
// deadline is too early.
func (p *Part) Wait(ctx context.Context) error {
	for {
		taken, err := p.wait(ctx)
		if taken || err != nil {
			return err
		}
	}
}

// wait is like Wait, but returns false as soon as the part changes.
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
