package slackbot

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/thread"
)

// take hands a question to the service. Slack is asked nothing: the event is acknowledged once the question is stored, and what is not known of it
// is found out by whichever worker answers it. The two events of a mention are one question, and the second finds it taken.
func (b *Bot) take(ctx context.Context, m slack.Message, j answer.Judgement) error {
	key := m.Ref.Channel + " " + string(m.ID)
	p := pending{Files: m.Files, Before: reading(m, j)}
	if m.FilesUnknown {
		var told bool
		p.Files, told = b.client.Told(m)
		p.Unknown = !told
	}
	text := m.Text
	if strings.TrimSpace(text) == "" && (len(p.Files) > 0 || p.Unknown) {
		text, p.Bare = conversation.AboutFiles, true
	}
	listens, known := b.client.Remembered(ctx, m.Ref.Channel, m.Author, m.Direct)
	asker, named := b.client.Known(m.Author)
	p.Listens, p.Name = !known, !named
	ask, err := p.raw()
	if err != nil {
		return fmt.Errorf("take a question in: %w", err)
	}
	taken, err := b.accept(ctx, answer.Question{
		Judgement: j, Bot: m.Bot, Pending: ask, CaughtUp: m.InThread && !m.Direct, // at the next mention only what follows is read
		Mention: thread.Mention{
			Ref: m.Ref, EventKey: m.EventKey, Message: m.ID, Asker: thread.Person{ID: m.Author, Name: asker.Name}, Starter: cmp.Or(j.Thread.Starter, m.Starter),
			Text: text, At: m.At, Direct: m.Direct, Tenant: b.config.Tenant, Listens: listens,
		},
	}, m.Late)
	if err == nil && taken {
		b.taken.First(key)
	}
	return err
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
	accepted, rejected, err := b.talk.Take(ctx, q, takeLimit)
	switch {
	case err != nil:
		return false, err
	case rejected != "":
		if !late && !q.Judgement.Ambient {
			b.whisperOnce(ctx, slack.Message{Ref: q.Ref, ID: q.Message, Author: q.Asker.ID, Direct: q.Direct}, rejected)
		}
		return false, nil
	}
	if !accepted.Duplicate && accepted.Notice != "" {
		b.talk.Queued(q.Ref, accepted.Turn)
	}
	return true, nil
}
