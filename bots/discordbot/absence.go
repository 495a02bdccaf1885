package discordbot

import (
	"context"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	// knownFor and mostKnown limit the direct conversations that are read after a start.
	knownFor  = 30 * 24 * time.Hour
	mostKnown = 200
	// followedFor is how long a server's thread may have been silent to be read. A missed message
	// may be a day old, and may follow a message that is one more day old.
	followedFor = 2 * policy.FollowIdle
)

// active returns the channels of direct conversations if guild is empty.
func (b *Bot) active(ctx context.Context, guild string) []string {
	var channels []string
	if guild != "" {
		known, err := b.deps.Store.Active(ctx, b.binding.tenant(guild), discord.Platform, guild, followedFor, mostKnown)
		if err != nil {
			b.deps.Logger.WarnContext(ctx, "cannot list active threads; messages in archived threads may have been missed during an outage", "guild", guild, "error", err)
		}
		for _, k := range known {
			channels = append(channels, k.Ref.Thread)
		}
		return channels
	}
	for _, tenant := range b.binding.tenants() {
		known, err := b.deps.Store.Active(ctx, tenant, discord.Platform, "", knownFor, mostKnown)
		if err != nil {
			b.deps.Logger.WarnContext(ctx, "cannot list active direct messages; direct messages may have been missed during an outage", "error", err)
		}
		for _, k := range known {
			if !slices.Contains(channels, k.Ref.Channel) {
				channels = append(channels, k.Ref.Channel)
			}
		}
	}
	return channels
}

// running lists messages of turns that this process is working on. It omits turns that began again.
func (b *Bot) running(ctx context.Context) (messages []event.Running, err error) {
	turns, err := b.service.Running(ctx, discord.Platform)
	for _, r := range turns {
		if r.Turn.Attempt > 1 || r.Turn.Origin != (session.Origin{}) {
			continue
		}
		list := func(in thread.Ref, id thread.MessageID, asked time.Time) {
			// A thread may have begun with the question.
			for _, channel := range slices.Compact([]string{in.Thread, in.Channel}) {
				messages = append(messages, event.Running{Guild: in.Workspace, Channel: channel, Message: string(id), Asked: asked})
			}
		}
		list(r.Turn.Session.Ref, r.Turn.Message, r.Turn.Intake)
		for _, p := range r.Pages {
			if p.Message != "" {
				list(p.At, p.Message, time.Time{})
			}
		}
	}
	return messages, err
}

func (b *Bot) news(ctx context.Context, guild string, newest []session.Newest) []session.Newest {
	news, err := b.service.News(ctx, b.binding.tenant(guild), discord.Platform, guild, newest)
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "every channel is looked into for missed messages", "guild", guild, "error", err)
		return newest
	}
	return news
}

// Answered implements chat.Platform. If Discord cannot be asked, a question counts as not answered,
// because a second answer is better than none.
func (b *Bot) Answered(ctx context.Context, m chat.Message, other func(thread.MessageID) bool) (bool, error) {
	involved, err := b.Involved(ctx, m, other)
	if err != nil && ctx.Err() == nil {
		b.deps.Logger.WarnContext(ctx, "whether a question was answered already is not known", "message", m.ID, "error", err)
	}
	return err == nil && involved, nil
}

// Involved implements chat.Platform.
func (b *Bot) Involved(ctx context.Context, m chat.Message, other func(thread.MessageID) bool) (bool, error) {
	return b.client.Involved(ctx, m, func(id thread.MessageID, text string) bool { return policy.IsNotice(text) || other(id) })
}

// Message implements chat.Platform.
func (b *Bot) Message(ctx context.Context, at thread.Ref, id thread.MessageID) (chat.Message, error) {
	return b.client.Question(ctx, at, id)
}

func (b *Bot) answerConfirmed(ctx context.Context, p chat.Press, id thread.MessageID) {
	sentence, err := b.talk.Still(ctx, conversation.Wanted{
		At: p.At, Question: id, Notice: p.Message, Key: p.EventKey, By: p.By, Moderator: p.Moderator,
	}, func() {
		if err := b.client.Notice(ctx, event.SourceOf(p.Source).Ticket); err != nil {
			b.deps.Logger.WarnContext(ctx, "press not acknowledged", "action", "still", "error", err)
		}
	})
	if err != nil {
		b.deps.Logger.ErrorContext(ctx, "press not taken in", "action", "still", "error", err)
		sentence = conversation.SayBroken
	}
	if sentence != "" {
		b.respond(ctx, p.Source, sentence)
	}
}
