package slackbot

import (
	"context"
	"errors"

	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/thread"
)

// Opened implements event.Handler. Prompts are offered once to each conversation while the process runs: Slack keeps them.
func (b *Bot) Opened(ctx context.Context, o event.Opened) error {
	if len(b.config.Prompts) == 0 || !b.opened.First(o.Ref.Channel+" "+o.Ref.Thread) {
		return nil
	}
	b.talk.Soon(ctx, func(ctx context.Context) {
		err := b.client.Suggest(ctx, o.Ref, b.config.Prompts)
		if err != nil && !errors.Is(err, thread.ErrNoRoom) { // those of the manifest are shown all the same
			b.deps.Logger.DebugContext(ctx, "prompts not offered", "error", err)
		}
	})
	return nil
}
