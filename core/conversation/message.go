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
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

// eventRetries is the schedule for repeating a failed event that the platform does not redeliver.
var eventRetries = sleep.Backoff{First: 100 * time.Millisecond, Most: 2 * time.Second, Within: 30 * time.Second}

// Event handles a message, a deletion or a reaction. It ignores all other events, which the code
// for each platform handles.
func (c *Conversation) Event(ctx context.Context, e chat.Event) error {
	switch {
	case e.Message != nil:
		return c.Message(ctx, *e.Message)
	case e.Deletion != nil:
		return retry(ctx, c.features(e.Deletion.Ref).Redelivers, func() error { return c.Deleted(ctx, *e.Deletion) })
	case e.Reaction != nil:
		return retry(ctx, c.features(e.Reaction.Ref).Redelivers, func() error { return c.Reacted(ctx, *e.Reaction) })
	}
	return nil
}

// retry repeats handle while it fails. If the platform redelivers the event after an error, it
// calls handle once.
func retry(ctx context.Context, redelivered bool, handle func() error) error {
	if redelivered {
		return handle()
	}
	return eventRetries.Retry(ctx, handle, sleep.Always)
}

// Message handles a message that a person wrote or edited. It is idempotent, because several events
// may report one message. After an error the platform should redeliver the event if it can.
func (c *Conversation) Message(ctx context.Context, m chat.Message) error {
	if m.Change == policy.Edited {
		var question bool
		err := retry(ctx, c.features(m.Ref).Redelivers, func() (err error) {
			question, err = c.edited(ctx, m)
			return err
		})
		if err != nil || !question {
			return err
		}
		m.Change = policy.Created // no other event reports it
		c.notified.Forget(m.Key())
	}
	if c.accepted.Has(m.Key()) || c.notified.Has(m.Key()) {
		return nil
	}
	var j answer.Judgement
	var err error
	if m.Late {
		j, err = c.judgeLate(ctx, m)
	} else {
		j, err = c.judge(ctx, c.occurrence(m), eventRetries)
	}
	if err != nil {
		return c.undecided(ctx, m, err)
	}
	c.logger.DebugContext(ctx, "message decided", "message", m.ID, "reason", j.Reason)
	switch j.Action {
	case policy.Answer:
		if project, ok := c.keepProject(m, j); ok {
			return c.startKeeping(ctx, m, j, project)
		}
		return c.acceptQuestion(ctx, m, j)
	case policy.Stop:
		return c.handleFailure(ctx, m, c.stopThread(ctx, m), SayBroken)
	case policy.Unfollow:
		if err := c.deps.Store.Unfollow(ctx, c.tenant(m.Ref), m.Ref, m.Author.ID); err != nil {
			return c.handleFailure(ctx, m, fmt.Errorf("stop following a thread: %w", err), SayBroken)
		}
		c.sayOnce(ctx, m, sayUnfollowed)
	case policy.Refuse:
		c.sayOnceTo(ctx, m, j.Sentence(), j.Private && !m.Direct)
	case policy.Steer:
		c.replySteered(ctx, m, j)
	case policy.Observe, policy.Ignore, policy.Redo, policy.Cancel:
		// not meant for the bot: no reply
	}
	return nil
}

func (c *Conversation) occurrence(m chat.Message) answer.Occurrence {
	o := answer.Occurrence{
		Event: m.Event, Tenant: c.tenant(m.Ref), Ref: m.Ref, Message: m.ID, Author: m.Author.ID, Text: m.Text, Holds: c.audienceOf(m.Ref, m.Author.ID),
	}
	if c.features(m.Ref).Known {
		o.Ask, o.Holds = o.Holds, c.knownAudience(m.Ref, m.Author.ID)
	}
	if m.Late {
		o.Age = time.Since(m.Written)
	}
	return o
}

func (c *Conversation) stopThread(ctx context.Context, m chat.Message) error {
	_, err := c.Stop(ctx, c.threadOf(m), func(ctx context.Context, sentence string) { c.say(ctx, m, sentence, false) })
	return err
}

// replySteered tells the author the result of an instruction for a deep search. It sends nothing if
// the plan in the thread shows the result. If only a moderator may give the instruction, it looks
// up in the background whether the author is one, and then tries again.
func (c *Conversation) replySteered(ctx context.Context, m chat.Message, j answer.Judgement) {
	c.accepted.First(m.Key())
	if j.Steered.Became != deepsearch.Forbidden || !m.Moderator && !c.features(m.Ref).Moderates {
		c.sayOnce(ctx, m, j.Steered.Sentence(j.Instruction))
		return
	}
	c.errands.run(ctx, func(ctx context.Context) {
		if m.Moderator || c.deps.Platform.Moderates(ctx, m.Ref, m.Author.ID) {
			at := c.threadOf(m)
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

// threadOf returns a request by the author of a message to stop all turns in the message's thread.
// For a direct message outside a thread, the request covers the whole channel.
func (c *Conversation) threadOf(m chat.Message) session.StopRequest {
	r := session.StopRequest{Ref: m.Ref, By: session.Stopper{ID: m.Author.ID, Privileged: m.Moderator}}
	if m.Direct && !m.InThread { // outside of any thread it refers to the whole channel
		r.Ref.Thread = ""
	}
	return r
}

// acceptQuestion stores a question with its files and the earlier messages of the thread. Data that
// the platform does not provide at once is left for a worker.
func (c *Conversation) acceptQuestion(ctx context.Context, m chat.Message, j answer.Judgement) error {
	if m.Hidden || m.Text == "" && !m.Attached && !m.Direct && !m.Mentioned {
		return nil // not addressed to the bot
	}
	if err := c.service.Room(); err != nil {
		return c.rejected(ctx, m, j, err)
	}
	reading := earlierMessages(m, j)
	with, err := c.deps.Platform.Gather(ctx, m, j.Private, reading)
	if err != nil {
		return c.handleFailure(ctx, m, err, SayLost)
	}
	question := answer.Question{
		Judgement: j, Bot: m.Bot, Pending: with.Pending, CaughtUp: caughtUp(m, j.Thread, reading, with),
		Mention: thread.Mention{
			Ref: m.Ref, EventKey: m.EventKey, Message: m.ID, Asker: thread.Person{ID: m.Author.ID, Name: cmp.Or(m.Author.Name, with.Name)},
			Starter: cmp.Or(j.Thread.Starter, m.Starter), Text: with.Text, Files: with.Files, At: m.Written, Direct: m.Direct, Tenant: c.tenant(m.Ref),
			Listens: with.Listens,
		},
	}
	if !c.features(m.Ref).Redelivers {
		question.Patience = eventRetries.Within
	}
	accepted, err := c.storeQuestion(ctx, m.At, question)
	if policy.Refusal(err) != "" {
		return c.rejected(ctx, m, j, err)
	}
	if err != nil {
		return c.handleFailure(ctx, m, err, SayLost)
	}
	c.accepted.First(m.Key())
	c.deps.Platform.Taken(m, accepted.Turn)
	return nil
}

// rejected tells the author why a question was not accepted, and returns nil. It returns err if the
// store's disk is full and the message was found after an outage. Such a message is found again
// later.
func (c *Conversation) rejected(ctx context.Context, m chat.Message, j answer.Judgement, err error) error {
	if m.Late && errors.Is(err, policy.Full) {
		return err
	}
	if !j.Ambient {
		c.sayOnce(ctx, m, policy.Refusal(err))
	}
	return nil
}

// sayOnce sends at most one notice about a message, even if several events report it.
func (c *Conversation) sayOnce(ctx context.Context, m chat.Message, sentence string) {
	c.sayOnceTo(ctx, m, sentence, false)
}

func (c *Conversation) sayOnceTo(ctx context.Context, m chat.Message, sentence string, private bool) {
	if !m.Late && c.notified.First(m.Key()) {
		c.say(ctx, m, sentence, private)
	}
}

// handleFailure reports an error to the author and returns nil. It returns the error instead if the
// event will be handled again. This is the case if the platform redelivers events or the process is
// stopping.
func (c *Conversation) handleFailure(ctx context.Context, m chat.Message, err error, sentence string) error {
	if err == nil || c.features(m.Ref).Redelivers || errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	c.logger.ErrorContext(ctx, "message not dealt with", "message", m.ID, "error", err)
	c.say(ctx, m, sentence, false)
	return nil
}
