package discordbot

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// The sentences that are said beside answers.
const (
	sayNothingRuns = "Nothing of yours is being answered here."
	sayUnknown     = "I do not know this command. Use /ask to ask a question and /stop to stop an answer."
	sayStopped     = "Stopped."
)

// Message implements discord.Handler.
func (b *Bot) Message(ctx context.Context, m discord.Message) {
	if m.Late && b.passed(ctx, m) {
		return
	}
	j, err := b.service.Judge(ctx, b.occurrence(m))
	if err != nil {
		// What needs no state can be decided without it: a mention and a direct message are answered.
		b.deps.Logger.WarnContext(ctx, "what holds here is not known", "event", m.EventKey, "error", err)
		j = answer.Judgement{Decision: answer.Decide(m.Event, answer.State{Permitted: true})}
	}
	if m.Late && !b.missed(ctx, m, j) {
		return
	}
	b.deps.Logger.DebugContext(ctx, "message decided", "message", m.ID, "reason", j.Reason)
	switch j.Action {
	case answer.Answer:
		if m.Hidden || m.Text == "" && len(m.Files) == 0 && !m.Event.Direct && !m.Event.Mentioned {
			return // nobody asked for a word about what cannot be read
		}
		b.ask(ctx, m, j)
	case answer.Stop:
		_, err := b.talk.Stop(ctx, session.StopRequest{Ref: m.Ref, By: m.By}, func(ctx context.Context, sentence string) { b.say(ctx, m, sentence) })
		if err != nil {
			b.deps.Logger.ErrorContext(ctx, "stop not recorded", "error", err)
			b.say(ctx, m, conversation.SayBroken)
		}
	case answer.Unfollow:
		if err := b.deps.Threads.Unfollow(ctx, b.tenant(m.Ref), m.Ref, m.Author.ID); err != nil {
			b.deps.Logger.WarnContext(ctx, "thread still followed", "error", err)
			b.say(ctx, m, conversation.SayBroken)
			return
		}
		if !m.Late {
			b.say(ctx, m, "I no longer follow this thread. Mention me to bring me back.")
		}
	case answer.Refuse:
		if !m.Late {
			b.say(ctx, m, j.Sentence())
		}
	case answer.Ignore, answer.Observe, answer.Redo, answer.Cancel: // nothing is said about a message that was not meant for the bot
	}
}

// occurrence states what Discord says about a message.
func (b *Bot) occurrence(m discord.Message) answer.Occurrence {
	o := answer.Occurrence{
		Event: m.Event, Tenant: b.tenant(m.Ref), Ref: m.Ref, Message: m.ID, Author: m.Author.ID, Text: m.Text,
		Holds: func(ctx context.Context) (access.Audience, error) { return b.alone(ctx, m.Ref, m.Author.ID) },
	}
	if m.Late {
		o.Age = time.Since(m.At)
	}
	return o
}

// Edited implements discord.Handler.
func (b *Bot) Edited(ctx context.Context, m discord.Message) {
	if m.Text == "" {
		return
	}
	switch question, err := b.talk.Edited(ctx, messageOf(m)); {
	case err != nil:
		b.deps.Logger.ErrorContext(ctx, "edit not taken in", "message", m.ID, "error", err)
	case question:
		m.Event.Change = answer.Created
		b.Message(ctx, m)
	}
}

// messageOf states what Discord says about a message in the words of conversations.
func messageOf(m discord.Message) conversation.Message {
	return conversation.Message{
		Event: m.Event, Ref: m.Ref, At: m.Place(), ID: m.ID, EventKey: m.EventKey, Author: m.Author, Moderator: m.By.Privileged, Starter: m.Starter,
		Text: m.Text, Written: m.At, Late: m.Late, Hidden: m.Hidden, Attached: len(m.Files) > 0, Source: m,
	}
}

// Stop implements discord.Handler.
func (b *Bot) Stop(ctx context.Context, s discord.Stop) {
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

// say says something beside an answer. It is not worth more than one try.
func (b *Bot) say(ctx context.Context, to discord.Message, sentence string) {
	if _, err := b.client.Say(ctx, to, sentence); err != nil {
		b.deps.Logger.WarnContext(ctx, "sentence not said", "error", err)
	}
}

// tenant is whose documents are answered from where a thread is.
func (b *Bot) tenant(ref thread.Ref) access.TenantID { return b.binding.tenant(ref.Workspace) }
