package session

import (
	"context"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
)

// History is what was said before. Implementations are safe for concurrent use.
type History interface {
	// Load returns the messages of the newest turns before the given one that have an outcome, at most limit turns, oldest first:
	// each question with its files, then the tool calls, tool results and answer, with its citations and documents, of Saved.Best.
	// Turns that were superseded or declined are left out. Nothing is filtered by audience: that is the caller's duty.
	Load(ctx context.Context, before Turn, limit int) ([]message.Message, error)
	// Numbers returns the number under which the model was shown each document in the whole session, so that numbers stay stable
	// and grow even when the history is cut.
	Numbers(ctx context.Context, of Turn) (map[document.ID]int, error)
	// Saved returns what Finish saved, for a worker that has to deliver it.
	Saved(ctx context.Context, of Turn) (Saved, error)
}
