package slackbot

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/thread"
)

// contextLimit is short because the answer waits until the thread is read.
const contextLimit = 5 * time.Second

// readBefore reads the messages of a thread between after and question. ok is false if there are
// none or they cannot be read. starter is the author of the thread's first message, if that was
// read.
func (b *Bot) readBefore(ctx context.Context, at thread.Ref, after, question thread.MessageID) (file message.File, starter string, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, contextLimit)
	defer cancel()
	said, more, err := b.client.Replies(ctx, at, after, question)
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "what was said before in the thread is not known", "error", err)
		return message.File{}, "", false
	}
	if len(said) > 0 && said[0].ID == thread.MessageID(at.Thread) {
		starter = said[0].Author.ID
	}
	file, ok = conversation.Transcript(conversation.EarlierName, b.said(ctx, said), more)
	return file, starter, ok
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
		said := conversation.Said{Author: name, Bot: m.Bot, Text: m.Text}
		for _, f := range event.SourceOf(m.Source).Files {
			said.Files = append(said.Files, f.Name)
		}
		list = append(list, said)
	}
	return list
}
