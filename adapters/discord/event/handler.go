package event

import (
	"context"

	"github.com/footnotehq/footnote/core/session"
)

// Lookup holds functions with which a receiver looks up earlier conversations. The gateway lists
// neither direct conversations nor archived threads. A thread is archived after an hour without
// messages.
type Lookup struct {
	// Active lists the threads of a server with recent messages, which may hold missed messages;
	// newest first. If guild is empty, it lists the channels of direct conversations. A listed
	// thread may also be the id of a message that began a chain of replies.
	Active func(ctx context.Context, guild string) []string
	// News filters the newest messages of a server's channels. It returns those whose channels may
	// hold messages that no process has handled.
	News func(ctx context.Context, guild string, newest []session.Newest) []session.Newest
}
