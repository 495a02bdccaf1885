package conversation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	sayStill  = "I was not there when this was asked. Is an answer still wanted?"
	sayWanted = "Yes, answer it"
	sayGone   = "The question is no longer there. Ask again."
	sayAsker  = "Only whoever asked can say so."

	// askOnceWithin is how long one process keeps all others from asking about the same question.
	askOnceWithin = time.Minute
	// closingTime is how long it takes at most until the worker, after a start, has closed a turn
	// that was left over from before the absence.
	closingTime = 30 * time.Second
)

// late decides about a message that is found after an absence, as it would have been decided when
// it was written. What some process has taken in or decided already is ignored. About an old
// question the bot asks whether an answer is still wanted.
func (c *Conversation) late(ctx context.Context, m chat.Message) (j answer.Judgement, err error) {
	j.Action = policy.Ignore
	looked := m.Looked
	if looked.IsZero() {
		looked = time.Now()
	}
	old := looked.Sub(m.Written) > c.deps.MaxAge
	t, err := c.deps.Store.TurnOf(ctx, c.tenant(m.Ref), m.Ref, m.ID)
	switch {
	case err == nil && old: // it may have been closed, because no replica was there for its answer
		if closed, err := c.closed(ctx, t); err != nil || !closed {
			return j, err
		}
		return j, c.askStill(ctx, m)
	case err == nil:
		return j, nil
	case !errors.Is(err, session.ErrUnknownTurn):
		return j, fmt.Errorf("find out what became of a message: %w", err)
	}
	if !m.Direct && !m.Mentioned && !m.Forum { // who is spoken to may have changed since
		if passed, err := c.service.Passed(ctx, c.tenant(m.Ref), m.Ref, m.ID); err != nil || passed {
			return j, err
		}
	}
	judged, err := c.judge(ctx, c.occurrence(m))
	if err != nil {
		return j, err
	}
	wanted := judged.Action == policy.Answer && !judged.Ambient
	switch {
	case wanted && old:
		return j, c.askStill(ctx, m)
	case wanted: // a restored store does not know
		if answered, err := c.deps.Platform.Answered(ctx, m, c.aside(ctx, m)); err != nil || answered {
			return j, err
		}
	case old && judged.Action != policy.Unfollow:
		return j, nil
	}
	return judged, nil
}

// aside says which of the bot's messages after a question are about another one.
func (c *Conversation) aside(ctx context.Context, m chat.Message) func(thread.MessageID) bool {
	return func(id thread.MessageID) bool {
		t, err := c.deps.Store.TurnOf(ctx, c.tenant(m.Ref), m.Ref, id)
		return err == nil && t.Message != m.ID
	}
}

// closed waits up to closingTime and reports whether the turn ended without an answer because no
// replica was running.
func (c *Conversation) closed(ctx context.Context, t session.Turn) (bool, error) {
	for begun := time.Now(); t.State != session.Done; {
		if time.Since(begun) > closingTime { // a replica holds it
			return false, nil
		}
		if err := sleep.For(ctx, closingTime/100); err != nil {
			return false, err
		}
		now, err := c.deps.Store.Turn(ctx, t.Session.Tenant, t.ID)
		if err != nil {
			return false, fmt.Errorf("find out how a turn ended: %w", err)
		}
		t = now
	}
	return t.Outcome == session.Superseded, nil
}

// askStill asks whether an old question is still wanted, unless it was answered, or asked about
// before.
func (c *Conversation) askStill(ctx context.Context, m chat.Message) error {
	involved, err := c.deps.Platform.Involved(ctx, m, c.aside(ctx, m))
	if err != nil || involved {
		return err
	}
	// Processes that start together find the same.
	mine, err := c.deps.Store.Claim(ctx, c.tenant(m.Ref), m.Ref, "still "+m.Ref.Channel+" "+string(m.ID), askOnceWithin)
	if err != nil || !mine {
		return err
	}
	_, err = c.deps.Platform.Post(ctx, m.At, chat.Notice{To: m.ID, Subject: string(m.ID), Text: sayStill, Still: sayWanted})
	return err
}

// Wanted is a person who says that an answer to an old question is still wanted.
type Wanted struct {
	At        thread.Ref       // where the question stands
	Question  thread.MessageID // that is meant
	Notice    thread.MessageID // by which it was asked
	Key       string           // the platform's id of the press
	By        thread.Person
	Moderator bool
}

// Still takes in a question that is wanted after all. sentence is what the person reads where
// nothing comes of it; accepted is called when something does, before it has.
func (c *Conversation) Still(ctx context.Context, w Wanted, accepted func()) (sentence string, err error) {
	m, err := c.deps.Platform.Message(ctx, w.At, w.Question)
	switch {
	case errors.Is(err, thread.ErrMessageGone):
		return sayGone, nil
	case err != nil:
		return "", err
	case w.By.ID != m.Author.ID && !w.Moderator && (!c.can(w.At).Moderates || !c.deps.Platform.Moderates(ctx, w.At, w.By.ID)):
		return sayAsker, nil
	}
	accepted()
	m.Mentioned = true // who says so speaks to the bot
	if err := c.Message(ctx, m); err != nil {
		return "", err
	}
	// It may have been taken in then, and closed because no replica was there for it.
	err = c.service.Actions.Wanted(ctx, action.Wanted{Tenant: c.tenant(m.Ref), Ref: m.Ref, Message: m.ID, Key: w.Key})
	if err != nil {
		return "", err
	}
	return "", c.deps.Platform.Delete(ctx, w.At, w.Notice)
}
