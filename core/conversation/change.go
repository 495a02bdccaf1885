package conversation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// editedFor is the maximum age of a message that an edit can turn into a question.
const editedFor = 10 * time.Minute

// edited handles an edited message. A question is answered again. question is true if the edit
// turned the message into a question, for example by adding a mention.
func (c *Conversation) edited(ctx context.Context, m chat.Message) (question bool, err error) {
	if m.Own || m.System || m.Hidden {
		return false, nil
	}
	if err := c.forget(ctx, m.Ref, m.ID); err != nil {
		return false, err
	}
	t, err := c.deps.Store.TurnOf(ctx, c.tenant(m.Ref), m.Ref, m.ID)
	switch {
	case errors.Is(err, session.ErrUnknownTurn):
		return m.Mentioned && time.Since(m.Written) < editedFor, nil
	case err != nil:
		return false, fmt.Errorf("find out whether a question was edited: %w", err)
	case t.Message != m.ID:
		return false, nil
	}
	files := c.deps.Platform.ChangedFiles(ctx, m, t.Question.Files)
	_, err = c.service.Actions.Edited(ctx, session.Edit{Tenant: c.tenant(m.Ref), Ref: m.Ref, Message: m.ID, Text: m.Text, Files: files})
	if sentence := policy.Refusal(err); sentence != "" {
		c.say(ctx, m, sentence, false)
		return false, nil
	}
	return false, err
}

// forget drops what the bot read of a thread that may hold the old text of a changed message.
func (c *Conversation) forget(ctx context.Context, at thread.Ref, id thread.MessageID) error {
	if err := c.deps.Store.DropTranscripts(ctx, c.tenant(at), at, id); err != nil {
		return fmt.Errorf("forget the text of a changed message: %w", err)
	}
	return nil
}

// Deleted ends the turn of a deleted question, or erases a deleted answer. It also deletes files of
// the message that were stored in projects, and transcripts that may hold its text.
func (c *Conversation) Deleted(ctx context.Context, d chat.Deletion) error {
	tenant := c.tenant(d.Ref)
	if c.service.Uploads != nil && d.Of != chat.OfBot {
		if err := c.service.Uploads.MessageDeleted(ctx, tenant, d.Ref, d.Message); err != nil {
			return err
		}
	}
	if d.Of == chat.OfUnknown {
		t, err := c.deps.Store.TurnOf(ctx, tenant, d.Ref, d.Message)
		switch {
		case errors.Is(err, session.ErrUnknownTurn): // neither a question nor an answer
			return c.forget(ctx, d.Ref, d.Message)
		case err != nil:
			return fmt.Errorf("find out what was deleted: %w", err)
		case t.Message != d.Message:
			d.Of = chat.OfBot
		}
	}
	if d.Of == chat.OfBot {
		return c.service.Actions.AnswerDeleted(ctx, tenant, d.Ref, d.Message)
	}
	if err := c.forget(ctx, d.Ref, d.Message); err != nil {
		return err
	}
	// even if the question is unknown
	_, err := c.service.Actions.Deleted(ctx, tenant, d.Ref, d.Message)
	return err
}

// Reacted stops the turn of a message to which a person added a stop reaction. A person without
// permission gets a reply only if the platform can hide it from others.
func (c *Conversation) Reacted(ctx context.Context, r chat.Reaction) error {
	_, err := c.Stop(ctx, session.StopRequest{Ref: r.Ref, Message: r.Message, By: r.By}, func(ctx context.Context, sentence string) {
		if c.features(r.Ref).SaysAlone {
			c.deps.Platform.Say(ctx, chat.Message{Ref: r.Ref, At: r.Ref, Author: thread.Person{ID: r.By.ID}}, sentence, true)
		}
	})
	return err
}

// Stop stops the turns to which r refers, or calls denied if the person may not stop them. If it
// depends on whether the person is a moderator, Stop looks that up in the background and then stops
// the turns. The result is from before that lookup.
func (c *Conversation) Stop(ctx context.Context, r session.StopRequest, denied func(ctx context.Context, sentence string)) (session.StopResult, error) {
	r.Tenant = c.tenant(r.Ref)
	if !c.features(r.Ref).Moderates {
		return c.stopAs(ctx, r, denied)
	}
	result, err := c.service.Stop(ctx, r)
	if err != nil {
		return result, fmt.Errorf("record a stop: %w", err)
	}
	if result.Undecided() && !r.By.Privileged && r.By.ID != "" {
		c.errands.run(ctx, func(ctx context.Context) {
			r.By.Privileged = c.deps.Platform.Moderates(ctx, r.Ref, r.By.ID)
			err := retry(ctx, false, func() error { // the event is acknowledged
				_, err := c.stopAs(ctx, r, denied)
				return err
			})
			if err != nil {
				c.logger.ErrorContext(ctx, "stop not recorded", "error", err)
			}
		})
	}
	return result, nil
}

// stopAs stops the turns to which r refers, or calls denied if the person may stop none of them.
// The caller must have looked up r.By.Privileged.
func (c *Conversation) stopAs(ctx context.Context, r session.StopRequest, denied func(ctx context.Context, sentence string)) (session.StopResult, error) {
	result, err := c.service.StopAs(ctx, r, c.audienceOf(r.Ref, r.By.ID))
	if err != nil {
		return result, fmt.Errorf("record a stop: %w", err)
	}
	if result.Denied && len(result.Turns) == 0 {
		denied(ctx, policy.SayDenied())
	}
	return result, nil
}
