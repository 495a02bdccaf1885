package discordbot

import (
	"context"

	"github.com/footnotehq/footnote/core/session"
)

// more is what an intake holds beyond what a Mention says.
type more struct {
	bot   bool                // the asker is another bot
	reply *session.ReplyToken // how a command is answered
}

// moreKey is the context key under which more travels from the event to the store, through the service.
type moreKey struct{}

func withMore(ctx context.Context, m more) context.Context {
	return context.WithValue(ctx, moreKey{}, m)
}

// inbox adds to an intake what the service does not pass on.
type inbox struct{ session.Inbox }

// Inbox returns the inbox that the service of a Discord bot is to be built with: it keeps how commands are answered. Intakes of other
// platforms pass through unchanged.
func Inbox(inner session.Inbox) session.Inbox { return inbox{inner} }

// Accept implements session.Inbox.
func (i inbox) Accept(ctx context.Context, in session.Intake) (session.Accepted, error) {
	if m, ok := ctx.Value(moreKey{}).(more); ok {
		in.Bot, in.Reply = m.bot, m.reply
	}
	return i.Inbox.Accept(ctx, in)
}
