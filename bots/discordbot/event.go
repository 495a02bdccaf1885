package discordbot

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// The sentences that are said beside answers.
const (
	sayLost        = "Your question could not be taken in. Ask again in a minute; if it happens again, tell whoever runs this bot."
	sayBroken      = "This could not be done. Try again in a minute; if it happens again, tell whoever runs this bot."
	sayUnfollowed  = "I no longer follow this thread. Mention me to ask again."
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
		b.stop(ctx, session.StopRequest{Ref: m.Ref, By: m.By}, func(sentence string) { b.say(ctx, m, sentence) })
	case answer.Unfollow:
		if err := b.deps.Threads.Unfollow(ctx, b.tenant(m.Ref), m.Ref, m.Author.ID); err != nil {
			b.deps.Logger.WarnContext(ctx, "thread still followed", "error", err)
			b.say(ctx, m, sayBroken)
			return
		}
		if !m.Late {
			b.say(ctx, m, sayUnfollowed)
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

// Edited implements discord.Handler: the answer to a question is redone in place.
func (b *Bot) Edited(ctx context.Context, m discord.Message) {
	if m.Hidden || m.Text == "" {
		return
	}
	t, err := b.deps.Turns.TurnOf(ctx, b.tenant(m.Ref), m.Ref, m.ID)
	if err != nil || t.Message != m.ID {
		if err != nil && !errors.Is(err, session.ErrUnknownTurn) {
			b.deps.Logger.WarnContext(ctx, "edit not looked at", "message", m.ID, "error", err)
		}
		return // people edit messages all the time
	}
	j, err := b.service.Judge(ctx, b.occurrence(m))
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "edit not looked at", "message", m.ID, "error", err)
		return
	}
	if j.Action != answer.Redo {
		return
	}
	_, err = b.service.Edited(ctx, session.Edit{
		Tenant: b.tenant(m.Ref), Ref: m.Ref, Message: m.ID, Text: m.Text, Files: b.changedFiles(ctx, m, t.Question.Files),
	})
	if sentence, rejected := rejection(err); rejected {
		b.say(ctx, m, sentence)
	} else if err != nil {
		b.deps.Logger.ErrorContext(ctx, "edit not taken in", "message", m.ID, "error", err)
	}
}

// changedFiles returns the files of an edited question, with what was said before it; nil when they are those that it had. Discord tells of
// previews, and of the thread that was opened from a message, as it tells of edits: those change no files, and redo no answer.
func (b *Bot) changedFiles(ctx context.Context, m discord.Message, had []message.File) []message.File {
	files := []message.File{}
	var ids []message.FileID
	for _, f := range had {
		if f.ID == contextID {
			files = append(files, f)
		} else {
			ids = append(ids, f.ID)
		}
	}
	if slices.EqualFunc(m.Files, ids, func(a discord.Attachment, id message.FileID) bool { return message.FileID(a.ID) == id }) {
		return nil
	}
	return append(files, b.client.Fetch(ctx, m.Files)...)
}

// Stop implements discord.Handler.
func (b *Bot) Stop(ctx context.Context, s discord.Stop) {
	if s.Deleted {
		if !s.Asked { // people delete messages all the time; an earlier process may have been asked
			t, err := b.deps.Turns.TurnOf(ctx, b.tenant(s.Ref), s.Ref, s.Message)
			if err != nil {
				return
			}
			if t.Message != s.Message {
				if err := b.service.AnswerDeleted(ctx, b.tenant(s.Ref), s.Ref, s.Message); err != nil {
					b.deps.Logger.ErrorContext(ctx, "an answer that was deleted is not erased", "message", s.Message, "error", err)
				}
				return
			}
		}
		if _, err := b.service.Deleted(ctx, b.tenant(s.Ref), s.Ref, s.Message); err != nil {
			b.deps.Logger.ErrorContext(ctx, "deletion not recorded", "message", s.Message, "error", err)
		}
		return
	}
	// A reaction of somebody who may not stop the answer is only a reaction.
	b.stop(ctx, session.StopRequest{Ref: s.Ref, Message: s.Message, By: s.By}, func(string) {})
}

func (b *Bot) stop(ctx context.Context, r session.StopRequest, say func(sentence string)) session.StopResult {
	r.Tenant = b.tenant(r.Ref)
	result, err := b.service.StopAs(ctx, r, func(ctx context.Context) (access.Audience, error) { return b.alone(ctx, r.Ref, r.By.ID) })
	switch {
	case err != nil:
		b.deps.Logger.ErrorContext(ctx, "stop not recorded", "error", err)
		say(sayBroken)
	case result.Denied && len(result.Turns) == 0:
		say(answer.SayDenied())
	}
	return result
}

// say says something beside an answer. It is not worth more than one try.
func (b *Bot) say(ctx context.Context, to discord.Message, sentence string) {
	if _, err := b.client.Say(ctx, to, sentence); err != nil {
		b.deps.Logger.WarnContext(ctx, "sentence not said", "error", err)
	}
}

// tenant is whose documents are answered from where a thread is.
func (b *Bot) tenant(ref thread.Ref) access.TenantID { return b.binding.tenant(ref.Workspace) }
