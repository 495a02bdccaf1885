package slackbot

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// The sentences that presses answer with.
const (
	sayBroken   = "Something went wrong. Please try again."
	sayOwn      = "That is an answer of mine. Reply in its thread to ask more about it."
	sayNothing  = "There is nothing in this message that could be answered."
	sayAnswered = "This message was taken up already; look into its thread."
)

// Press implements slack.Handler. Slack does not deliver a press again, so whoever pressed is told when it was lost.
func (b *Bot) Press(ctx context.Context, p slack.Press) error {
	err := b.press(ctx, p)
	if err != nil {
		b.whisper(context.WithoutCancel(ctx), p.Ref, p.By, sayBroken, p.Direct)
	}
	return err
}

func (b *Bot) press(ctx context.Context, p slack.Press) error {
	switch p.Action {
	case thread.ActionStop:
		return b.stop(ctx, session.StopRequest{Ref: p.Ref, Message: p.Message, By: session.Stopper{ID: p.By}}, p.Direct)
	case slack.ActionAsk:
		return b.about(ctx, p)
	case slack.ActionStill:
		return b.still(ctx, p)
	default:
		return nil // of another version's button
	}
}

// about answers a message that somebody chose "Ask about this" for, in the message's thread. Where the bot is not, it answers that
// person in a direct message.
func (b *Bot) about(ctx context.Context, p slack.Press) error {
	if answer.Decide(answer.Event{Command: true, Direct: p.Direct}, b.config.Place(p.Ref.Channel)).Action == answer.Refuse {
		b.whisper(ctx, p.Ref, p.By, answer.Say(session.NotPermitted), p.Direct)
		return nil
	}
	switch {
	case p.Author != "" && p.Author == b.client.Identity().User:
		b.whisper(ctx, p.Ref, p.By, sayOwn, p.Direct)
		return nil
	case p.Text == "" && len(p.Files) == 0:
		b.whisper(ctx, p.Ref, p.By, sayNothing, p.Direct)
		return nil
	}
	asker := b.person(ctx, p.By)
	files := b.client.Fetch(ctx, p.Files)
	m := thread.Mention{
		Ref: p.Ref, EventKey: p.EventKey, Message: p.Message, Asker: asker, Text: questionOf(p.Text, files), Files: files,
		Direct: p.Direct, Tenant: b.config.Tenant,
	}
	if !p.Direct && !b.client.Joined(ctx, p.Ref.Channel) {
		own, err := b.client.DirectChannel(ctx, p.By)
		if err != nil {
			return err
		}
		if m.Ref, err = b.client.Ask(ctx, own, asker, m.Text); err != nil {
			return err
		}
		m.Message, m.Direct = thread.MessageID(m.Ref.Thread), true
	}
	var err error
	if m.Listens, err = b.client.Audience(ctx, m.Ref.Channel, p.By, m.Direct); err != nil {
		b.deps.Logger.WarnContext(ctx, "nobody knows who listens; the answer uses public documents only", "error", err)
	}
	accepted, err := b.service.Accept(ctx, m)
	rejected, ok := rejection(err)
	switch {
	case ok:
		b.whisper(ctx, p.Ref, p.By, rejected, p.Direct)
	case err != nil:
		return fmt.Errorf("take a question in: %w", err)
	case accepted.Duplicate:
		b.whisper(ctx, p.Ref, p.By, sayAnswered, p.Direct)
	case accepted.Ahead > 0:
		b.queued(ctx, m.Ref, accepted.Turn.ID)
	}
	return nil
}
