package conversation

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/sleep"
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

// judge decides whether to answer an event. If the store fails and the platform does not redeliver
// the event, judge repeats the decision by the schedule. It does not repeat it while the store's
// disk is full. An error means that the channel's rules are unknown, so that nothing may be
// answered.
func (c *Conversation) judge(ctx context.Context, o answer.Occurrence, schedule sleep.Backoff) (j answer.Judgement, err error) {
	if c.features(o.Ref).Redelivers {
		return c.service.Judge(ctx, o)
	}
	err = schedule.Retry(ctx, func() (err error) {
		j, err = c.service.Judge(ctx, o)
		return err
	}, func(error) time.Duration {
		if c.service.Room() != nil {
			return sleep.Never
		}
		return 0
	})
	return j, err
}

// undecided handles a message about which judge failed. It tells the author only if the message was
// addressed to the bot without doubt. It returns the error if the message will be handled again.
func (c *Conversation) undecided(ctx context.Context, m chat.Message, err error) error {
	full := c.service.Room()
	if m.Late || full == nil && c.features(m.Ref).Redelivers {
		return err
	}
	d := policy.Decide(m.Event, policy.State{Permitted: true})
	if d.Action != policy.Answer || d.Ambient {
		c.logger.ErrorContext(ctx, "message not decided", "message", m.ID, "error", err)
		return nil
	}
	if full != nil {
		return c.rejected(ctx, m, answer.Judgement{Decision: d}, full)
	}
	return c.handleFailure(ctx, m, err, SayLost)
}
