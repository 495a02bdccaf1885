package answer

import (
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Metrics counts what happens, for whoever runs the bot. Nothing that it gets names a person, a
// channel or a text. Methods return at once and are safe for concurrent use.
type Metrics interface {
	// Turn is called when a turn has got its outcome: once for each turn that this process answered.
	Turn(p thread.Platform, saved session.Saved)
	// Stopped is called when a run that a person stopped has ended, with the time from the stop
	// becoming known to this process.
	Stopped(took time.Duration)
	// Repeated is called for each delivery of an event that was taken in before.
	Repeated(p thread.Platform)
	// TakenOver is called when this process goes on with a turn of one that died.
	TakenOver()
}

// nothing counts nothing.
type nothing struct{}

var _ Metrics = nothing{}

func (nothing) Turn(thread.Platform, session.Saved) {}
func (nothing) Stopped(time.Duration)               {}
func (nothing) Repeated(thread.Platform)            {}
func (nothing) TakenOver()                          {}
