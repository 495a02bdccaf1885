package conversation

import (
	"cmp"
	"context"

	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/thread"
)

// Press is a button, an entry of a message's menu or a form that a person used. Tenant, Holds and,
// where the platform says who moderates, Moderator are found out.
type Press struct {
	action.Request
	Admin  bool // may change what holds in the channel
	Direct bool // in a direct message
}

// Press does to an answer what a person asked for, and returns what to tell that person. Of a stop
// that worked the answer itself tells.
func (c *Conversation) Press(ctx context.Context, p Press) (action.Reply, error) {
	p.Tenant = cmp.Or(p.Tenant, c.tenant(p.Ref))
	p.Holds = c.holds(p.Ref, p.By.ID)
	reply, err := c.act(ctx, p.Request)
	switch {
	case err != nil:
	case p.Do == thread.ActionStop && !reply.Refused && !reply.Duplicate:
		reply.Sentence = ""
	case p.Do == thread.ActionWhy && reply.Refused: // it is no answer: why was it not answered?
		reply.Sentence, err = c.Command(ctx, command.Request{
			Ref: p.Ref, By: p.By, Admin: p.Admin, Direct: p.Direct, Text: "why", Message: p.Message,
		})
	}
	return reply, err
}

// act performs an action, and posts what it has to say in the thread.
func (c *Conversation) act(ctx context.Context, a action.Request) (action.Reply, error) {
	reply, err := c.perform(ctx, a)
	if err != nil || reply.Post == nil {
		return reply, err
	}
	if _, err := c.deps.Platform.Post(ctx, cmp.Or(a.At, a.Ref), *reply.Post); err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
		defer cancel()
		return c.service.Actions.Unposted(ctx, a, reply.Turn, err)
	}
	return reply, nil
}

// perform finds out who a person is before an action that depends on it: of a stop, which is not to
// wait, after it was refused.
func (c *Conversation) perform(ctx context.Context, a action.Request) (action.Reply, error) {
	if !c.can(a.Ref).Moderates {
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
