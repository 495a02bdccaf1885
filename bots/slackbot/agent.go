package slackbot

import (
	"context"
	"errors"

	"github.com/footnotehq/footnote/adapters/slack/write"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/thread"
)

// openConversation suggests prompts once per conversation and process. Slack stores them.
func (b *Bot) openConversation(ctx context.Context, o chat.Opened) {
	prompts := b.config.Prompts
	if prompts != nil && len(prompts) == 0 || !b.opened.First(o.Ref.Channel+" "+o.Ref.Thread) {
		return
	}
	b.talk.Soon(ctx, func(ctx context.Context) {
		if prompts == nil {
			prompts = b.prompts(ctx, o)
		}
		err := b.client.Suggest(ctx, o.Ref, prompts)
		// without room, Slack shows the manifest's prompts
		if err != nil && !errors.Is(err, thread.ErrNoRoom) {
			b.deps.Logger.DebugContext(ctx, "prompts not offered", "error", err)
		}
	})
}

// prompts returns questions about documents that the person may read. If there are none, it returns
// general ones.
func (b *Bot) prompts(ctx context.Context, o chat.Opened) (prompts []write.Prompt) {
	for _, e := range b.talk.Examples(ctx, o.Ref, o.By) {
		prompts = append(prompts, write.Prompt{Title: e.Title, Message: e.Question})
	}
	if prompts == nil {
		return write.Prompts
	}
	return prompts
}

func (b *Bot) welcome(ctx context.Context, a chat.Added) error {
	return b.talk.Welcome(ctx, a.Ref, a.By, func(ctx context.Context, text string) error {
		return b.client.Whisper(ctx, a.Ref, a.By, text, false, "")
	})
}

func (b *Bot) home(ctx context.Context, o chat.Opened) {
	b.talk.Soon(ctx, func(ctx context.Context) {
		if err := b.client.ShowHome(ctx, o.By, b.talk.Home(ctx, o.Ref, o.By)); err != nil {
			b.deps.Logger.WarnContext(ctx, "home page not shown", "error", err)
		}
	})
}
