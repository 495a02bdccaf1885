package discordbot

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/discord/write"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Press implements event.Interactor.
func (b *Bot) Press(ctx context.Context, p event.Press) {
	what, setup := p.Setup()
	wanted, still := p.Still()
	switch {
	case p.Action != "":
		b.act(ctx, p)
	case p.FollowUp() && p.Submitted:
		b.askCommand(ctx, p.Command(p.Text))
	case p.FollowUp():
		b.show(ctx, p, p.FormFollowUp())
	case still:
		b.still(ctx, p, wanted)
	case setup:
		b.once(ctx, p, p.Ref, p.Key, func(ctx context.Context) write.Reply { return b.choose(ctx, p, what) })
	default: // of another version
		b.respond(ctx, p, "This button does nothing any more. Ask again.")
	}
}

// act does what a person asks for about an answer.
func (b *Bot) act(ctx context.Context, p event.Press) {
	a := action.Request{
		Do: p.Action, Ref: p.Ref, Turn: p.Turn, Message: p.Message, Key: p.Key, By: p.By, Moderator: p.Moderator, Text: p.Text, Submitted: p.Submitted,
		Vanishing: p.Ephemeral,
	}
	b.locate(ctx, &a, p)
	written := p.Action == thread.ActionPrivate || p.Action == thread.ActionRetry && p.Ephemeral
	if written {
		p = p.Answered()
		reply, err := b.client.Token(p)
		if err != nil {
			b.deps.Logger.ErrorContext(ctx, "press not taken in", "action", p.Action, "error", err)
			b.respond(ctx, p, conversation.SayBroken)
			return
		}
		a.Reply = reply
	}
	reply, err := b.talk.Press(ctx, conversation.Press{Request: a, Admin: p.Admin || p.Direct, Direct: p.Direct})
	switch {
	case err != nil:
		b.deps.Logger.ErrorContext(ctx, "press not taken in", "action", p.Action, "error", err)
		b.respond(ctx, p, conversation.SayBroken)
	case reply.Form != nil:
		f := reply.Form
		b.show(ctx, p, event.Form{
			ID: thread.ButtonID(f.Do, string(f.Turn)), Title: f.Title, Label: f.Label, Hint: f.Hint, Text: f.Text, Max: f.Max, Required: f.Required,
		})
	case written && !reply.Refused && !reply.Duplicate:
		if err := b.client.Defer(ctx, p); err != nil {
			// The answer comes all the same, as a direct message.
			b.deps.Logger.WarnContext(ctx, "press not acknowledged", "action", p.Action, "error", err)
		}
	case reply.Sentence != "":
		b.answer(ctx, p, func(context.Context) write.Reply { return write.Reply{Markdown: reply.Sentence} })
	default:
		if err := b.client.Notice(ctx, p); err != nil {
			b.deps.Logger.WarnContext(ctx, "press not acknowledged", "action", p.Action, "error", err)
		}
	}
}

// locate says where the turn of a button is that stands in a direct message: an offer that was made
// there, a private answer that was sent there. It is about the place of the question.
func (b *Bot) locate(ctx context.Context, a *action.Request, p event.Press) {
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

func (b *Bot) show(ctx context.Context, p event.Press, f event.Form) {
	if err := b.client.Show(ctx, p, f); err != nil {
		b.deps.Logger.WarnContext(ctx, "form not shown", "error", err)
	}
}

// localTime has Discord show the moment that a sentence holds (thread.Clock) in each reader's time.
func localTime(sentence string, at time.Time) string {
	return thread.LocalTime(sentence, at, fmt.Sprintf("<t:%d:t>", at.Unix()))
}

// Whisper implements answer.Whisperer: under a command's answer as something that its user alone
// sees, else as a direct message.
func (b *Bot) Whisper(ctx context.Context, t session.Turn, note answer.Note) error {
	return b.client.Whisper(ctx, t, localTime(note.Sentence, note.At), note.Buttons)
}
