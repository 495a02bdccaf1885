package event

import (
	"context"

	"github.com/footnotehq/footnote/core/session"
)

// Lookup holds functions that look up earlier conversations. The gateway lists neither direct
// conversations nor archived threads. A thread is archived after an hour without messages.
type Lookup struct {
	// Active lists the threads of a server with recent messages, newest first. These threads may
	// hold missed messages. If guild is empty, it lists the channels of direct conversations. A
	// listed id may also belong to a message that began a chain of replies.
	Active func(ctx context.Context, guild string) []string
	// News filters the newest messages of a server's channels. It returns the messages of channels
	// that may hold messages no process has handled.
	News func(ctx context.Context, guild string, newest []session.Newest) []session.Newest
}
