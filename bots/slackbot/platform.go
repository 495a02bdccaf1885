package slackbot

import (
	"context"
	"log/slog"
	"strings"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/write"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// platform is Slack as conversations know it.
type platform struct {
	client *slack.Client
	tenant access.TenantID
	logger *slog.Logger
}

var (
	_ conversation.Platform   = platform{}
	_ conversation.Moderation = platform{}
	_ conversation.Whispers   = platform{}
	_ conversation.Redelivery = platform{}
	_ conversation.Memory     = platform{}
	_ conversation.History    = platform{}
)

// Tenant implements conversation.Platform.
func (p platform) Tenant(thread.Ref) access.TenantID { return p.tenant }

// Redelivers implements conversation.Redelivery.
func (platform) Redelivers() {}

// Alone implements conversation.Platform.
func (p platform) Alone(ctx context.Context, _ thread.Ref, person string) (access.Presence, error) {
	return p.client.Alone(ctx, person)
}

// Moderates implements conversation.Moderation: whoever administrates the workspace. Who that is
// cannot be found out is not.
func (p platform) Moderates(ctx context.Context, _ thread.Ref, person string) bool {
	found, err := p.client.Profile(ctx, person)
	return err == nil && found.Admin
}

// Say implements conversation.Platform.
func (p platform) Say(ctx context.Context, to chat.Message, sentence string) {
	p.whisper(ctx, to.Ref, to.Author.ID, sentence, to.Direct)
}

// TellAlone implements conversation.Whispers.
func (p platform) TellAlone(ctx context.Context, at thread.Ref, person, sentence string) {
	p.whisper(ctx, at, person, sentence, strings.HasPrefix(at.Channel, "D"))
}

// whisper tells somebody something. It is not worth a redelivery when it fails.
func (p platform) whisper(ctx context.Context, to thread.Ref, person, sentence string, direct bool) {
	if err := p.client.Whisper(ctx, to, person, sentence, direct, ""); err != nil {
		p.logger.WarnContext(ctx, "notice not shown", "error", err)
	}
}

// PostNotice implements conversation.Notices.
func (p platform) PostNotice(ctx context.Context, about session.Turn, at thread.Ref, sentence string) (thread.MessageID, error) {
	return p.client.Tell(ctx, at, sentence, string(about.ID))
}

// EditNotice implements conversation.Notices.
func (p platform) EditNotice(ctx context.Context, about session.Turn, at thread.Ref, id thread.MessageID, sentence string) error {
	return p.client.Retell(ctx, at, id, sentence, string(about.ID))
}

// DeleteNotice implements conversation.Notices.
func (p platform) DeleteNotice(ctx context.Context, at thread.Ref, id thread.MessageID) error {
	return p.passing(ctx, p.client.Untell(ctx, at, id))
}

// FindNotices implements conversation.Notices.
func (p platform) FindNotices(ctx context.Context, about session.Turn, at thread.Ref) ([]thread.MessageID, error) {
	found, err := p.client.Notices(ctx, at, about.Message, string(about.ID))
	return found, p.passing(ctx, err)
}

// HalfWritten implements conversation.Platform.
func (p platform) HalfWritten(ctx context.Context, t session.Turn, page session.Page, permit answer.Permit) (half bool, err error) {
	own := []thread.MessageID{page.Message}
	if err := permit(); err != nil {
		return false, err
	}
	if page.Message == "" { // it may have been posted by a process that ended before it knew
		own, err = p.client.Surface(write.SurfaceOptions{Turn: string(t.ID), Question: t.Message}).Own(ctx, page.At)
	}
	for _, id := range own {
		var shown bool
		if shown, err = p.client.HalfWritten(ctx, page.At, id); shown {
			half = true
		}
	}
	return half, p.passing(ctx, err)
}

// passing returns an error that may not come again. What Slack refuses for good is logged.
func (p platform) passing(ctx context.Context, err error) error {
	if err == nil || call.Transient(err) || ctx.Err() != nil {
		return err
	}
	p.logger.WarnContext(ctx, "slack refuses it for good", "error", err)
	return nil
}
