package sourcehttp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sleep"
)

const (
	// silentLimit is the wait after a rate limit response that states no time. It doubles for each
	// further such response, as GitHub recommends
	// (https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api).
	silentLimit  = time.Minute
	longestLimit = 2 * time.Hour
	// slack is added to the time at which a rate limit resets, because clocks differ.
	slack = time.Second
)

// budget is what remains of a rate limit, according to the source's response headers.
type budget struct {
	whole, remaining float64
	full             time.Time // time of the reset; zero if unknown
}

func (c *Client) awaitTurn(ctx context.Context, r Request) error {
	for {
		wait, err := c.waitFor(r)
		if err != nil {
			return err
		}
		if wait <= 0 {
			break
		}
		if err := c.rest(ctx, wait); err != nil {
			return err
		}
	}
	began := time.Now()
	if err := c.limiter.Wait(ctx); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("wait for a call of %s: %w", c.config.Name, err)
	}
	c.count(func(cost *Cost) { cost.Waited += time.Since(began) })
	return nil
}

// waitFor returns how long a request must wait. It returns *index.Later if that is longer than
// Config.Patience.
func (c *Client) waitFor(r Request) (time.Duration, error) {
	c.mu.Lock()
	until, b := c.until, c.budgets[r.Budget]
	c.mu.Unlock()
	if (b.remaining < 1 || b.remaining < b.whole*r.Spare) && b.full.After(until) {
		until = b.full
	}
	wait := until.Sub(c.config.Now())
	if wait <= c.config.Patience {
		return wait, nil
	}
	return 0, c.later(until)
}

func (c *Client) later(until time.Time) error {
	return &index.Later{At: until, Why: c.config.Name + " allows no more requests for now"}
}

func (c *Client) rest(ctx context.Context, d time.Duration) error {
	began := time.Now()
	err := sleep.For(ctx, d)
	c.count(func(cost *Cost) { cost.Waited += time.Since(began) })
	return err
}

func (c *Client) pause(attempt int) time.Duration {
	d := c.config.Pause << min(attempt-1, 10)
	return d/2 + rand.N(d) //nolint:gosec // not for secrets
}

func (c *Client) isLimit(r *Response) bool {
	return r.Status == http.StatusTooManyRequests || c.config.Limited != nil && c.config.Limited(r) ||
		r.Status == http.StatusServiceUnavailable && r.Header.Get("Retry-After") != ""
}

// Limit handles a rate limit that a response with status 200 reports in its body. It blocks
// requests until the limit ends. It returns *index.Later if that takes longer than Config.Patience.
func (c *Client) Limit(r Request, answer *Response) error { return c.limit(r, answer, false) }

func (c *Client) limit(r Request, answer *Response, enough bool) error {
	until := c.pauseUntil(r, answer)
	if enough {
		return c.later(until)
	}
	_, err := c.waitFor(r)
	return err
}

func (c *Client) pauseUntil(r Request, answer *Response) time.Time {
	now := c.config.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cost.Limited++
	wait, said := pace.RetryAfter(answer.Header, now)
	if !said {
		// only this budget is used up
		if b, ok := parseBudget(answer.Header, now); ok && b.remaining < 1 && b.full.After(now) {
			c.budgets[r.Budget] = b
			return b.full
		}
		wait = c.config.SilentLimit << min(c.limited, 10)
		c.limited++
	}
	if until := now.Add(min(wait, longestLimit)); until.After(c.until) {
		c.until = until
	}
	return c.until
}

// readBudget stores the rate limit in the response headers, so that requests pause before the
// source refuses them.
func (c *Client) readBudget(r Request, answer *Response) {
	b, ok := parseBudget(answer.Header, c.config.Now())
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limited = 0
	if ok {
		c.budgets[r.Budget] = b
	}
}

// parseBudget parses X-RateLimit-Limit, -Remaining and -Reset. The last one is the time, in seconds
// since 1970, at which the budget is full again.
func parseBudget(h http.Header, now time.Time) (b budget, ok bool) {
	var err error
	if b.remaining, err = strconv.ParseFloat(strings.TrimSpace(h.Get("X-RateLimit-Remaining")), 64); err != nil {
		return b, false
	}
	if b.whole, err = strconv.ParseFloat(strings.TrimSpace(h.Get("X-RateLimit-Limit")), 64); err != nil {
		b.whole = 0
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(h.Get("X-RateLimit-Reset")), 10, 64)
	if err != nil {
		return b, true
	}
	clock := now
	// the source's own clock, if the response states it
	if at, err := http.ParseTime(h.Get("Date")); err == nil {
		clock = at
	}
	if wait := time.Unix(seconds, 0).Sub(clock); wait > 0 {
		b.full = now.Add(min(wait+slack, longestLimit))
	}
	return b, true
}
