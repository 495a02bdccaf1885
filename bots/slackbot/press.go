package slackbot

import (
	"cmp"
	"context"
	"strings"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/write"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	sayAnswered = "This message was taken up already; look into its thread."
)

// pressed reports errors to the person, because Slack does not deliver a press again.
func (b *Bot) pressed(ctx context.Context, p chat.Press) error {
	err := b.press(ctx, p)
	if err != nil {
		b.reply(context.WithoutCancel(ctx), p, conversation.SayBroken)
	}
	return err
}

// reply shows a sentence to the person who pressed something, and to no one else. If the bot cannot
// write in the thread, it uses the press's response_url.
func (b *Bot) reply(ctx context.Context, p chat.Press, sentence string) {
	if sentence == "" {
		return
	}
	err := b.client.Whisper(ctx, p.Ref, p.By.ID, sentence, false, "")
	if url := event.SourceOf(p.Source).ResponseURL; err != nil && url != "" {
		err = b.client.Respond(ctx, url, sentence)
	}
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "notice not shown", "error", err)
	}
}

func (b *Bot) press(ctx context.Context, p chat.Press) error {
	switch p.Action {
	case event.ActionAsk:
		return b.askAbout(ctx, p)
	case event.ActionStill:
		return b.answerConfirmed(ctx, p)
	default:
		return b.act(ctx, p)
	}
}

func (b *Bot) act(ctx context.Context, p chat.Press) error {
	reply, err := b.talk.Press(ctx, conversation.Press{Direct: p.Direct, Request: action.Request{
		Do: p.Action, Ref: p.Ref, At: p.At, Turn: p.Turn, Message: p.Message, Key: p.EventKey, By: b.presser(ctx, p),
		Text: p.Text, Submitted: p.Submitted,
	}})
	if err != nil {
		return err
	}
	source := event.SourceOf(p.Source)
	if f := reply.Form; f != nil {
		err := b.client.Open(ctx, source.Trigger, write.Form{
			Action: f.Do, Turn: string(f.Turn), Title: f.Title, Submit: f.Submit, Ref: p.Ref, Message: p.Message,
			Fields: []write.Field{{Name: event.FieldText, Label: f.Label, Hint: f.Hint, Given: f.Text, Optional: !f.Required, Lines: true, Max: f.Max}},
		})
		if err == nil {
			return nil
		}
		b.deps.Logger.WarnContext(ctx, "form not shown", "action", p.Action, "error", err)
	}
	b.reply(ctx, p, reply.Sentence)
	if p.Ephemeral && source.ResponseURL != "" && !reply.Refused { // the offer was accepted
		if err := b.client.Withdraw(ctx, source.ResponseURL); err != nil {
			b.deps.Logger.WarnContext(ctx, "a notice that has done its work stays", "error", err)
		}
	}
	return nil
}

// presser omits the name for a stop, which must not wait for it.
func (b *Bot) presser(ctx context.Context, p chat.Press) thread.Person {
	if p.Action == thread.ActionStop {
		return p.By
	}
	return b.person(ctx, p.By.ID)
}

// Whisper implements chat.Platform. A person who has left the channel gets a direct message.
func (b *Bot) Whisper(ctx context.Context, t session.Turn, note chat.Note) error {
	ref := t.Session.Ref
	err := b.client.WhisperAt(ctx, ref, t.Asker.ID, note.Sentence, note.At, t.Direct, string(t.ID), note.Buttons...)
	if err == nil || t.Direct || call.Transient(err) {
		return err
	}
	own, openErr := b.client.DirectChannel(ctx, t.Asker.ID)
	if openErr != nil {
		return openErr
	}
	ref.Channel, ref.Thread = own, ""
	return b.client.WhisperAt(ctx, ref, t.Asker.ID, note.Sentence, note.At, true, string(t.ID), note.Buttons...)
}

// askAbout answers a message for which a person chose "Ask about this", in that message's thread.
// It answers in a direct message if the bot is not in the channel or answers there are private.
func (b *Bot) askAbout(ctx context.Context, p chat.Press) error {
	if p.Target == nil {
		p.Target = &chat.Target{}
	}
	own, files, elsewhere := "", event.SourceOf(p.Source).Files, ""
	if p.Direct {
		var err error
		if own, err = b.client.DirectChannel(ctx, p.By.ID); err != nil {
			return err
		}
		p.Direct = own == p.Ref.Channel // else it is a conversation of other people
	}
	asked, err := b.talk.Ask(ctx, conversation.Ask{
		Event: policy.Event{Direct: p.Direct}, Ref: p.Ref, EventKey: p.EventKey, By: p.By, About: p.Target, Attached: len(files) > 0,
		Place: func(ctx context.Context, a conversation.Admitted) (conversation.Placed, error) {
			ask, err := pending{Files: files, Listens: true}.raw()
			m := thread.Mention{
				Ref: p.Ref, Message: p.Message, Asker: b.person(ctx, p.By.ID), Text: cmp.Or(strings.TrimSpace(p.Target.Text), conversation.AboutFiles), Direct: p.Direct,
			}
			if err == nil && !p.Direct && (a.Private || !b.client.Joined(ctx, p.Ref.Channel)) {
				elsewhere = sayDirect
				err = b.moveToDirect(ctx, &m, own)
			}
			m.Listens, _ = b.client.Remembered(ctx, m.Ref.Channel, p.By.ID, m.Direct)
			return conversation.Placed{Mention: m, Pending: ask}, err
		},
	})
	switch {
	case err != nil:
		return err
	case asked.Duplicate:
		b.reply(ctx, p, sayAnswered)
	default:
		b.reply(ctx, p, cmp.Or(asked.Refusal, elsewhere))
	}
	return nil
}

// moveToDirect posts the question in the direct conversation with its asker. own is that
// conversation's id, or "" if unknown.
func (b *Bot) moveToDirect(ctx context.Context, m *thread.Mention, own string) error {
	own, err := b.directOf(ctx, m.Asker.ID, own)
	if err == nil {
		m.Ref, err = b.client.Ask(ctx, own, m.Asker, m.Text)
	}
	m.Message, m.Direct = thread.MessageID(m.Ref.Thread), true
	return err
}
