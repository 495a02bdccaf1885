package event

import (
	"context"

	"github.com/footnotehq/footnote/core/session"
)

// Handler decides about what happens on Discord. Its methods are called from several goroutines, in
// order for what happens in one channel.
type Handler interface {
	Servers
	// Message is told of new messages, Edited of ones that were changed, with what they say now.
	Message(ctx context.Context, m Message)
	Edited(ctx context.Context, m Message)
	// Stop is told of stop reactions and of deleted messages.
	Stop(ctx context.Context, s Stop)
	Interactor
}

// Servers is told of the servers that the bot belongs to.
type Servers interface {
	// Guilds tells to which servers the bot belongs, after each connect.
	Guilds(ctx context.Context, ids []string)
	// Joined tells that the bot belongs to a server: once for each after connecting, and when it is
	// added to one.
	Joined(ctx context.Context, id string)
}

// Greeter is implemented by handlers that say who the bot is.
type Greeter interface {
	// Added tells that the bot has been added to a server just now, and where the server shows what
	// happens in it.
	Added(ctx context.Context, guild, channel string)
}

// Interactor is told of interactions. Each is to be answered within three seconds.
type Interactor interface {
	Command(ctx context.Context, c Command)
	Press(ctx context.Context, p Press)
	// Suggest returns values for an option that somebody is typing.
	Suggest(ctx context.Context, t Typing) []string
}

// Listener is implemented by handlers that want to know what has changed in channels of servers,
// whoever it concerns: a thread or message, or with an empty key who may open the channel. What is
// new alone is not urgent.
type Listener interface {
	Heard(guild, channel, key string, urgent bool)
}

// Conversations is implemented by handlers that know the conversations of before: the gateway tells
// of no direct ones, and of no threads that were archived since, which happens an hour after their
// last message.
type Conversations interface {
	// Conversations lists the threads of a server in which something was said lately, the newest
	// first, or the channels of direct conversations where guild is empty, that may hold what
	// nobody was there for. Of the threads some may be messages that a chain of replies began with.
	Conversations(ctx context.Context, guild string) []string
	// News returns those of the newest messages of a server whose channels may hold something that
	// no process has handled.
	News(ctx context.Context, guild string, newest []session.Newest) []session.Newest
}
