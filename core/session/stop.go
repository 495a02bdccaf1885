package session

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// TombstoneAge is how long a stop of a message that is not known yet waits for the message.
const TombstoneAge = 10 * time.Minute

// Stopper is a person who wants a turn stopped.
type Stopper struct {
	ID string // platform id; empty: no person in particular
	// an administrator, a member of the configured group, or the platform itself (a deleted
	// question)
	Privileged bool
}

// MayStop reports whether a person may stop a turn: its asker, whoever began the thread, and the
// privileged.
func MayStop(by Stopper, asker, starter string) bool {
	return by.Privileged || by.ID != "" && (by.ID == asker || by.ID == starter)
}

// StopRequest names what is to be stopped. With Message set it is the turn that the message belongs
// to, as its question, a page of its answer or a notice; otherwise every unfinished turn of the
// thread that By may stop, private ones only by their owner. With Thread empty as well it is every
// unfinished turn of the channel that By asked for.
type StopRequest struct {
	Tenant  access.TenantID
	Ref     thread.Ref
	Message thread.MessageID
	By      Stopper
}

// StopResult is what became of a StopRequest.
type StopResult struct {
	Turns  []TurnID // that will stop, or are stopping already
	Denied bool     // there was something to stop, but not by this person
	// the message is not known: if it arrives within TombstoneAge, its turn is born stopped
	Armed bool
}

// Signal carries stops quickly from the process that decoded the event to the one that runs the
// turn. It may lose one: Stops is the truth. Implementations pass sessiontest.SignalSuite and are
// safe for concurrent use.
type Signal interface {
	// Raise tells whoever watches the turn, in any process, to stop it. This process stops the turn
	// even when it returns an error.
	Raise(ctx context.Context, id TurnID) error
	// Watch returns a channel that is closed when the turn's stop is raised after Watch returned.
	// It is given up when ctx ends, and then never closed.
	Watch(ctx context.Context, id TurnID) <-chan struct{}
	// Reliable reports whether signals of other processes arrive at present. While they do not,
	// Stops is polled more often.
	Reliable() bool
}
