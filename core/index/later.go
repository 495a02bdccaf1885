package index

import (
	"fmt"
	"time"
)

// Later is the error of a source that wants to be left alone until a time, because too much was
// asked of it. It is ErrPaused: what was done so far counts, and who goes on before At is refused
// at once, without the source being asked.
type Later struct {
	At  time.Time
	Why string // as a sentence without its full stop
}

// Error implements error.
func (l *Later) Error() string {
	return fmt.Sprintf("%s: it goes on at %s", l.Why, l.At.UTC().Format("2006-01-02 15:04:05 UTC"))
}

// Is implements the interface of errors.Is.
func (l *Later) Is(target error) bool { return target == ErrPaused }

// Waiter is implemented by connectors that wait for the limits of their source.
type Waiter interface {
	// Waited is for how long that was so far. It is safe for concurrent use.
	Waited() time.Duration
}
