package answer

import (
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Metrics counts events for the operator. No argument identifies a person, a channel or a text.
// Methods return at once and are safe for concurrent use.
type Metrics interface {
	// Turn is called once for each turn that this process answered, after the outcome is stored.
	Turn(p thread.Platform, saved session.Saved)
	// Stopped is called when a stopped run has ended. The argument is the time since this process
	// learned of the stop.
	Stopped(took time.Duration)
	// Repeated is called for each redelivery of an event that was already accepted.
	Repeated(p thread.Platform)
	// TakenOver is called when this process continues a turn of a process that died.
	TakenOver()
}

type noMetrics struct{}

var _ Metrics = noMetrics{}

func (noMetrics) Turn(thread.Platform, session.Saved) {}
func (noMetrics) Stopped(time.Duration)               {}
func (noMetrics) Repeated(thread.Platform)            {}
func (noMetrics) TakenOver()                          {}
