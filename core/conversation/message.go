package conversation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// patience is how long a question is tried to be taken in that no event brings again.
const patience = 30 * time.Second

// Event handles a message, a deletion or a reaction. The other kinds of events belong to the bot of
// the platform.
func (c *Conversation) Event(ctx context.Context, e chat.Event) error {
	switch {
	case e.Message != nil:
		return c.Message(ctx, *e.Message)
	case e.Deletion != nil:
		return c.Deleted(ctx, *e.Deletion)
	case e.Reaction != nil:
		return c.Reacted(ctx, *e.Reaction)
	}
	return nil
}

// Message does what is to be done about a message that a person wrote or changed. Several events
// may tell of one message: the second finds what came of the first. An error means that the event
// is to come again, where the platform delivers it again. Late messages get no notices.
func (c *Conversation) Message(ctx context.Context, m chat.Message) error {
	if m.Change == policy.Edited {
		question, err := c.edited(ctx, m)
		if err != nil || !question {
			return err
		}
		m.Change = policy.Created // no other event tells of that
		c.said.Forget(m.Key())
	}
	if c.taken.Has(m.Key()) || c.said.Has(m.Key()) {
		return nil
	}
	var j answer.Judgement
	var err error
	if m.Late {
		j, err = c.late(ctx, m)
	} else {
		j, err = c.judge(ctx, c.occurrence(m))
	}
	if err != nil {
		return err
	}
	c.logger.DebugContext(ctx, "message decided", "message", m.ID, "reason", j.Reason)
	switch j.Action {
	case policy.Answer:
		if project, ok := c.keeps(m, j); ok {
			return c.keep(ctx, m, j, project)
		}
		return c.ask(ctx, m, j)
	case policy.Stop:
		return c.failed(ctx, m, c.stopHere(ctx, m), SayBroken)
	case policy.Unfollow:
		if err := c.deps.Store.Unfollow(ctx, c.tenant(m.Ref), m.Ref, m.Author.ID); err != nil {
			return c.failed(ctx, m, fmt.Errorf("stop following a thread: %w", err), SayBroken)
		}
		c.sayOnce(ctx, m, sayUnfollowed)
	case policy.Refuse:
		c.sayOnceTo(ctx, m, j.Sentence(), j.Private && !m.Direct)
	case policy.Steer:
		c.steered(ctx, m, j)
	case policy.Observe, policy.Ignore, policy.Redo, policy.Cancel:
		// nothing is said about a message that was not meant for the bot
	}
	return nil
}

// occurrence states what is known of a message.
func (c *Conversation) occurrence(m chat.Message) answer.Occurrence {
	o := answer.Occurrence{
		Event: m.Event, Tenant: c.tenant(m.Ref), Ref: m.Ref, Message: m.ID, Author: m.Author.ID, Text: m.Text, Holds: c.holds(m.Ref, m.Author.ID),
	}
	if c.can(m.Ref).Known {
		o.Ask, o.Holds = o.Holds, c.remembers(m.Ref, m.Author.ID)
	}
	if m.Late {
		o.Age = time.Since(m.Written)
	}
	return o
}

// stopHere stops what is being answered where a message says so.
func (c *Conversation) stopHere(ctx context.Context, m chat.Message) error {
	_, err := c.Stop(ctx, c.meant(m), func(ctx context.Context, sentence string) { c.say(ctx, m, sentence, false) })
	return err
}

// steered tells the author of a message what became of it that was to change the plan of a deep
// search, unless the plan shows it. Who a person is, is asked only where that decides, and then the
// event does not wait for it.
func (c *Conversation) steered(ctx context.Context, m chat.Message, j answer.Judgement) {
	c.taken.First(m.Key())
	if j.Steered.Became != deepsearch.Forbidden || !m.Moderator && !c.can(m.Ref).Moderates {
		c.sayOnce(ctx, m, j.Steered.Sentence(j.Instruction))
		return
	}
	c.errands.run(ctx, func(ctx context.Context) {
		if m.Moderator || c.deps.Platform.Moderates(ctx, m.Ref, m.Author.ID) {
			at := c.meant(m)
			at.Tenant, at.By.Privileged = c.tenant(m.Ref), true
			became, err := c.service.Steer(ctx, at, j.Instruction, nil)
			if err != nil {
				c.logger.ErrorContext(ctx, "plan not changed", "message", m.ID, "error", err)
				c.say(ctx, m, SayBroken, false)
				return
			}
			j.Steered = became
		}
		c.sayOnce(ctx, m, j.Steered.Sentence(j.Instruction))
	})
}

// meant is what a message means that says nothing but what is to happen to the answers of its
// thread.
func (c *Conversation) meant(m chat.Message) session.StopRequest {
	r := session.StopRequest{Ref: m.Ref, By: session.Stopper{ID: m.Author.ID, Privileged: m.Moderator}}
	if m.Direct && !m.InThread { // it stands in no thread whose turns could be meant
		r.Ref.Thread = ""
	}
	return r
}

// ask takes a question in, with its files and what was said before it, as far as the platform tells
// of them before.
func (c *Conversation) ask(ctx context.Context, m chat.Message, j answer.Judgement) error {
	if m.Hidden || m.Text == "" && !m.Attached && !m.Direct && !m.Mentioned {
		return nil // no one asked for a word about what cannot be read
	}
	if err := c.service.Room(); err != nil {
		return c.rejected(ctx, m, j, err)
	}
	with, err := c.deps.Platform.Gather(ctx, m, j.Private, reading(m, j))
	if err != nil {
		return c.failed(ctx, m, err, SayLost)
	}
	question := answer.Question{
		// at the next mention only what follows is read
		Judgement: j, Bot: m.Bot, Pending: with.Pending, CaughtUp: m.InThread && !m.Direct,
		Mention: thread.Mention{
			Ref: m.Ref, EventKey: m.EventKey, Message: m.ID, Asker: thread.Person{ID: m.Author.ID, Name: cmp.Or(m.Author.Name, with.Name)},
			Starter: cmp.Or(j.Thread.Starter, m.Starter), Text: with.Text, Files: with.Files, At: m.Written, Direct: m.Direct, Tenant: c.tenant(m.Ref),
			Listens: with.Listens,
		},
	}
	if !c.can(m.Ref).Redelivers {
		question.Patience = patience
	}
	accepted, err := c.take(ctx, m.At, question)
	if policy.Refusal(err) != "" {
		return c.rejected(ctx, m, j, err)
	}
	if err != nil {
		return c.failed(ctx, m, err, SayLost)
	}
	c.taken.First(m.Key())
	c.deps.Platform.Taken(m, accepted.Turn)
	return nil
}

// rejected tells the author of a question why it was not taken in. A late question is found again
// once the store's disk has room.
func (c *Conversation) rejected(ctx context.Context, m chat.Message, j answer.Judgement, err error) error {
	if m.Late && errors.Is(err, policy.Full) {
		return err
	}
	if !j.Ambient {
		c.sayOnce(ctx, m, policy.Refusal(err))
	}
	return nil
}

// sayOnce tells the author of a message something about it: once, although several events may tell
// of it.
func (c *Conversation) sayOnce(ctx context.Context, m chat.Message, sentence string) {
	c.sayOnceTo(ctx, m, sentence, false)
}

func (c *Conversation) sayOnceTo(ctx context.Context, m chat.Message, sentence string, private bool) {
	if !m.Late && c.said.First(m.Key()) {
		c.say(ctx, m, sentence, private)
	}
}

// failed is what becomes of an event that could not be dealt with: where it does not come again,
// its author gets a notice. A process that is stopping tells no one: what it leaves is looked for
// by the next one.
func (c *Conversation) failed(ctx context.Context, m chat.Message, err error, sentence string) error {
	if err == nil || c.can(m.Ref).Redelivers || errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	c.logger.ErrorContext(ctx, "message not dealt with", "message", m.ID, "error", err)
	c.say(ctx, m, sentence, false)
	return nil
}
