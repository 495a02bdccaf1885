package slackbot

import (
	"context"
	"errors"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/core/session"
)

// missed takes in a question that was found in a channel, unless it has an answer there that the store does not know of, since the store was
// restored from a backup that is older than the question.
func (b *Bot) missed(ctx context.Context, m slack.Message) error {
	known := false
	if b.deps.Turns != nil {
		_, err := b.deps.Turns.TurnOf(ctx, b.config.Tenant, m.Ref, m.ID)
		if known = err == nil; err != nil && !errors.Is(err, session.ErrUnknownTurn) {
			return err
		}
	}
	if !known {
		if answered, err := b.client.Answered(ctx, m); err != nil || answered {
			return err
		}
	}
	return b.Message(ctx, m)
}
