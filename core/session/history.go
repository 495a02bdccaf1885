package session

import (
	"context"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
)

// ThreadTurns is subtracted from the numbers of a thread's turns in the history of a private session beside it, so that no two turns of a
// history have the same number.
const ThreadTurns = 1_000_000_000

// History is what was said before. Implementations are safe for concurrent use.
type History interface {
	// Load returns the messages of the newest turns before the given one that have an outcome, at most limit turns, oldest first:
	// each question with its files, then Saved.Conversation: the tool calls, tool results and answer, with its citations and documents, of
	// Saved.Best, or a correction; of an answer that was removed nothing. Turns that were superseded or declined are left out, and so are
	// those that were retried: the new turn has the old one's place. Nothing is filtered by audience: that is the caller's duty.
	//
	// A turn of a private session is given the questions of its thread as well, under numbers less by ThreadTurns, since it may refer to
	// them; not the answers, whose numbers for documents are another session's.
	Load(ctx context.Context, before Turn, limit int) ([]message.Message, error)
	// Numbers returns the number under which the model was shown each document in the whole session, so that numbers stay stable
	// and grow even when the history is cut.
	Numbers(ctx context.Context, of Turn) (map[document.ID]int, error)
	// Saved returns what Finish saved, for a worker that has to deliver it.
	Saved(ctx context.Context, of Turn) (Saved, error)
}
