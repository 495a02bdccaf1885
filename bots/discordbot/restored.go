package discordbot

import (
	"context"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/thread"
)

// answeredThere reports whether the bot has answered a message that the store does not know: the store was restored from a backup that is older. A
// question is rather answered twice than never, so what cannot be found out counts as not answered.
func (b *Bot) answeredThere(ctx context.Context, m discord.Message, j answer.Judgement) bool {
	if j.Action != answer.Answer || j.Ambient {
		return false
	}
	involved, err := b.client.Involved(ctx, m, b.beside(ctx, m))
	if err != nil && ctx.Err() == nil {
		b.deps.Logger.WarnContext(ctx, "whether a question was answered already is not known", "message", m.ID, "error", err)
	}
	return err == nil && involved
}

// beside says which of the bot's messages after a question are no answer to it: notices, and what answers another question.
func (b *Bot) beside(ctx context.Context, m discord.Message) func(id thread.MessageID, text string) bool {
	return func(id thread.MessageID, text string) bool {
		if answer.IsNotice(text) {
			return true
		}
		t, err := b.deps.Turns.TurnOf(ctx, b.tenant(m.Ref), m.Ref, id)
		return err == nil && t.Message != m.ID
	}
}
