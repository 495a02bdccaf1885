package discordbot

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	sayNothingRuns = "Nothing of yours is being answered here."
	sayUnknown     = "I do not know this command. Use /ask to ask a question and /stop to stop an answer."
	sayStopped     = "Stopped."
)

// Event implements chat.Handler. It returns the errors of messages, deletions and reactions, and
// logs all others.
func (b *Bot) Event(ctx context.Context, e chat.Event) (reply chat.Reply, err error) {
	switch {
	case e.Command != nil:
		b.command(ctx, *e.Command)
	case e.Press != nil:
		b.press(ctx, *e.Press)
	case e.Typing != nil:
		reply.Choices = b.suggest(*e.Typing)
	case e.Workspaces != nil && e.Workspaces.Joined != "":
		b.binding.joined(ctx, e.Workspaces.Joined)
		b.tellLacking(ctx, e.Workspaces.Joined)
	case e.Workspaces != nil:
		b.binding.belongs(ctx, e.Workspaces.All)
	case e.Added != nil:
		b.welcome(ctx, e.Added.Ref)
	case e.Changed != nil:
		if b.deps.Heard != nil {
			b.deps.Heard(e.Changed.Workspace, e.Changed.Channel, e.Changed.Key, e.Changed.Urgent)
		}
	default:
		err = b.talk.Event(ctx, e) // a scan reads a message again that was not handled
	}
	return reply, err
}

func (b *Bot) tenant(ref thread.Ref) access.TenantID { return b.binding.tenant(ref.Workspace) }
