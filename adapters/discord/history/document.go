package history

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/internal/transcript"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/thread"
)

// thread returns the item of a thread or forum post. The item fetches its messages when it is
// loaded.
func (r *reader) thread(c transcript.Channel, t post) transcript.Item {
	tags := r.tags(c.ID, t)
	version := transcript.VersionOf(t.id, t.name, t.last, fmt.Sprint(t.count, len(t.tags)), strings.Join(tags, "\n"))
	return transcript.Item{Key: t.id, Modified: version, Load: func(ctx context.Context) (document.Document, error) {
		said, err := r.threadMessages(ctx, c, t)
		switch {
		case isGone(err):
			return document.Document{}, fmt.Errorf("%w; %w", err, index.ErrWithdrawn)
		case err != nil:
			return document.Document{}, r.failed(err)
		}
		d := r.document(said)
		d.Title = "#" + c.Name + ": " + t.name
		d.URL = r.link(t.id, "")
		d.UpdatedAt = transcript.Later(transcript.Later(d.UpdatedAt, timeOf(t.id)), timeOf(t.last))
		d.Metadata = map[string]string{"channel": "#" + c.Name}
		if len(tags) > 0 {
			d.Metadata["tags"] = strings.Join(tags, ", ")
		}
		if slices.ContainsFunc(tags, solves) {
			d.Metadata["solved"] = "yes"
		}
		return d, nil
	}}
}

func (r *reader) tags(forum string, t post) []string {
	var names []string
	for _, id := range t.tags {
		for _, known := range r.channels[forum].AvailableTags {
			if known.ID == id {
				names = append(names, known.Name)
			}
		}
	}
	return names
}

// solves reports whether a tag marks an answered post. It recognises the usual names of such tags.
func solves(tag string) bool {
	word := strings.ToLower(strings.TrimFunc(tag, func(c rune) bool { return !unicode.IsLetter(c) }))
	return word == "solved" || word == "resolved" || word == "answered"
}

// threadMessages returns the messages of a thread, oldest first. They include the message from
// which the thread was opened.
func (r *reader) threadMessages(ctx context.Context, c transcript.Channel, t post) ([]*discordgo.Message, error) {
	var all []*discordgo.Message
	for before := ""; ; {
		found, err := r.discord.OldMessages(ctx, t.id, before)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(found, func(a, b *discordgo.Message) int { return compareIDs(b.ID, a.ID) })
		for _, m := range found {
			if before != "" && !call.Newer(before, m.ID) {
				return nil, errRepeats
			}
			before = m.ID
			all = append(all, m)
		}
		if len(found) < call.HistoryLimit {
			break
		}
	}
	// "the created thread and the message it was started from will share the same id"
	if !r.isForum(c.ID) {
		root, err := r.discord.OldMessage(ctx, c.ID, t.id)
		switch {
		case err == nil:
			root.ChannelID = c.ID
			all = append(all, root)
		case !errors.Is(err, thread.ErrMessageGone):
			return nil, err
		}
	}
	slices.Reverse(all)
	return all, nil
}

// items returns one item per day for a channel's messages that are not in threads. It skips
// messages that opened a thread. said must be sorted newest first.
func (r *reader) items(c transcript.Channel, said []*discordgo.Message) []transcript.Item {
	var items []transcript.Item
	said = slices.DeleteFunc(slices.Clone(said), func(m *discordgo.Message) bool {
		return m.Flags&discordgo.MessageFlagsHasThread != 0 || m.Thread != nil
	})
	for len(said) > 0 {
		at := transcript.StartOf(timeOf(said[0].ID))
		n := slices.IndexFunc(said, func(m *discordgo.Message) bool { return !transcript.StartOf(timeOf(m.ID)).Equal(at) })
		if n < 0 {
			n = len(said)
		}
		items = append(items, r.day(c, at, said[:n]))
		said = said[n:]
	}
	return items
}

// day returns the item for one day's messages outside threads. The messages must be sorted newest
// first.
func (r *reader) day(c transcript.Channel, at time.Time, said []*discordgo.Message) transcript.Item {
	said = slices.Clone(said)
	slices.Reverse(said)
	lines := make([]string, len(said))
	for i, m := range said {
		lines[i] = fmt.Sprintf("%s %v %d %q %d", m.ID, m.EditedTimestamp, m.Type, m.Content, len(m.Attachments))
	}
	// drop messages of bots
	said = slices.DeleteFunc(said, func(m *discordgo.Message) bool { return m.Author == nil || m.Author.Bot || m.WebhookID != "" })
	return transcript.Item{Key: at.Format(time.DateOnly), Modified: transcript.VersionOf(lines...), Load: func(context.Context) (document.Document, error) {
		d := r.document(said)
		d.Title = "#" + c.Name
		if len(d.Sections) > 0 {
			d.Title += ": " + transcript.Beginning(strings.SplitN(d.Sections[0].Blocks[0].Text, "): ", 2)[1])
		}
		d.URL = r.link(c.ID, "")
		if len(d.Sections) > 0 {
			d.URL = d.Sections[0].Anchor
		}
		d.UpdatedAt = transcript.Later(d.UpdatedAt, at)
		d.Metadata = map[string]string{"channel": "#" + c.Name}
		return d, nil
	}}
}

// document converts messages, sorted oldest first, to a document. A document without text has no
// sections, so searches do not find it.
func (r *reader) document(said []*discordgo.Message) document.Document {
	var d document.Document
	for _, m := range said {
		d.UpdatedAt = transcript.Later(d.UpdatedAt, timeOf(m.ID))
		if text := r.text(m); text != "" {
			d.Sections = append(d.Sections, transcript.Said(r.link(m.ChannelID, m.ID), authorName(m), timeOf(m.ID), text))
		}
	}
	return d
}

// text returns the text of a message for the search index. It is empty for messages of the bot,
// questions to the bot, and system messages.
func (r *reader) text(m *discordgo.Message) string {
	if m.Author == nil || m.Author.ID == r.self || m.Type != discordgo.MessageTypeDefault && m.Type != discordgo.MessageTypeReply ||
		event.Mentions(m.Content, r.self, r.own...) || answers(m, r.self) {
		return ""
	}
	text := event.Question(m, r.directory.KnownName, r.self, r.own...)
	for _, a := range m.Attachments {
		text = strings.TrimSpace(text + "\n(file: " + strings.Join(strings.Fields(a.Filename), " ") + ")")
	}
	return text
}

// answers reports whether a message replies to the bot. Such a message is a follow-up question.
func answers(m *discordgo.Message, self string) bool {
	return m.ReferencedMessage != nil && m.ReferencedMessage.Author != nil && m.ReferencedMessage.Author.ID == self
}

func authorName(m *discordgo.Message) string {
	name := strings.NewReplacer("<", "", ">", "", "|", "", "`", "").Replace(event.DisplayName(m.Author, m.Member))
	return cmp.Or(strings.Join(strings.Fields(name), " "), "someone")
}

func (r *reader) link(channel, message string) string {
	link := "https://discord.com/channels/" + r.guild + "/" + channel
	if message != "" {
		link += "/" + message
	}
	return link
}
