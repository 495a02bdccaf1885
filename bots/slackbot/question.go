package slackbot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

// lastAttempts is from which redelivery on a question is taken in although Slack does not say who listens: as one that everybody hears.
const lastAttempts = 2

// take hands a question to the service, with its files and what was said before it. The two events of a mention are one question, and
// the second finds it taken.
func (b *Bot) take(ctx context.Context, m slack.Message, j answer.Judgement) error {
	key := m.Ref.Channel + " " + string(m.ID)
	defer b.taking.lock(key)()
	if b.taken.has(key) {
		return nil
	}
	audience, err := b.client.Audience(ctx, m.Ref.Channel, m.Author, m.Direct)
	if err != nil {
		if slack.Transient(err) && m.Attempt < lastAttempts {
			return err
		}
		b.deps.Logger.WarnContext(ctx, "nobody knows who listens; the answer uses public documents only", "error", err)
	}
	var files []message.File
	said, began, ok := b.before(ctx, m, j)
	if ok {
		files = append(files, said)
	}
	starter := cmp.Or(j.Thread.Starter, m.Starter, began)
	attached := m.Files
	if m.FilesUnknown {
		attached = b.client.Attached(ctx, m)
	}
	files = append(files, b.client.Fetch(ctx, attached)...)
	taken, err := b.accept(ctx, answer.Question{Judgement: j, Bot: m.Bot, Mention: thread.Mention{
		Ref: m.Ref, EventKey: m.EventKey, Message: m.ID, Asker: b.person(ctx, m.Author), Starter: starter, Text: questionOf(m.Text, files), Files: files,
		At: m.At, Direct: m.Direct, Tenant: b.config.Tenant, Listens: audience,
	}}, m.Late)
	if err != nil || !taken {
		return err
	}
	b.taken.first(key)
	if m.InThread && !m.Direct {
		// What was said up to here is known; at the next mention only what follows is read.
		if err := b.deps.Threads.CaughtUp(ctx, b.config.Tenant, m.Ref, m.ID); err != nil {
			b.deps.Logger.WarnContext(ctx, "how far a thread was read is not noted; some of it may be read again", "error", err)
		}
	}
	return nil
}

// questionOf is what is asked when somebody sends files and no word.
func questionOf(text string, files []message.File) string {
	if strings.TrimSpace(text) == "" && len(files) > 0 && files[len(files)-1].ID != contextID {
		return "What is this about?"
	}
	return text
}

// person is somebody with the name that others see. Who cannot be looked up has none.
func (b *Bot) person(ctx context.Context, id string) thread.Person {
	ctx, cancel := context.WithTimeout(ctx, profileLimit)
	defer cancel()
	p, err := b.client.Profile(ctx, id)
	if err != nil {
		return thread.Person{ID: id}
	}
	return thread.Person{ID: id, Name: p.Name}
}

// accept takes a question in, unless it is rejected with a sentence. late says that it was read and not heard: then nobody waits for a
// word about it.
func (b *Bot) accept(ctx context.Context, q answer.Question, late bool) (taken bool, err error) {
	accepted, err := b.service.Take(ctx, q)
	rejected, ok := rejection(err)
	switch {
	case ok:
		if !late && !q.Judgement.Ambient {
			b.whisperOnce(ctx, slack.Message{Ref: q.Ref, ID: q.Message, Author: q.Asker.ID, Direct: q.Direct}, rejected)
		}
		return false, nil
	case err != nil:
		return false, fmt.Errorf("take a question in: %w", err)
	}
	if !accepted.Duplicate && accepted.Notice != "" {
		b.queued(ctx, q.Ref, accepted.Turn)
	}
	return true, nil
}

// rejection is the sentence of a question that was not taken in for a reason that its asker is told.
func rejection(err error) (sentence string, ok bool) {
	var rejected answer.Rejection
	ok = errors.As(err, &rejected)
	return rejected.Sentence, ok
}
