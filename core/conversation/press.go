package conversation

import (
	"cmp"
	"context"

	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/thread"
)

// Press is the use of a button, a message menu or a form. [Conversation.Press] sets Tenant and
// Holds. It also sets Moderator if the platform can look up moderators.
type Press struct {
	action.Request
	Admin  bool // may change the channel's settings
	Direct bool // in a direct message
}

// Press performs an action on an answer and returns the reply for the person. A successful stop has
// no reply, because the answer shows the stop.
func (c *Conversation) Press(ctx context.Context, p Press) (action.Reply, error) {
	p.Tenant = cmp.Or(p.Tenant, c.tenant(p.Ref))
	p.Holds = c.audienceOf(p.Ref, p.By.ID)
	reply, err := c.act(ctx, p.Request)
	switch {
	case err != nil:
	case p.Do == thread.ActionStop && !reply.Refused && !reply.Duplicate:
		reply.Sentence = ""
	// not an answer: explain why the message was not answered
	case p.Do == thread.ActionWhy && reply.Refused:
		reply.Sentence, err = c.Command(ctx, command.Request{
			Ref: p.Ref, By: p.By, Admin: p.Admin, Direct: p.Direct, Text: "why", Message: p.Message,
		})
	}
	return reply, err
}

func (c *Conversation) act(ctx context.Context, a action.Request) (action.Reply, error) {
	reply, err := c.perform(ctx, a)
	if err != nil || reply.Post == nil {
		return reply, err
	}
	if _, err := c.deps.Platform.Post(ctx, cmp.Or(a.At, a.Ref), *reply.Post); err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
		defer cancel()
		return c.service.Actions.Unposted(ctx, a, reply.Turn, err)
	}
	return reply, nil
}

// perform performs an action, with moderator rights if the person has them. It tries a stop without
// these rights first, because a stop must not wait for their lookup.
func (c *Conversation) perform(ctx context.Context, a action.Request) (action.Reply, error) {
	if !c.features(a.Ref).Moderates {
		return c.service.Actions.Perform(ctx, a)
	}
	if a.Do == thread.ActionStop {
		if reply, err := c.service.Actions.Perform(ctx, a); err != nil || !reply.Refused {
			return reply, err
		}
	}
	a.Moderator = c.deps.Platform.Moderates(ctx, a.Ref, a.By.ID)
	return c.service.Actions.Perform(ctx, a)
}
