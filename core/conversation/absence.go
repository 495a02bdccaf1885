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
	askStillWanted  = "I was not there when this was asked. Is an answer still wanted?"
	buttonWanted    = "Yes, answer it"
	sayQuestionGone = "The question is no longer there. Ask again."
	sayOnlyAsker    = "Only whoever asked can say so."

	// claimTTL is how long a process reserves an old question, to ask whether it is still wanted.
	// Other processes do not ask during this time.
	claimTTL = time.Minute
	// closingTime is the maximum time to wait for the end of a turn that began before an outage.
	closingTime = 30 * time.Second
)

// judgeLate decides whether to answer a message that was found after an outage. It ignores messages
// that a process has already handled. If a question is older than MaxAge, the bot asks in the
// thread whether an answer is still wanted.
func (c *Conversation) judgeLate(ctx context.Context, m chat.Message) (j answer.Judgement, err error) {
	j.Action = policy.Ignore
	looked := m.Looked
	if looked.IsZero() {
		looked = time.Now()
	}
	old := looked.Sub(m.Written) > c.deps.MaxAge
	t, err := c.deps.Store.TurnOf(ctx, c.tenant(m.Ref), m.Ref, m.ID)
	switch {
	case err == nil && old: // it may have been closed because no replica was running
		if closed, err := c.closed(ctx, t); err != nil || !closed {
			return j, err
		}
		return j, c.askWhetherWanted(ctx, m)
	case err == nil:
		return j, nil
	case !errors.Is(err, session.ErrUnknownTurn):
		return j, fmt.Errorf("find out what became of a message: %w", err)
	}
	if !m.Direct && !m.Mentioned && !m.Forum { // the addressee may have changed since
		if passed, err := c.service.Passed(ctx, c.tenant(m.Ref), m.Ref, m.ID); err != nil || passed {
			return j, err
		}
	}
	judged, err := c.judge(ctx, c.occurrence(m), eventRetries)
	if err != nil {
		return j, err
	}
	wanted := judged.Action == policy.Answer && !judged.Ambient
	switch {
	case wanted && old:
		return j, c.askWhetherWanted(ctx, m)
	case wanted: // a store restored from a backup may lack the answer
		if answered, err := c.deps.Platform.Answered(ctx, m, c.aboutOther(ctx, m)); err != nil || answered {
			return j, err
		}
	case old && judged.Action != policy.Unfollow:
		return j, nil
	}
	return judged, nil
}

// aboutOther returns a function that reports whether a message belongs to the turn of a question
// other than m.
func (c *Conversation) aboutOther(ctx context.Context, m chat.Message) func(thread.MessageID) bool {
	return func(id thread.MessageID) bool {
		t, err := c.deps.Store.TurnOf(ctx, c.tenant(m.Ref), m.Ref, id)
		return err == nil && t.Message != m.ID
	}
}

// closed reports whether a turn ended without an answer because no replica was running. It waits up
// to closingTime for the turn to end.
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

// askWhetherWanted posts a notice that asks whether an old question still needs an answer. It does
// nothing if the bot has already answered the question or asked about it.
func (c *Conversation) askWhetherWanted(ctx context.Context, m chat.Message) error {
	involved, err := c.deps.Platform.Involved(ctx, m, c.aboutOther(ctx, m))
	if err != nil || involved {
		return err
	}
	// Processes that start together find the same message.
	mine, err := c.deps.Store.Claim(ctx, c.tenant(m.Ref), m.Ref, "still "+m.Ref.Channel+" "+string(m.ID), claimTTL)
	if err != nil || !mine {
		return err
	}
	_, err = c.deps.Platform.Post(ctx, m.At, chat.Notice{To: m.ID, Subject: string(m.ID), Text: askStillWanted, Still: buttonWanted})
	return err
}

// Wanted is a press of the button that says that an old question still needs an answer.
type Wanted struct {
	At        thread.Ref // thread of the question
	Question  thread.MessageID
	Notice    thread.MessageID // the message with the button
	Key       string           // the platform's id of the press
	By        thread.Person
	Moderator bool
}

// Still handles a press of the button that says that an old question still needs an answer. It
// accepts the question and deletes the message with the button. If the question cannot be accepted,
// it returns a sentence for the person. It calls accepted before it stores the question.
func (c *Conversation) Still(ctx context.Context, w Wanted, accepted func()) (sentence string, err error) {
	m, err := c.deps.Platform.Message(ctx, w.At, w.Question)
	switch {
	case errors.Is(err, thread.ErrMessageGone):
		return sayQuestionGone, nil
	case err != nil:
		return "", err
	case w.By.ID != m.Author.ID && !w.Moderator && (!c.features(w.At).Moderates || !c.deps.Platform.Moderates(ctx, w.At, w.By.ID)):
		return sayOnlyAsker, nil
	}
	accepted()
	m.Mentioned = true // the press addresses the bot
	if err := c.Message(ctx, m); err != nil {
		return "", err
	}
	// It may have been accepted at the time, and closed because no replica was running.
	err = c.service.Actions.Wanted(ctx, action.Wanted{Tenant: c.tenant(m.Ref), Ref: m.Ref, Message: m.ID, Key: w.Key})
	if err != nil {
		return "", err
	}
	return "", c.deps.Platform.Delete(ctx, w.At, w.Notice)
}
