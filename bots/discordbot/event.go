package discordbot

import (
	"context"

	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/thread"
)

// The sentences that are said beside answers.
const (
	sayNothingRuns = "Nothing of yours is being answered here."
	sayUnknown     = "I do not know this command. Use /ask to ask a question and /stop to stop an answer."
	sayStopped     = "Stopped."
)

// Heard implements event.Listener.
func (b *Bot) Heard(guild, channel, key string, urgent bool) {
	if b.deps.Heard != nil {
		b.deps.Heard(guild, channel, key, urgent)
	}
}

// Message implements event.Handler.
func (b *Bot) Message(ctx context.Context, m event.Message) { b.handle(ctx, messageOf(m)) }

// Edited implements event.Handler.
func (b *Bot) Edited(ctx context.Context, m event.Message) { b.handle(ctx, messageOf(m)) }

func (b *Bot) handle(ctx context.Context, m conversation.Message) {
	if err := b.talk.Message(ctx, m); err != nil && ctx.Err() == nil {
		b.deps.Logger.ErrorContext(ctx, "message not dealt with", "message", m.ID, "error", err)
	}
}

// messageOf states what Discord says about a message in the words of conversations.
func messageOf(m event.Message) conversation.Message {
	return conversation.Message{
		Event: m.Event, Ref: m.Ref, At: m.Place(), ID: m.ID, EventKey: m.EventKey, Author: m.Author, Moderator: m.By.Privileged, Starter: m.Starter,
		Text: m.Text, Written: m.At, Late: m.Late, Hidden: m.Hidden, Attached: len(m.Files) > 0, Source: m,
	}
}

// Stop implements event.Handler.
func (b *Bot) Stop(ctx context.Context, s event.Stop) {
	if !s.Deleted {
		if err := b.talk.Reacted(ctx, conversation.Reaction{Ref: s.Ref, Message: s.Message, By: s.By}); err != nil {
			b.deps.Logger.ErrorContext(ctx, "stop not recorded", "error", err)
		}
		return
	}
	d := conversation.Deletion{Ref: s.Ref, Message: s.Message}
	if !s.Asked { // an earlier process may have been asked
		d.Of = conversation.Unsaid
	}
	if err := b.talk.Deleted(ctx, d); err != nil {
		b.deps.Logger.ErrorContext(ctx, "deletion not recorded", "message", s.Message, "error", err)
	}
}

// tenant is whose documents are answered from where a thread is.
func (b *Bot) tenant(ref thread.Ref) access.TenantID { return b.binding.tenant(ref.Workspace) }
