package slackbot

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Message implements slack.Handler.
func (b *Bot) Message(ctx context.Context, m slack.Message) error {
	switch {
	case m.Change == slack.Deleted && m.Own:
		return b.talk.Deleted(ctx, conversation.Deletion{Ref: m.Ref, Message: m.ID, Of: conversation.Answers})
	case m.Change == slack.Deleted && !m.System:
		return b.talk.Deleted(ctx, conversation.Deletion{Ref: m.Ref, Message: m.ID})
	case m.Change == slack.Edited:
		if question, err := b.talk.Edited(ctx, messageOf(m)); err != nil || !question {
			return err
		}
		m.Change = slack.Created // no other event tells of that
		b.said.Forget(m.Ref.Channel + " " + string(m.ID))
	}
	// Of the two events of a message the second one finds what came of the first: what was refused is refused, whatever has changed in between.
	if key := m.Ref.Channel + " " + string(m.ID); m.Change == slack.Created && (b.taken.Has(key) || b.said.Has(key)) {
		return nil
	}
	j, err := b.service.Judge(ctx, b.occurrence(m))
	if err != nil {
		return err
	}
	b.deps.Logger.DebugContext(ctx, "message decided", "message", m.ID, "reason", j.Reason)
	switch j.Action {
	case answer.Answer:
		return b.take(ctx, m, j)
	case answer.Stop:
		r := session.StopRequest{Ref: m.Ref, By: session.Stopper{ID: m.Author}}
		if m.Direct && !m.InThread { // it stands in no thread whose turns could be meant
			r.Ref.Thread = ""
		}
		_, err := b.talk.Stop(ctx, r, func(ctx context.Context, sentence string) {
			b.platform().whisper(ctx, m.Ref, m.Author, sentence, m.Direct)
		})
		return err
	case answer.Unfollow:
		if err := b.deps.Threads.Unfollow(ctx, b.config.Tenant, m.Ref, m.Author); err != nil {
			return fmt.Errorf("stop following a thread: %w", err)
		}
		b.whisperOnce(ctx, m, "I no longer follow this thread. Mention me to bring me back.")
	case answer.Refuse:
		if !m.Late {
			b.whisperOnce(ctx, m, j.Sentence())
		}
	case answer.Observe, answer.Ignore, answer.Redo, answer.Cancel:
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

// messageOf states what Slack says about a message in the words of conversations.
func messageOf(m slack.Message) conversation.Message {
	return conversation.Message{
		Event: answer.Event{
			Own: m.Own, System: m.System, Bot: m.Bot, Direct: m.Direct, Mentioned: m.Mentioned, InThread: m.InThread, OthersNamed: m.OthersNamed,
			Overtaken: m.Overtaken,
		},
		Ref: m.Ref, At: m.Ref, ID: m.ID, EventKey: m.EventKey, Author: thread.Person{ID: m.Author}, Starter: m.Starter, Text: m.Text, Written: m.At,
		Late: m.Late, Attached: len(m.Files) > 0 || m.FilesUnknown, Source: m,
	}
}

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
	return o
}

// Reaction implements slack.Handler.
func (b *Bot) Reaction(ctx context.Context, r slack.Reaction) error {
	if r.Name != "" && !slices.Contains(b.config.StopReactions, r.Name) {
		return nil
	}
	return b.talk.Reacted(ctx, conversation.Reaction{Ref: r.Ref, Message: r.Message, By: session.Stopper{ID: r.By, Privileged: r.Stopped}})
}

// whisperOnce tells the author of a message something about it: once, although a mention comes as two events.
func (b *Bot) whisperOnce(ctx context.Context, m slack.Message, sentence string) {
	if b.said.First(m.Ref.Channel + " " + string(m.ID)) {
		b.talk.Soon(ctx, func(ctx context.Context) { b.platform().Say(ctx, messageOf(m), sentence) })
	}
}

// holds returns what somebody alone may read.
func (b *Bot) holds(person string) func(context.Context) (access.Audience, error) {
	return func(ctx context.Context) (access.Audience, error) {
		return b.client.Audience(ctx, "", person, true)
	}
}

// privileged reports whether somebody administrates the workspace.
func (b *Bot) privileged(ctx context.Context, id string) bool {
	return b.platform().Moderates(ctx, thread.Ref{}, id)
}
