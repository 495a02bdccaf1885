package slackbot

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/write"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

var _ chat.Platform = (*Bot)(nil)

// Features implements chat.Platform.
func (*Bot) Features(thread.Ref) chat.Features {
	return chat.Features{Redelivers: true, Moderates: true, Known: true, Whispers: true, SaysAlone: true}
}

// Tenant implements chat.Platform.
func (b *Bot) Tenant(thread.Ref) access.TenantID { return b.config.Tenant }

// Alone implements chat.Platform.
func (b *Bot) Alone(ctx context.Context, _ thread.Ref, person string) (access.Presence, error) {
	return b.client.Alone(ctx, person)
}

// Known implements chat.Platform.
func (b *Bot) Known(ctx context.Context, _ thread.Ref, person string) (access.Audience, bool) {
	return b.client.Remembered(ctx, "", person, true)
}

// Attachments implements chat.Platform.
func (b *Bot) Attachments(ctx context.Context, m chat.Message, most int64) iter.Seq[chat.Attachment] {
	return b.client.Attachments(ctx, m, most)
}

// Moderates implements chat.Platform. The workspace's administrators are moderators.
func (b *Bot) Moderates(ctx context.Context, _ thread.Ref, person string) bool {
	found, err := b.client.Profile(ctx, person)
	return err == nil && found.Admin
}

// Room implements chat.Platform.
func (b *Bot) Room(ctx context.Context, at thread.Ref) (chat.Room, error) {
	if !strings.HasPrefix(at.Channel, "C") && !strings.HasPrefix(at.Channel, "G") {
		return chat.Room{}, fmt.Errorf("look up a channel: %w: %s is no channel", thread.ErrNotPermitted, at.Channel)
	}
	return b.client.Room(ctx, at.Channel)
}

// Say implements chat.Platform. A failure is not returned, because it is not worth a redelivery.
func (b *Bot) Say(ctx context.Context, to chat.Message, sentence string, _ bool) {
	b.tell(ctx, to.Ref, to.Author.ID, sentence, to.Direct || strings.HasPrefix(to.Ref.Channel, "D"))
}

// tell shows a sentence to one person only. It does not retry.
func (b *Bot) tell(ctx context.Context, at thread.Ref, person, sentence string, direct bool) {
	if err := b.client.Whisper(ctx, at, person, sentence, direct, ""); err != nil {
		b.deps.Logger.WarnContext(ctx, "notice not shown", "error", err)
	}
}

// Post implements chat.Platform.
func (b *Bot) Post(ctx context.Context, at thread.Ref, n chat.Notice) (thread.MessageID, error) {
	if n.Apart {
		return b.client.PostReport(ctx, at, n.Text, n.Subject)
	}
	if n.Mention != "" {
		return b.client.TellPerson(ctx, at, n.Mention, n.Text, n.Subject)
	}
	var buttons []thread.Button
	if n.Still != "" {
		buttons = append(buttons, thread.Button{Action: event.ActionStill, Label: n.Still, Primary: true})
	}
	return b.client.Tell(ctx, at, n.Text, n.Subject, buttons...)
}

// Edit implements chat.Platform.
func (b *Bot) Edit(ctx context.Context, at thread.Ref, id thread.MessageID, n chat.Notice) error {
	return b.client.Retell(ctx, at, id, n.Text, n.Subject)
}

// Delete implements chat.Platform.
func (b *Bot) Delete(ctx context.Context, at thread.Ref, id thread.MessageID) error {
	return b.passing(ctx, b.client.Untell(ctx, at, id))
}

// Posted implements chat.Platform.
func (b *Bot) Posted(ctx context.Context, at thread.Ref, n chat.Notice) ([]thread.MessageID, error) {
	if n.Apart {
		return b.client.PostedReports(ctx, at, n.Since, n.Subject)
	}
	found, err := b.client.Notices(ctx, at, n.To, n.Subject)
	return found, b.passing(ctx, err)
}

// Written implements chat.Platform.
func (b *Bot) Written(ctx context.Context, t session.Turn, page session.Page, permit chat.Permit) (text string, unfinished bool, err error) {
	own := []thread.MessageID{page.Message}
	if err := permit(); err != nil {
		return "", false, err
	}
	if page.Message == "" { // a process may have posted it and ended before it knew
		own, err = b.client.Surface(write.SurfaceOptions{Turn: string(t.ID), Question: t.Message}).Own(ctx, page.At)
	}
	for _, id := range own {
		said, half, failed := b.client.Written(ctx, page.At, id)
		text, unfinished, err = strings.TrimSpace(text+"\n\n"+said), unfinished || half, errors.Join(err, failed)
	}
	return text, unfinished, b.passing(ctx, err)
}

// passing returns err only if a retry may help. Otherwise it logs err and returns nil.
func (b *Bot) passing(ctx context.Context, err error) error {
	if err == nil || call.Transient(err) || ctx.Err() != nil {
		return err
	}
	b.deps.Logger.WarnContext(ctx, "slack refuses it for good", "error", err)
	return nil
}

// Answered implements chat.Platform.
func (b *Bot) Answered(ctx context.Context, m chat.Message, _ func(thread.MessageID) bool) (bool, error) {
	return b.client.Answered(ctx, m)
}

// Involved implements chat.Platform.
func (b *Bot) Involved(ctx context.Context, m chat.Message, other func(thread.MessageID) bool) (bool, error) {
	return b.client.Involved(ctx, m, other)
}

// Message implements chat.Platform.
func (b *Bot) Message(ctx context.Context, at thread.Ref, id thread.MessageID) (chat.Message, error) {
	return b.client.One(ctx, at, id)
}
