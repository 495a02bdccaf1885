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
	// silentLimit is the wait after a limit that names no time, doubled for each further one: "wait for at least one minute before retrying", then
	// "an exponentially increasing amount of time between retries"
	// (https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api).
	silentLimit = time.Minute
	// longestLimit is what a longer wait counts as: afterwards the source says it again.
	longestLimit = 2 * time.Hour
	// slack is what is waited beyond a reset that is told in whole seconds, and for clocks that differ.
	slack = time.Second
)

// turn waits until something may be asked.
func (c *Client) turn(ctx context.Context) error {
	for {
		if err := c.left(); err != nil {
			return err
		}
		c.mu.Lock()
		wait := c.until.Sub(c.config.Now())
		c.mu.Unlock()
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

// left returns *index.Later while the source is to be left alone for longer than a call sits through.
func (c *Client) left() error {
	c.mu.Lock()
	until := c.until
	c.mu.Unlock()
	if until.Sub(c.config.Now()) <= c.config.Patience {
		return nil
	}
	return c.later(until)
}

func (c *Client) later(until time.Time) error {
	return &index.Later{At: until, Why: c.config.Name + " allows no more requests for now"}
}

// rest waits, and counts that it did.
func (c *Client) rest(ctx context.Context, d time.Duration) error {
	began := time.Now()
	err := sleep.For(ctx, d)
	c.count(func(cost *Cost) { cost.Waited += time.Since(began) })
	return err
}

// pause is how long an attempt is waited for after another.
func (c *Client) pause(attempt int) time.Duration {
	d := c.config.Pause << min(attempt-1, 10)
	return d/2 + rand.N(d) //nolint:gosec // not for secrets
}

// isLimit reports whether an answer says that too much was asked.
func (c *Client) isLimit(r *Response) bool {
	return r.Status == http.StatusTooManyRequests || c.config.Limited != nil && c.config.Limited(r) ||
		r.Status == http.StatusServiceUnavailable && r.Header.Get("Retry-After") != ""
}

// Limit has the source left alone as an answer of 200 asks that says in its body that too much was asked. It returns *index.Later where that is
// for long.
func (c *Client) Limit(r *Response) error { return c.limit(r, false) }

// limit has the source left alone for as long as it asks. The error is *index.Later where that is for long, or enough was tried.
func (c *Client) limit(r *Response, enough bool) error {
	until := c.obey(r)
	if enough {
		return c.later(until)
	}
	return c.left()
}

// obey returns until when the source is to be left alone.
func (c *Client) obey(r *Response) time.Time {
	now := c.config.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cost.Limited++
	wait, said := pace.RetryAfter(r.Header, now)
	if !said {
		wait, said = reset(r.Header, now)
	}
	if !said {
		wait = silentLimit << min(c.limited, 10)
		c.limited++
	}
	if until := now.Add(min(wait, longestLimit)); until.After(c.until) {
		c.until = until
	}
	return c.until
}

// calm notes an answer: one that says that nothing is left has the source left alone before it refuses.
func (c *Client) calm(r *Response) {
	now := c.config.Now()
	wait, said := reset(r.Header, now)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.limited = 0
	if until := now.Add(min(wait, longestLimit)); said && until.After(c.until) {
		c.until = until
	}
}

// reset reads X-RateLimit-Remaining and X-RateLimit-Reset, the time at which there is more, in seconds since 1970. It says nothing where something
// is left, and where the time is over.
func reset(h http.Header, now time.Time) (wait time.Duration, said bool) {
	left, err := strconv.ParseFloat(strings.TrimSpace(h.Get("X-RateLimit-Remaining")), 64)
	if err != nil || left > 0 {
		return 0, false
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(h.Get("X-RateLimit-Reset")), 10, 64)
	if err != nil {
		return 0, false
	}
	// By the source's own clock, where it tells it.
	if at, err := http.ParseTime(h.Get("Date")); err == nil {
		now = at
	}
	wait = time.Unix(seconds, 0).Sub(now)
	if wait <= 0 {
		return 0, false
	}
	return wait + slack, true
}
