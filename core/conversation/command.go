package conversation

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
)

// Command executes a command that a person typed after /footnote or chose in a menu. The reply is
// Markdown, and only that person may see it. Command sets the fields Tenant and Alone of use. It
// sets Admin if the platform can look up moderators.
func (c *Conversation) Command(ctx context.Context, use command.Request) (string, error) {
	use.Tenant = c.tenant(use.Ref)
	use.Alone = func(ctx context.Context) (access.Presence, error) {
		return c.deps.Platform.Alone(ctx, use.Ref, use.By.ID)
	}
	if c.features(use.Ref).Moderates {
		use.Admin = c.deps.Platform.Moderates(ctx, use.Ref, use.By.ID)
	}
	return c.service.Commands.Command(ctx, use)
}

// judge decides whether to answer an event. If the store fails and the platform redelivers events,
// it returns the error. If the disk is full or there is no redelivery, it decides without the
// store. It then answers only mentions, commands and direct messages.
func (c *Conversation) judge(ctx context.Context, o answer.Occurrence) (answer.Judgement, error) {
	j, err := c.service.Judge(ctx, o)
	if err == nil || c.features(o.Ref).Redelivers && c.service.Room() == nil {
		return j, err
	}
	c.logger.WarnContext(ctx, "what holds here is not known", "event", o.EventKey, "message", o.Message, "error", err)
	return answer.Judgement{Decision: policy.Decide(o.Event, policy.State{Permitted: true})}, nil
}
