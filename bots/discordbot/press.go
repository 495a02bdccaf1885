package discordbot

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/discord/write"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func (b *Bot) press(ctx context.Context, p chat.Press) {
	what, setup := event.Setup(p)
	wanted, still := event.Still(p)
	switch {
	case p.Action != "":
		b.act(ctx, p)
	case event.FollowUp(p) && p.Submitted:
		b.askCommand(ctx, event.Asked(p))
	case event.FollowUp(p):
		b.show(ctx, p, event.FormFollowUp(p))
	case still:
		b.answerConfirmed(ctx, p, wanted)
	case setup:
		b.once(ctx, p.Source, p.Ref, p.EventKey, func(ctx context.Context) write.Reply { return b.choose(ctx, p, what) })
	default: // a button of another version
		b.respond(ctx, p.Source, "This button does nothing any more. Ask again.")
	}
}

func (b *Bot) act(ctx context.Context, p chat.Press) {
	a := action.Request{
		Do: p.Action, Ref: p.Ref, At: p.At, Turn: p.Turn, Message: p.Message, Key: p.EventKey, By: p.By, Moderator: p.Moderator, Text: p.Text, Submitted: p.Submitted,
		Vanishing: p.Ephemeral,
	}
	b.locate(ctx, &a, p)
	written := p.Action == thread.ActionPrivate || p.Action == thread.ActionRetry && p.Ephemeral
	if written {
		p = event.Answered(p)
		reply, err := b.client.Token(event.SourceOf(p.Source).Ticket)
		if err != nil {
			b.deps.Logger.ErrorContext(ctx, "press not taken in", "action", p.Action, "error", err)
			b.respond(ctx, p.Source, conversation.SayBroken)
			return
		}
		a.Reply = reply
	}
	reply, err := b.talk.Press(ctx, conversation.Press{Request: a, Admin: p.Admin || p.Direct, Direct: p.Direct})
	switch {
	case err != nil:
		b.deps.Logger.ErrorContext(ctx, "press not taken in", "action", p.Action, "error", err)
		b.respond(ctx, p.Source, conversation.SayBroken)
	case reply.Form != nil:
		f := reply.Form
		b.show(ctx, p, event.Form{
			ID: thread.ButtonID(f.Do, string(f.Turn)), Title: f.Title, Label: f.Label, Hint: f.Hint, Text: f.Text, Max: f.Max, Required: f.Required,
		})
	case written && !reply.Refused && !reply.Duplicate:
		if err := b.client.Defer(ctx, event.SourceOf(p.Source).Ticket); err != nil {
			// The reply is then sent as a direct message.
			b.deps.Logger.WarnContext(ctx, "press not acknowledged", "action", p.Action, "error", err)
		}
	case reply.Sentence != "":
		b.answer(ctx, p.Source, func(context.Context) write.Reply { return write.Reply{Markdown: reply.Sentence} })
	default:
		if err := b.client.Notice(ctx, event.SourceOf(p.Source).Ticket); err != nil {
			b.deps.Logger.WarnContext(ctx, "press not acknowledged", "action", p.Action, "error", err)
		}
	}
}

// locate sets the tenant and thread of the question, because a button in a direct message may
// concern a question from elsewhere.
func (b *Bot) locate(ctx context.Context, a *action.Request, p chat.Press) {
	if !p.Direct || p.Turn == "" {
		return
	}
	for _, tenant := range b.binding.tenants() {
		t, err := b.deps.Store.Turn(ctx, tenant, p.Turn)
		if err == nil && (t.Asker.ID == p.By.ID || t.Session.Owner == p.By.ID) {
			a.Tenant, a.Ref = tenant, t.Session.Ref
			return
		}
	}
}

func (b *Bot) show(ctx context.Context, p chat.Press, f event.Form) {
	if err := b.client.Show(ctx, event.SourceOf(p.Source).Ticket, f); err != nil {
		b.deps.Logger.WarnContext(ctx, "form not shown", "error", err)
	}
}

// localTime makes Discord show the time in a sentence (thread.Clock) in each reader's time zone.
func localTime(sentence string, at time.Time) string {
	return thread.LocalTime(sentence, at, fmt.Sprintf("<t:%d:t>", at.Unix()))
}

// Whisper implements chat.Platform. After a command's answer, it shows a note only to the command's
// user. Otherwise it sends a direct message.
func (b *Bot) Whisper(ctx context.Context, t session.Turn, note chat.Note) error {
	return b.client.Whisper(ctx, t, localTime(note.Sentence, note.At), note.Buttons)
}
