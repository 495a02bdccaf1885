package slackbot

import (
	"context"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Message implements event.Handler.
func (b *Bot) Message(ctx context.Context, m event.Message) error {
	b.heard(m)
	switch {
	case m.Change == event.Deleted && m.Own:
		return b.talk.Deleted(ctx, conversation.Deletion{Ref: m.Ref, Message: m.ID, Of: conversation.Answers})
	case m.Change == event.Deleted && !m.System:
		return b.talk.Deleted(ctx, conversation.Deletion{Ref: m.Ref, Message: m.ID})
	}
	return b.talk.Message(ctx, messageOf(m))
}

// settled is after how long a reply to a thread is not found by looking at what is new in its
// channel.
const settled = 13 * 24 * time.Hour

// heard tells of a change of what was said in a channel.
func (b *Bot) heard(m event.Message) {
	if b.deps.Heard == nil || m.Direct || m.Own {
		return
	}
	key, urgent := string(m.Ref.Thread), m.Change != event.Created
	if m.System || !urgent && time.Since(event.TimeOf(thread.MessageID(key))) < settled {
		return
	}
	b.deps.Heard(m.Ref.Workspace, m.Ref.Channel, key, urgent)
}

// Converted implements event.Listener.
func (b *Bot) Converted(channel thread.Ref) {
	if b.deps.Heard != nil {
		b.deps.Heard(channel.Workspace, channel.Channel, "", true)
	}
}

// Foreign implements event.Handler.
func (b *Bot) Foreign(ctx context.Context, m event.Message) {
	if m.Own || m.System {
		return
	}
	b.service.Refused(ctx, session.Refusal{
		Tenant: b.config.Tenant, Ref: m.Ref, Key: m.EventKey, Person: m.Author, Direct: m.Direct, Reason: string(policy.RefusedForeign),
	})
}

// messageOf states what Slack says about a message in the words of conversations.
func messageOf(m event.Message) conversation.Message {
	change := policy.Created
	if m.Change == event.Edited {
		change = policy.Edited
	}
	return conversation.Message{
		Event: policy.Event{
			Own: m.Own, System: m.System, Bot: m.Bot, Direct: m.Direct, Mentioned: m.Mentioned, InThread: m.InThread, OthersNamed: m.OthersNamed,
			Overtaken: m.Late && m.Overtaken, Change: change,
		},
		Ref: m.Ref, At: m.Ref, ID: m.ID, EventKey: m.EventKey, Author: thread.Person{ID: m.Author}, Starter: m.Starter, Text: m.Text, Written: m.At,
		Late: m.Late, Attached: len(m.Files) > 0 || m.FilesUnknown, Source: m,
	}
}

// Reaction implements event.Handler.
func (b *Bot) Reaction(ctx context.Context, r event.Reaction) error {
	if r.Name != "" && !slices.Contains(b.config.StopReactions, r.Name) {
		return nil
	}
	return b.talk.Reacted(ctx, conversation.Reaction{Ref: r.Ref, Message: r.Message, By: session.Stopper{ID: r.By, Privileged: r.Stopped}})
}
