package slackbot

import (
	"context"
	"strings"

	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/thread"
)

// Gather implements chat.Platform. It makes no Slack calls, because Slack waits for the event to be
// acknowledged. The worker that answers reads what is missing.
func (b *Bot) Gather(ctx context.Context, m chat.Message, _ bool, reading *chat.Reading) (g chat.Gathered, err error) {
	source := event.SourceOf(m.Source)
	open := pending{Files: source.Files}
	if reading != nil {
		open.Before, g.Unread = &before{After: reading.After}, true
	}
	if source.FilesUnknown {
		var complete bool
		open.Files, complete = b.client.Told(m)
		open.Unknown = !complete
	}
	g.Text = m.Text
	if strings.TrimSpace(m.Text) == "" && (len(open.Files) > 0 || open.Unknown) {
		g.Text, open.Bare = conversation.AboutFiles, true
	}
	listens, known := b.client.Remembered(ctx, m.Ref.Channel, m.Author.ID, m.Direct)
	author, named := b.client.Known(m.Author.ID)
	g.Listens, g.Name, open.Listens, open.Name = listens, author.Name, !known, !named
	g.Pending, err = open.raw()
	return g, err
}

// person returns an empty name if the profile cannot be read.
func (b *Bot) person(ctx context.Context, id string) thread.Person {
	ctx, cancel := context.WithTimeout(ctx, profileLimit)
	defer cancel()
	p, err := b.client.Profile(ctx, id)
	if err != nil {
		return thread.Person{ID: id}
	}
	return thread.Person{ID: id, Name: p.Name}
}
