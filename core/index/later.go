package index

import (
	"fmt"
	"time"
)

// Later is the error of a source that accepts no requests before a time because of a rate limit. It
// matches [ErrPaused] with [errors.Is]. The next run continues after At.
type Later struct {
	At  time.Time
	Why string // a sentence without its full stop
}

// Error implements error.
func (l *Later) Error() string {
	return fmt.Sprintf("%s: it goes on at %s", l.Why, l.At.UTC().Format("2006-01-02 15:04:05 UTC"))
}

// Is reports whether target is ErrPaused, for [errors.Is].
func (l *Later) Is(target error) bool { return target == ErrPaused }

// Waiter is a connector that waits for the rate limits of its source.
type Waiter interface {
	// Waited returns the total time waited so far. It is safe for concurrent use.
	Waited() time.Duration
}
