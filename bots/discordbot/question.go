package discordbot

import (
	"context"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/discord/read"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
)

const contextLimit = 5 * time.Second

// Gather implements chat.Platform.
func (b *Bot) Gather(ctx context.Context, m chat.Message, private bool, reading *chat.Reading) (chat.Gathered, error) {
	files, unread := b.before(ctx, m, reading)
	attached := b.client.Fetch(ctx, event.SourceOf(m.Source).Files)
	text := m.Text
	if text == "" && len(attached) > 0 {
		text = conversation.AboutFiles
	}
	listens := b.listens(ctx, m.Ref, m.Author.ID, m.Direct || private)
	return chat.Gathered{Text: text, Files: append(files, attached...), Listens: listens, Unread: unread}, nil
}

// Taken implements chat.Platform.
func (b *Bot) Taken(m chat.Message, _ session.Turn) {
	b.client.Asked(m)
}

// before returns messages that the bot has not seen: those of the thread, or those that the
// question replies to. If a part cannot be read, unread is true, and the file says so.
func (b *Bot) before(ctx context.Context, m chat.Message, from *chat.Reading) (files []message.File, unread bool) {
	ctx, cancel := context.WithTimeout(ctx, contextLimit)
	defer cancel()
	var found []read.Said
	var more bool
	var err error
	name := conversation.EarlierName
	switch {
	case from != nil && (!m.AnswersBot || from.After == "" && m.At.Thread == m.Ref.Thread):
		found, more, err = b.client.Earlier(ctx, m, from.After)
	case !m.InThread && !m.Direct && !m.Forum && event.SourceOf(m.Source).IsReply():
		name = "Messages that the question replies to"
		found, err = b.client.Chain(ctx, m)
	}
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "not all of what was said before is known", "error", err)
		more = true
	}
	var said []conversation.Said
	for _, s := range found {
		if !s.Own {
			said = append(said, conversation.Said{ID: s.ID, Author: s.Author, Bot: s.Bot, Text: s.Text, Files: s.Files})
		}
	}
	if file, ok := conversation.Transcript(name, said, more); ok {
		return []message.File{file}, err != nil
	}
	if err != nil {
		return []message.File{conversation.Unreadable()}, true
	}
	return nil, false
}
