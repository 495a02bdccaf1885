package slackbot

import (
	"context"
	"slices"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
)

// Event implements chat.Handler.
func (b *Bot) Event(ctx context.Context, e chat.Event) (reply chat.Reply, err error) {
	switch {
	case e.Message != nil:
		err = b.talk.Message(ctx, *e.Message)
	case e.Command != nil:
		reply.Text, err = b.command(ctx, *e.Command)
	case e.Press != nil:
		err = b.pressed(ctx, *e.Press)
	case e.Opened != nil && e.Opened.Home:
		b.home(ctx, *e.Opened)
	case e.Opened != nil:
		b.openConversation(ctx, *e.Opened)
	case e.Added != nil:
		err = b.welcome(ctx, *e.Added)
	case e.Changed != nil:
		if b.deps.Heard != nil {
			b.deps.Heard(e.Changed.Workspace, e.Changed.Channel, e.Changed.Key, e.Changed.Urgent)
		}
	case e.Foreign != nil:
		b.foreign(ctx, *e.Foreign)
	case e.Reaction != nil && !b.stops(*e.Reaction):
	default:
		err = b.talk.Event(ctx, e)
	}
	return reply, err
}

func (b *Bot) stops(r chat.Reaction) bool {
	return r.Name == "" || slices.Contains(b.config.StopReactions, r.Name)
}

// foreign only records a question to another workspace's installation of the app; it is not
// answered.
func (b *Bot) foreign(ctx context.Context, m chat.Message) {
	if m.Own || m.System {
		return
	}
	b.service.Refused(ctx, session.Refusal{
		Tenant: b.config.Tenant, Ref: m.Ref, Key: m.EventKey, Person: m.Author.ID, Direct: m.Direct, Reason: string(policy.RefusedForeign),
	})
}
