package conversation

import (
	"context"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
)

// Command carries out what a person typed after /footnote, or chose in a menu, and returns what to
// tell that person alone, in Markdown. Tenant and Alone are found out, and, where the platform says
// who moderates, Admin.
func (c *Conversation) Command(ctx context.Context, use command.Request) (string, error) {
	use.Tenant = c.tenant(use.Ref)
	use.Alone = func(ctx context.Context) (access.Presence, error) {
		return c.deps.Platform.Alone(ctx, use.Ref, use.By.ID)
	}
	if c.can(use.Ref).Moderates {
		use.Admin = c.deps.Platform.Moderates(ctx, use.Ref, use.By.ID)
	}
	return c.service.Commands.Command(ctx, use)
}

// judge decides about an event. Where the store does not answer, an event that comes again fails,
// unless the store's disk is full; else what needs no state is decided without it: a mention, a
// command and a direct message are answered.
func (c *Conversation) judge(ctx context.Context, o answer.Occurrence) (answer.Judgement, error) {
	j, err := c.service.Judge(ctx, o)
	if err == nil || c.can(o.Ref).Redelivers && c.service.Room() == nil {
		return j, err
	}
	c.logger.WarnContext(ctx, "what holds here is not known", "event", o.EventKey, "message", o.Message, "error", err)
	return answer.Judgement{Decision: policy.Decide(o.Event, policy.State{Permitted: true})}, nil
}
