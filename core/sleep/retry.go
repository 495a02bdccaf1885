package sleep

import (
	"context"
	"fmt"
	"time"
)

// Backoff is a schedule of retries. The first wait is First, and each further wait is twice as
// long.
type Backoff struct {
	First  time.Duration
	Most   time.Duration // longest wait; 0: no limit
	Within time.Duration // time after the first call in which calls are repeated; 0: no limit
	Tries  int           // number of calls; 0: no limit
	// Vary changes a wait, so that processes do not retry in step. It may be nil.
	Vary func(wait time.Duration) time.Duration
}

// Never is the wait that makes [Backoff.Retry] give up.
const Never time.Duration = -1

// Retry repeats call while it fails. again returns the shortest wait after an error, such as the
// one that a server asked for. It returns Never if another call would fail too. Retry returns the
// last error of call when the schedule ends, or if ctx would end before the next call. If ctx ends
// during a wait, the error also wraps the cause of ctx.
func (b Backoff) Retry(ctx context.Context, call func() error, again func(err error) time.Duration) error {
	began, wait := time.Now(), b.First
	for try := 1; ; try++ {
		err := call()
		if err == nil || try == b.Tries {
			return err
		}
		shortest := again(err)
		if shortest == Never {
			return err
		}
		pause := wait
		if b.Vary != nil {
			pause = b.Vary(wait)
		}
		pause = max(pause, shortest)
		ends, limited := ctx.Deadline()
		if b.Within > 0 && time.Since(began)+pause > b.Within || limited && time.Until(ends) <= pause {
			return err
		}
		if ended := For(ctx, pause); ended != nil {
			return fmt.Errorf("%w: %w", ended, err)
		}
		if wait *= 2; b.Most > 0 {
			wait = min(wait, b.Most)
		}
	}
}

// Always is the argument again of [Backoff.Retry] for a call that is repeated after every error.
func Always(error) time.Duration { return 0 }
