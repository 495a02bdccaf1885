package slackbot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Message implements slack.Handler.
func (b *Bot) Message(ctx context.Context, m slack.Message) error {
	if m.Change == slack.Deleted && m.Own {
		return b.service.AnswerDeleted(ctx, b.config.Tenant, m.Ref, m.ID)
	}
	if m.Change == slack.Deleted && !m.Own && !m.System {
		// The deletion may overtake its question, so it is recorded whether or not the question is known.
		_, err := b.service.Deleted(ctx, b.config.Tenant, m.Ref, m.ID)
		return err
	}
	key := m.Ref.Channel + " " + string(m.ID)
	// Of the two events of a message the second one finds what came of the first: what was refused is refused, whatever has changed in between.
	if m.Change == slack.Created && (b.taken.has(key) || b.said.has(key)) {
		return nil
	}
	j, err := b.service.Judge(ctx, b.occurrence(m))
	if err != nil {
		return err
	}
	if m.Change == slack.Edited && m.Mentioned && j.Action == answer.Ignore && !m.Own && !m.System && time.Since(m.At) < editedFor {
		// It was no question before: the mention was added, or the words after it. No other event tells of that.
		m.Change = slack.Created
		b.said.forget(key)
		return b.Message(ctx, m)
	}
	b.deps.Logger.DebugContext(ctx, "message decided", "message", m.ID, "reason", j.Reason)
	switch j.Action {
	case answer.Answer:
		return b.take(ctx, m, j)
	case answer.Redo:
		return b.redo(ctx, m)
	case answer.Stop:
		r := session.StopRequest{Ref: m.Ref, By: session.Stopper{ID: m.Author}}
		if m.Direct && !m.InThread { // it stands in no thread whose turns could be meant
			r.Ref.Thread = ""
		}
		return b.stop(ctx, r, m.Direct)
	case answer.Unfollow:
		if err := b.deps.Threads.Unfollow(ctx, b.config.Tenant, m.Ref, m.Author); err != nil {
			return fmt.Errorf("stop following a thread: %w", err)
		}
		b.whisperOnce(ctx, m, sayUnfollowed)
	case answer.Refuse:
		if !m.Late {
			b.whisperOnce(ctx, m, j.Sentence())
		}
	case answer.Observe, answer.Ignore, answer.Cancel:
	}
	return nil
}

// Foreign implements slack.Handler.
func (b *Bot) Foreign(ctx context.Context, m slack.Message) {
	if m.Own || m.System {
		return
	}
	b.service.Refused(ctx, session.Refusal{
		Tenant: b.config.Tenant, Ref: m.Ref, Key: m.EventKey, Person: m.Author, Direct: m.Direct, Reason: string(answer.RefusedForeign),
	})
}

// editedFor is how long a message may become a question by being edited.
const editedFor = 10 * time.Minute

// occurrence states what Slack says about a message.
func (b *Bot) occurrence(m slack.Message) answer.Occurrence {
	o := answer.Occurrence{
		Event: answer.Event{
			Own: m.Own, System: m.System, Bot: m.Bot, Direct: m.Direct, Mentioned: m.Mentioned, InThread: m.InThread, OthersNamed: m.OthersNamed,
		},
		Tenant: b.config.Tenant, Ref: m.Ref, Message: m.ID, Author: m.Author, Text: m.Text, Holds: b.remembers(m.Author),
		Ask: b.holds(m.Author),
	}
	if m.Late {
		o.Age, o.Overtaken = time.Since(m.At), m.Overtaken
	}
	if m.Change == slack.Edited {
		o.Change = answer.Edited
	}
	return o
}

// holds returns what somebody alone may read.
func (b *Bot) holds(person string) func(context.Context) (access.Audience, error) {
	return func(ctx context.Context) (access.Audience, error) { return b.client.Audience(ctx, "", person, true) }
}

// redo answers an edited question anew, in the place of the old answer.
func (b *Bot) redo(ctx context.Context, m slack.Message) error {
	_, err := b.service.Edited(ctx, session.Edit{Tenant: b.config.Tenant, Ref: m.Ref, Message: m.ID, Text: m.Text})
	if sentence, ok := rejection(err); ok {
		b.tell(ctx, m.Ref, m.Author, sentence, m.Direct)
		return nil
	}
	return err
}

// Reaction implements slack.Handler.
func (b *Bot) Reaction(ctx context.Context, r slack.Reaction) error {
	if r.Name != "" && !slices.Contains(b.config.StopReactions, r.Name) {
		return nil
	}
	by := session.Stopper{ID: r.By, Privileged: r.Stopped}
	return b.stop(ctx, session.StopRequest{Ref: r.Ref, Message: r.Message, By: by}, strings.HasPrefix(r.Ref.Channel, "D"))
}

// privileged reports whether somebody administrates the workspace. Who that is cannot be found out is not.
func (b *Bot) privileged(ctx context.Context, id string) bool {
	p, err := b.client.Profile(ctx, id)
	return err == nil && p.Admin
}

// stop asks for a stop and tells somebody who may not. Slack is asked who somebody is only where that decides, and the event does not wait for it.
func (b *Bot) stop(ctx context.Context, r session.StopRequest, direct bool) error {
	r.Tenant = b.config.Tenant
	result, err := b.service.Stop(ctx, r)
	if err != nil {
		return fmt.Errorf("record a stop: %w", err)
	}
	if !result.Denied || len(result.Turns) > 0 || r.By.ID == "" {
		return nil
	}
	b.errands.run(ctx, func(ctx context.Context) { b.stopFor(ctx, r, direct) })
	return nil
}

// stopFor asks for a stop by somebody who may stop other people's answers, if that is so.
func (b *Bot) stopFor(ctx context.Context, r session.StopRequest, direct bool) {
	r.By.Privileged = r.By.Privileged || b.privileged(ctx, r.By.ID)
	result, err := b.service.StopAs(ctx, r, b.holds(r.By.ID))
	switch {
	case err != nil:
		b.deps.Logger.ErrorContext(ctx, "stop not recorded", "error", err)
	case result.Denied && len(result.Turns) == 0:
		b.whisper(ctx, r.Ref, r.By.ID, answer.SayDenied(), direct)
	}
}

// whisperOnce tells the author of a message something about it: once, although a mention comes as two events.
func (b *Bot) whisperOnce(ctx context.Context, m slack.Message, sentence string) {
	if b.said.first(m.Ref.Channel + " " + string(m.ID)) {
		b.tell(ctx, m.Ref, m.Author, sentence, m.Direct)
	}
}

// tell whispers once the event was acknowledged.
func (b *Bot) tell(ctx context.Context, to thread.Ref, person, sentence string, direct bool) {
	b.errands.run(ctx, func(ctx context.Context) { b.whisper(ctx, to, person, sentence, direct) })
}

// whisper tells somebody something. It is not worth a redelivery when it fails.
func (b *Bot) whisper(ctx context.Context, to thread.Ref, person, sentence string, direct bool) {
	if sentence == "" {
		return
	}
	if err := b.client.Whisper(ctx, to, person, sentence, direct, ""); err != nil {
		b.deps.Logger.WarnContext(ctx, "notice not shown", "error", err)
	}
}
