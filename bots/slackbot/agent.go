package slackbot

import (
	"context"
	"errors"

	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/write"
	"github.com/footnotehq/footnote/core/thread"
)

// Opened implements event.Handler. Prompts are offered once to each conversation while the process
// runs: Slack keeps them.
func (b *Bot) Opened(ctx context.Context, o event.Opened) error {
	prompts := b.config.Prompts
	if prompts != nil && len(prompts) == 0 || !b.opened.First(o.Ref.Channel+" "+o.Ref.Thread) {
		return nil
	}
	b.talk.Soon(ctx, func(ctx context.Context) {
		if prompts == nil {
			prompts = b.prompts(ctx, o)
		}
		err := b.client.Suggest(ctx, o.Ref, prompts)
		if err != nil && !errors.Is(err, thread.ErrNoRoom) { // those of the manifest are shown all the same
			b.deps.Logger.DebugContext(ctx, "prompts not offered", "error", err)
		}
	})
	return nil
}

// prompts are about documents that the person may read, as on the home page: what is general finds
// nothing where no model answers.
func (b *Bot) prompts(ctx context.Context, o event.Opened) (prompts []write.Prompt) {
	for _, e := range b.talk.Examples(ctx, o.Ref, o.By) {
		prompts = append(prompts, write.Prompt{Title: e.Title, Message: e.Question})
	}
	if prompts == nil {
		return write.Prompts
	}
	return prompts
}

// Invited implements event.Greeter.
func (b *Bot) Invited(ctx context.Context, channel thread.Ref, by string) error {
	return b.talk.Welcome(ctx, channel, by, func(ctx context.Context, text string) error {
		return b.client.Whisper(ctx, channel, by, text, false, "")
	})
}

// Home implements event.Greeter.
func (b *Bot) Home(ctx context.Context, o event.Opened, by string) error {
	b.talk.Soon(ctx, func(ctx context.Context) {
		if err := b.client.ShowHome(ctx, by, b.talk.Home(ctx, o.Ref, by)); err != nil {
			b.deps.Logger.WarnContext(ctx, "home page not shown", "error", err)
		}
	})
	return nil
}
