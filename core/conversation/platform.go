package conversation

import (
	"context"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Platform is the port to a chat platform. Its methods are safe for concurrent use.
type Platform interface {
	Notices
	// HalfWritten reports whether a page of a turn's answer stands there as one that is still being written. What cannot be known any more, such as
	// in a channel that the bot was removed from, is no error.
	HalfWritten(ctx context.Context, t session.Turn, p session.Page, permit answer.Permit) (bool, error)
}

// Notices are what the bot says in a thread beside its answers, where everybody there sees it. Each is about a turn that waits.
type Notices interface {
	Tell(ctx context.Context, about session.Turn, at thread.Ref, sentence string) (thread.MessageID, error)
	Retell(ctx context.Context, about session.Turn, at thread.Ref, id thread.MessageID, sentence string) error
	// Untell takes a notice back. One that has gone, or that the bot may not take back any more, is no error.
	Untell(ctx context.Context, at thread.Ref, id thread.MessageID) error
	// Told lists the notices about a turn that a process may have posted which ended before it knew.
	Told(ctx context.Context, about session.Turn, at thread.Ref) ([]thread.MessageID, error)
}
