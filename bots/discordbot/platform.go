package discordbot

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

var _ chat.Platform = (*Bot)(nil)

// Features implements chat.Platform.
func (*Bot) Features(thread.Ref) chat.Features { return chat.Features{Whispers: true} }

// Tenant implements chat.Platform.
func (b *Bot) Tenant(at thread.Ref) access.TenantID { return b.tenant(at) }

// Alone implements chat.Platform.
func (b *Bot) Alone(ctx context.Context, at thread.Ref, person string) (access.Presence, error) {
	return b.alone(ctx, at, person)
}

// Attachments implements chat.Platform.
func (b *Bot) Attachments(ctx context.Context, m chat.Message, most int64) iter.Seq[chat.Attachment] {
	return b.client.Attachments(ctx, m, most)
}

// Say implements chat.Platform. If private is set, it sends a direct message; if the person accepts
// none, it replies in the channel. Otherwise it replies in the channel, visible to everyone.
func (b *Bot) Say(ctx context.Context, to chat.Message, sentence string, private bool) {
	if private {
		err := b.client.Whisper(ctx, session.Turn{Asker: thread.Person{ID: to.Author.ID}}, sentence, nil)
		if err == nil {
			return
		}
		b.deps.Logger.WarnContext(ctx, "refusal not sent as a direct message; it is said in the channel", "error", err)
	}
	if _, err := b.client.SayAt(ctx, to.At, to.ID, sentence); err != nil {
		b.deps.Logger.WarnContext(ctx, "sentence not said", "error", err)
	}
}

// ChangedFiles implements chat.Platform. It returns nil if the files are the same, because Discord
// also sends edit events for link previews and new threads.
func (b *Bot) ChangedFiles(ctx context.Context, edited chat.Message, had []message.File) []message.File {
	m := event.SourceOf(edited.Source)
	files := []message.File{}
	var ids []message.FileID
	for _, f := range had {
		if f.ID == session.TranscriptID {
			files = append(files, f)
		} else {
			ids = append(ids, f.ID)
		}
	}
	if slices.EqualFunc(m.Files, ids, func(a event.Attachment, id message.FileID) bool { return message.FileID(a.ID) == id }) {
		return nil
	}
	return append(files, b.client.Fetch(ctx, m.Files)...)
}

// Post implements chat.Platform. A notice is a reply to the question that it concerns.
func (b *Bot) Post(ctx context.Context, at thread.Ref, n chat.Notice) (thread.MessageID, error) {
	if n.Apart {
		return b.client.PostReport(ctx, at.Channel, n.Text)
	}
	if n.Mention != "" {
		return b.client.SayPerson(ctx, at, n.To, n.Mention, n.Text)
	}
	if n.Still != "" {
		return b.client.AskAbout(ctx, at, n.To, n.Text, n.Still)
	}
	return b.client.SayAt(ctx, at, n.To, n.Text)
}

// Edit implements chat.Platform.
func (b *Bot) Edit(ctx context.Context, at thread.Ref, id thread.MessageID, n chat.Notice) error {
	return b.client.Resay(ctx, at, id, n.Text)
}

// Delete implements chat.Platform.
func (b *Bot) Delete(ctx context.Context, at thread.Ref, id thread.MessageID) error {
	if err := b.client.Unsay(ctx, at, id); err != nil && !errors.Is(err, thread.ErrNotPermitted) {
		return err
	}
	return nil
}

// Posted implements chat.Platform.
func (b *Bot) Posted(ctx context.Context, at thread.Ref, n chat.Notice) ([]thread.MessageID, error) {
	if n.Apart {
		return b.client.PostedReports(ctx, at.Channel, n.Since, n.Text)
	}
	return b.client.Noted(ctx, at, n.To, policy.IsNotice)
}

// Written implements chat.Platform.
func (b *Bot) Written(ctx context.Context, t session.Turn, page session.Page, _ chat.Permit) (string, bool, error) {
	return b.client.Written(ctx, t, page.Message)
}
