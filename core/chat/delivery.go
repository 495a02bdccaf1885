package chat

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Delivery writes a turn's answer to its thread. Packets arrive while it is written. Finish must be
// the last call.
type Delivery interface {
	packet.Sink
	// Finish makes the final writes to the thread, and retries for a while. After
	// thread.ErrNotPermitted, ErrMessageGone and ErrNotEditable another attempt is useless; after
	// other errors it may succeed.
	Finish(ctx context.Context, final Result) error
}

// Result is the outcome of a turn.
type Result struct {
	Outcome session.Outcome
	Saved   session.Saved
	// Waits says that the turn has no outcome yet: it waits for a person, who sees the current
	// state. The next delivery continues from it.
	Waits bool
}

// Permit reports whether calls to the platform may still be made for a turn. It returns an error
// once another replica may have taken over the turn. It is checked before each call and is cheap.
type Permit func() error

// Note is a message to one person, with the actions that the person can take.
type Note struct {
	Sentence string
	At       time.Time       // whose thread.Clock the sentence holds; zero: none
	Buttons  []thread.Button // each about the turn that the note belongs to
}
