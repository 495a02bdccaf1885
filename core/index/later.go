package index

import (
	"fmt"
	"time"
)

// Later is the error of a source that refuses requests until a time because of a rate limit. It
// wraps ErrPaused. Results so far are stored. A run that starts before At is refused at once,
// without a request to the source.
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

// Waiter is implemented by connectors that wait for the rate limits of their source.
type Waiter interface {
	// Waited returns the total time waited so far. It is safe for concurrent use.
	Waited() time.Duration
}
