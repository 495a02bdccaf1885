package slackbot

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/thread"
)

// lookBack is how far back questions are looked for that came while no process was there. Older ones have found their answers elsewhere.
const lookBack = 24 * time.Hour

const sayStill = "I was not there when this was asked. Is an answer still wanted?"

// unheard answers what was asked while nobody was there to hear it, and asks about what was asked long ago. What was taken in then, by
// whichever process, is not answered twice: the store knows the message.
func (b *Bot) unheard(ctx context.Context) {
	begun := time.Now() // what is read late because there are many channels is not older for that
	err := b.client.Unheard(ctx, begun.Add(-lookBack), func(m slack.Message) error {
		if answer.IsStop(m.Text) || answer.IsUnfollow(m.Text) {
			return nil // it was meant for something that has ended
		}
		m.Late = true
		if begun.Sub(m.At) <= b.config.MaxAge {
			return b.Message(ctx, m)
		}
		return b.askAbout(ctx, m)
	})
	if err != nil && ctx.Err() == nil {
		b.deps.Logger.WarnContext(ctx, "questions that were asked while the bot was away may have been missed", "error", err)
	}
}

// askAbout asks whether an old question is still wanted, unless it was answered, or asked about before.
func (b *Bot) askAbout(ctx context.Context, m slack.Message) error {
	involved, err := b.client.Involved(ctx, m)
	if err != nil || involved {
		return err
	}
	_, err = b.client.Tell(ctx, m.Ref, sayStill, string(m.ID), thread.Button{Action: slack.ActionStill, Label: "Yes, answer it", Primary: true})
	return err
}

// still takes in a question that is wanted after all.
func (b *Bot) still(ctx context.Context, p slack.Press) error {
	m, err := b.client.One(ctx, p.Ref, thread.MessageID(p.Turn))
	if err != nil {
		return err
	}
	if p.By != m.Author && !b.privileged(ctx, p.By) {
		b.whisper(ctx, p.Ref, p.By, "Only whoever asked can say so.", p.Direct)
		return nil
	}
	if err := b.Message(ctx, m); err != nil {
		return err
	}
	return b.client.Untell(ctx, p.Ref, p.Message)
}
