package read

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strconv"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/thread"
)

// Said is an earlier message in the conversation that a question belongs to.
type Said struct {
	ID     thread.MessageID
	Author string // displayed name; empty if unknown
	Own    bool   // this bot wrote it
	Bot    bool   // another bot wrote it
	Text   string
	Files  []string // names
}

const (
	maxEarlier = 200 // messages of a thread
	maxReplies = 10  // of a chain of replies
)

// Earlier returns the messages of m's thread that are older than m, oldest first. If after is set,
// it returns only messages newer than after. more is true if there are too many messages. The
// oldest ones are then missing, except the first. After an error, list has the newest messages
// that were read.
func (c *Reader) Earlier(ctx context.Context, m chat.Message, after thread.MessageID) (list []Said, more bool, err error) {
	var found []*discordgo.Message // newest first
	before := string(m.ID)
	var failed error
	for len(found) < maxEarlier {
		var page []*discordgo.Message
		query := url.Values{"limit": {strconv.Itoa(call.HistoryLimit)}, "before": {before}}
		if err := c.discord.API.Messages(ctx, m.At.Thread, query, &page); err != nil {
			failed = err
			break
		}
		for _, p := range page {
			if call.Newer(p.ID, string(after)) {
				found = append(found, p)
			}
		}
		if len(page) < call.HistoryLimit || !call.Newer(page[len(page)-1].ID, string(after)) {
			before = ""
			break
		}
		before = page[len(page)-1].ID
	}
	if failed == nil && after == "" && m.Ref.Thread == m.At.Thread {
		// The message that opened the thread is in the channel, and has the thread's id.
		root, err := c.discord.API.Message(ctx, m.Ref.Channel, m.Ref.Thread)
		switch {
		case err == nil:
			found = append(found, root)
		case !errors.Is(err, thread.ErrMessageGone) && !errors.Is(err, thread.ErrNotPermitted):
			failed = err
		}
	}
	for _, p := range slices.Backward(found) {
		list = c.earlierMessages(list, p)
	}
	return list, before != "", failed
}

// Chain returns the messages of the reply chain that m continues, oldest first and without m. It
// returns at most 10 messages.
func (c *Reader) Chain(ctx context.Context, m chat.Message) ([]Said, error) {
	var found []*discordgo.Message
	for at := event.SourceOf(m.Source).Raw; len(found) < maxReplies; {
		next := at.ReferencedMessage
		if next == nil {
			if at.MessageReference == nil || at.MessageReference.MessageID == "" || at.Type != discordgo.MessageTypeReply {
				break
			}
			var err error
			if next, err = c.discord.API.Message(ctx, m.At.Thread, at.MessageReference.MessageID); errors.Is(err, thread.ErrMessageGone) {
				break
			} else if err != nil {
				return nil, err
			}
		}
		found = append(found, next)
		at = next
	}
	var list []Said
	for _, p := range slices.Backward(found) {
		list = c.earlierMessages(list, p)
	}
	return list, nil
}

// earlierMessages appends a message to the list. It skips system messages and messages without text
// and files.
func (c *Reader) earlierMessages(list []Said, m *discordgo.Message) []Said {
	if m.Author == nil || m.Type != discordgo.MessageTypeDefault && m.Type != discordgo.MessageTypeReply && m.Type != discordgo.MessageTypeChatInputCommand {
		return list
	}
	said := Said{
		ID: thread.MessageID(m.ID), Author: event.DisplayName(m.Author, m.Member), Own: m.Author.ID == c.discord.Self(), Bot: m.Author.Bot || m.WebhookID != "",
		Text: event.Question(m, c.directory.KnownName, c.discord.Self(), c.directory.OwnRoles(m.GuildID)...),
	}
	for _, a := range m.Attachments {
		said.Files = append(said.Files, a.Filename)
	}
	if said.Text == "" && len(said.Files) == 0 {
		return list
	}
	return append(list, said)
}
