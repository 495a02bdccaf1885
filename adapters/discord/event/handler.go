package event

import (
	"context"

	"github.com/footnotehq/footnote/core/session"
)

// Lookup is what a receiver asks about earlier conversations. The gateway does not report direct
// ones. It does not report archived threads either: a thread is archived after an hour of silence.
type Lookup struct {
	// Active lists the threads of a server with recent messages, the newest first, or the channels
	// of direct conversations where guild is empty: those that may hold missed messages. Some of the
	// threads may be messages that a chain of replies began with.
	Active func(ctx context.Context, guild string) []string
	// News returns those of the newest messages of a server whose channels may hold something that
	// no process has handled.
	News func(ctx context.Context, guild string, newest []session.Newest) []session.Newest
}
