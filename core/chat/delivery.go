package chat

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Delivery writes a turn's answer to a chat thread while the answer is being generated. It receives
// the answer as packets. Finish ends the answer. Close must be the last call.
type Delivery interface {
	packet.Sink
	// Finish makes the final writes to the thread. It retries failed writes for a while. After
	// thread.ErrNotPermitted, ErrMessageGone or ErrNotEditable, do not call it again. After other
	// errors another call may succeed.
	Finish(ctx context.Context, final Result) error
	// Close makes no further calls to the platform and waits for the current one, or until ctx is
	// done. A call that is still running could otherwise overwrite messages of the next attempt.
	Close(ctx context.Context)
}

// Result is the outcome of a turn, for [Delivery].Finish.
type Result struct {
	Outcome session.Outcome
	Saved   session.Saved
	// Waits says that the turn has no outcome yet, because it waits for a person. The thread shows
	// its current state. The next delivery continues from there.
	Waits bool
}

// Permit reports whether calls to the platform are still allowed for a turn. It returns an error
// once another replica may have taken over the turn. It is checked before each call, so it must be
// cheap.
type Permit func() error

// Note is a message to one person, with buttons for the actions that the person can take.
type Note struct {
	Sentence string
	At       time.Time       // time that Sentence contains, formatted by thread.Clock; zero: none
	Buttons  []thread.Button // actions on the note's turn
}
