package slackbot

import (
	"context"

	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

const sayPointer = "I answer you in a direct message."

// place returns the thread for a turn's answer. A private answer goes to the direct conversation,
// because Slack's ephemeral messages cannot be edited. Later attempts use the same thread.
func (b *Bot) place(ctx context.Context, t session.Turn, posted []session.Page, permit chat.Permit) (thread.Ref, error) {
	if t.Session.Owner == "" || t.Direct {
		return t.Session.Ref, nil
	}
	for _, p := range posted {
		if p.At.Channel != t.Session.Ref.Channel {
			return p.At, nil
		}
	}
	channel, err := b.client.DirectChannel(ctx, t.Session.Owner)
	if err != nil {
		return thread.Ref{}, err
	}
	if err := permit(); err != nil {
		return thread.Ref{}, err
	}
	to, begun, err := b.client.Private(ctx, channel, string(t.ID), t.Question.Text, t.Attempt > 1)
	if err != nil {
		return thread.Ref{}, err
	}
	if begun {
		b.tell(ctx, t.Session.Ref, t.Session.Owner, sayPointer, false)
	}
	return to, nil
}
