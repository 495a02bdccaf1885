package llm

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/footnotehq/footnote/core/sleep"
)

// Policy configures how long a [Chain] waits for a model and when it retries. Zero fields get the
// values of [DefaultPolicy].
type Policy struct {
	Attempts int           // per model, including the first
	Backoff  time.Duration // wait before the second attempt; doubled for each further attempt
	// maximum wait between two attempts if the provider does not specify one
	MaxBackoff    time.Duration
	MaxRetryAfter time.Duration // a provider that asks for a longer pause is not retried
	// maximum silence before the first delta; 0 means firstThought for a model that thinks, and
	// firstDelta for others
	FirstDelta time.Duration
	Stall      time.Duration // silence allowed between two deltas

	// Sleep waits between attempts. It returns the cause of the context if the context ends first.
	// A nil Sleep uses the clock.
	Sleep func(context.Context, time.Duration) error
	// Jitter returns a number in [0,1) that randomises waits. A nil Jitter is random.
	Jitter func() float64
}

// Maximum silence before the first delta. Models need time to read a long prompt.
const (
	firstDelta   = 90 * time.Second
	firstThought = 5 * time.Minute // for a model that thinks: some endpoints hide the reasoning
)

// DefaultPolicy returns the values for the zero fields of a Policy.
func DefaultPolicy() Policy {
	return Policy{
		Attempts: 3, Backoff: 500 * time.Millisecond, MaxBackoff: 8 * time.Second, MaxRetryAfter: 20 * time.Second,
		Stall: 45 * time.Second, Sleep: sleep.For, Jitter: rand.Float64,
	}
}

func (p Policy) withDefaults() Policy {
	d := DefaultPolicy()
	if p.Attempts <= 0 {
		p.Attempts = d.Attempts
	}
	for _, f := range []struct{ field, standard *time.Duration }{
		{&p.Backoff, &d.Backoff}, {&p.MaxBackoff, &d.MaxBackoff}, {&p.MaxRetryAfter, &d.MaxRetryAfter},
		{&p.Stall, &d.Stall},
	} {
		if *f.field <= 0 {
			*f.field = *f.standard
		}
	}
	if p.Sleep == nil {
		p.Sleep = d.Sleep
	}
	if p.Jitter == nil {
		p.Jitter = d.Jitter
	}
	return p
}

func (p Policy) beginning(info Info) time.Duration {
	switch {
	case p.FirstDelta > 0:
		return p.FirstDelta
	case info.Thinks:
		return firstThought
	}
	return firstDelta
}

// wait returns the pause after failed attempt n, counted from 1. It returns false if err is not
// retryable, no attempts remain, or the provider asks for a longer pause than MaxRetryAfter.
func (p Policy) wait(n int, err error) (time.Duration, bool) {
	if !Retryable(err) || n >= p.Attempts {
		return 0, false
	}
	var limited *RateLimitError
	if errors.As(err, &limited) && limited.RetryAfter > 0 {
		if limited.RetryAfter > p.MaxRetryAfter {
			return 0, false
		}
		// A little later than asked, so that many waiting turns do not all come back at the same moment.
		return limited.RetryAfter + time.Duration(p.Jitter()*float64(limited.RetryAfter)/4), true
	}
	pause := min(p.Backoff<<(n-1), p.MaxBackoff)
	return pause/2 + time.Duration(p.Jitter()*float64(pause)/2), true
}
