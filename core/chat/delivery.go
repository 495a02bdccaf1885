package chat

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Delivery writes one turn's answer to where it was asked. Packets arrive while it is written;
// Finish is the last call.
type Delivery interface {
	packet.Sink
	// Finish brings the thread to its final state, and retries for a while. Its error says whether
	// the platform may take it later; thread.ErrNotPermitted, ErrMessageGone and ErrNotEditable say
	// that it never will.
	Finish(ctx context.Context, final Result) error
}

// Result is the outcome of a turn.
type Result struct {
	Outcome session.Outcome
	Saved   session.Saved
	// Waits says that the turn has no outcome yet: it waits for a person, who sees what is shown by
	// now, and the next delivery continues from it.
	Waits bool
}

// Permit says whether platform calls may still be started for a turn: it fails from the moment on
// at which another replica may have taken the turn over. It is asked before each call and costs
// nothing.
type Permit func() error

// Note is a message to one person alone, with what the person can do about it.
type Note struct {
	Sentence string
	At       time.Time       // whose thread.Clock the sentence holds; zero: none
	Buttons  []thread.Button // each about the turn that the note belongs to
}
