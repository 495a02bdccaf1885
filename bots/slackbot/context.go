package slackbot

import (
	"cmp"
	"context"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// contextLimit is short because the answer waits until the thread is read.
const contextLimit = 5 * time.Second

// readBefore reads the messages of a thread between after and question. It adds to c a file with
// them, the author of the thread's first message, and up to where the thread was read. If a part
// cannot be read, the file says so.
func (b *Bot) readBefore(ctx context.Context, at thread.Ref, after, question thread.MessageID) (c session.Completion) {
	limited, cancel := context.WithTimeout(ctx, contextLimit)
	defer cancel()
	said, more, err := b.client.Replies(limited, at, after, question)
	c.CaughtUp = question
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "not all of what was said before in the thread is known", "error", err)
		c.CaughtUp = cmp.Or(after, session.Unread) // the next mention reads it
	}
	if len(said) > 0 && said[0].ID == thread.MessageID(at.Thread) {
		c.Starter = said[0].Author.ID
	}
	if file, ok := conversation.Transcript(conversation.EarlierName, b.said(ctx, said), more); ok {
		c.Files = append(c.Files, file)
	} else if err != nil {
		c.Files = append(c.Files, conversation.Unreadable())
	}
	return c
}

func (b *Bot) said(ctx context.Context, read []chat.Message) []conversation.Said {
	names := make(map[string]string)
	var list []conversation.Said
	for _, m := range read {
		if m.Own || m.System || m.Text == "" && len(event.SourceOf(m.Source).Files) == 0 {
			continue
		}
		name, ok := names[m.Author.ID]
		if !ok {
			name = b.person(ctx, m.Author.ID).Name
			names[m.Author.ID] = name
		}
		said := conversation.Said{ID: m.ID, Author: name, Bot: m.Bot, Text: m.Text}
		for _, f := range event.SourceOf(m.Source).Files {
			said.Files = append(said.Files, f.Name)
		}
		list = append(list, said)
	}
	return list
}
