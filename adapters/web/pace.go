package web

import (
	"context"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
	"github.com/footnotehq/footnote/core/sleep"
	"golang.org/x/time/rate"
)

// Politeness limits the request rate per host across all sources. The connectors of a process share
// one Politeness. It is safe for concurrent use, and the zero value is ready to use.
type Politeness struct {
	mu    sync.Mutex
	hosts map[string]*hostPace
}

// of returns the pace of a host, which all sources of the host share. If their intervals differ,
// the longest applies.
func (p *Politeness) of(host string, interval time.Duration) *hostPace {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosts == nil {
		p.hosts = make(map[string]*hostPace)
	}
	found := p.hosts[host]
	if found == nil {
		found = &hostPace{limiter: rate.NewLimiter(rate.Every(interval), 1)}
		p.hosts[host] = found
	}
	found.slow(interval)
	return found
}

// hostPace allows one request in each interval, and none during a pause that the host requested.
type hostPace struct {
	mu      sync.Mutex
	limiter *rate.Limiter
	quiet   pace.Rest
}

// theHost is the only key in hostPace.quiet.
const theHost = ""

// slow lengthens the interval between requests. It ignores an interval that is shorter than the
// current one.
func (p *hostPace) slow(interval time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if limit := rate.Every(interval); limit < p.limiter.Limit() {
		p.limiter.SetLimit(limit)
	}
}

func (p *hostPace) rest(length time.Duration) { p.quiet.For(theHost, length) }

// wait waits until a request is allowed. It fails immediately if the host's pause is longer than a
// run can wait.
func (p *hostPace) wait(ctx context.Context) error {
	for {
		if err := p.limiter.Wait(ctx); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return err
		}
		length := p.quiet.Left(theHost)
		switch {
		case length <= 0:
			return nil
		case length > longestWait:
			return pauseError("", length)
		}
		if err := sleep.For(ctx, length); err != nil {
			return err
		}
	}
}
