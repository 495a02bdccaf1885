package session

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/thread"
)

// TombstoneAge is how long the store remembers a stop of a message that it does not know. The
// message may still arrive during that time.
const TombstoneAge = 10 * time.Minute

// Stopper is a person who requests a stop.
type Stopper struct {
	ID string // platform id; empty: no person in particular
	// an administrator, a member of the configured group, or the platform itself (a deleted
	// question)
	Privileged bool
}

// MayStop reports whether a person may stop a turn. The asker, the person who began the thread, and
// privileged people may.
func MayStop(by Stopper, asker, starter string) bool {
	return by.Privileged || by.ID != "" && (by.ID == asker || by.ID == starter)
}

// StopRequest selects the turns to stop:
//
//   - If Message is set, the turn with that question, answer page or notice.
//   - Otherwise, if Ref names a thread, all its unfinished turns that By may stop.
//   - Otherwise, all unfinished turns of the channel that By asked.
//
// Without Message, a private turn is selected only if it belongs to By.
type StopRequest struct {
	Tenant  access.TenantID
	Ref     thread.Ref
	Message thread.MessageID
	By      Stopper
}

// StopResult is the result of a StopRequest.
type StopResult struct {
	Turns  []TurnID // turns that will stop, or are stopping already
	Denied bool     // the person may not stop some of the selected turns
	// the message is unknown; if it arrives within TombstoneAge, its turn starts as stopped
	Armed bool
}

// Undecided reports whether the result could be different for a privileged person. The caller must
// then find out whether the person is privileged, and repeat the request. This includes the stop of
// an unknown message, which may be a page that is not stored yet.
func (r StopResult) Undecided() bool { return len(r.Turns) == 0 && (r.Denied || r.Armed) }

// Signal quickly carries stops from the process that received the event to the process that runs
// the turn. A Signal may lose a stop, so [Store.Requested] is the source of truth. Implementations
// pass sessiontest.SignalSuite and are safe for concurrent use.
type Signal interface {
	// Raise signals a stop to all watchers of the turn, in any process. Watchers in this process
	// receive the stop even if Raise returns an error.
	Raise(ctx context.Context, id TurnID) error
	// Watch returns a channel that is closed when a stop of the turn is raised after Watch has
	// returned. When ctx is done, the watch ends and the channel is never closed.
	Watch(ctx context.Context, id TurnID) <-chan struct{}
	// Reliable reports whether signals of other processes currently arrive. If it returns false,
	// callers poll Stops more often.
	Reliable() bool
}
