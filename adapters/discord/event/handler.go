package event

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/session"
)

// Lookup holds functions with which the receiver finds channels that may hold missed messages.
type Lookup struct {
	// Active lists the threads of a server with recent messages, newest first. These threads may
	// hold missed messages. If guild is empty, it lists the channels of direct conversations. A
	// listed id may also belong to a message that began a chain of replies.
	Active func(ctx context.Context, guild string) []string
	// News selects a server's channels that may hold messages no process has handled. It takes and
	// returns the newest message of each channel.
	News func(ctx context.Context, guild string, newest []session.Newest) []session.Newest
	// Running lists messages of turns that this process is working on: questions, and what answers
	// show so far. It omits turns that began again, because stop reactions from before remain.
	Running func(ctx context.Context) ([]Running, error)
}

// Running is a message of a running turn. If the channel of a message is uncertain, there is one
// Running for each possible channel.
type Running struct {
	Guild, Channel, Message string
	// Asked is when the turn began, if the message is the question. Else it is zero.
	Asked time.Time
}
