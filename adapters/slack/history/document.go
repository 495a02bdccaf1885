package history

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/transcript"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	api "github.com/slack-go/slack"
)

// items returns one item per thread, and one item per day for messages without replies. A thread is
// included if said contains its first message.
func (r *reader) items(c transcript.Channel, said []api.Message) []transcript.Item {
	threads, days := sorted(said)
	items := make([]transcript.Item, 0, len(threads)+len(days))
	for _, root := range threads {
		items = append(items, r.thread(c, root))
	}
	for _, said := range days {
		items = append(items, r.day(c, said))
	}
	return items
}

// thread returns the item for the thread that begins with root. The item reads the thread when it
// is loaded.
func (r *reader) thread(c transcript.Channel, root api.Message) transcript.Item {
	return transcript.Item{Key: root.Timestamp, Modified: versionOf([]api.Message{root}), Load: func(ctx context.Context) (document.Document, error) {
		said, err := r.workspace.replies(ctx, c.ID, root.Timestamp)
		switch {
		case isGone(err):
			return document.Document{}, fmt.Errorf("%w; %w", err, index.ErrWithdrawn)
		case err != nil:
			return document.Document{}, err
		}
		d, err := r.document(ctx, c, said, root.Timestamp)
		d.URL = r.permalink(c.ID, root.Timestamp, "")
		// A changed list of replies gives a newer version, even if the reply is the bot's own
		// answer.
		d.UpdatedAt = transcript.Later(d.UpdatedAt, timeOf(root.LatestReply))
		return d, err
	}}
}

// day returns the item for one day's messages without replies. said is sorted newest first.
func (r *reader) day(c transcript.Channel, said []api.Message) transcript.Item {
	said = slices.Clone(said)
	slices.Reverse(said)
	at := transcript.StartOf(timeOf(said[0].Timestamp))
	modified := versionOf(said)
	// leave out reports of other programs without replies
	said = slices.DeleteFunc(said, func(m api.Message) bool { return m.BotID != "" })
	return transcript.Item{Key: at.Format(time.DateOnly), Modified: modified, Load: func(ctx context.Context) (document.Document, error) {
		d, err := r.document(ctx, c, said, "")
		if d.URL == "" {
			d.URL = r.me.link + "/archives/" + c.ID
		}
		if d.UpdatedAt.IsZero() {
			d.UpdatedAt = at
		}
		return d, err
	}}
}

// versionOf returns a version, encoded as a time, that changes when the messages change. It also
// changes after a reply was added or deleted, but not after a reply was edited.
func versionOf(said []api.Message) time.Time {
	lines := make([]string, len(said))
	for i, m := range said {
		edited := ""
		if m.Edited != nil {
			edited = m.Edited.Timestamp
		}
		lines[i] = fmt.Sprintf("%s %s %d %s %s %d %q", m.Timestamp, m.LatestReply, m.ReplyCount, edited, m.SubType, len(m.Files), m.Text)
	}
	return transcript.VersionOf(lines...)
}

// document converts the messages of a thread or day, sorted oldest first, to a document. If they
// have no text, the document has no sections, and searches do not find it.
func (r *reader) document(ctx context.Context, c transcript.Channel, said []api.Message, root string) (document.Document, error) {
	var d document.Document
	d.Title = "#" + c.Name
	for _, m := range said {
		at := timeOf(m.Timestamp)
		d.UpdatedAt = transcript.Later(d.UpdatedAt, at)
		text, who, err := r.messageText(ctx, c.ID, m)
		if err != nil {
			return document.Document{}, err
		}
		if text == "" {
			continue
		}
		link := r.permalink(c.ID, m.Timestamp, root)
		if len(d.Sections) == 0 {
			d.Title += ": " + transcript.Beginning(text)
			d.URL = link
		}
		d.Sections = append(d.Sections, transcript.Said(link, who, at, text))
	}
	d.Metadata = map[string]string{"channel": "#" + c.Name}
	return d, nil
}

// messageText returns the text and the author of a message. The text is empty for the bot's
// messages, questions to the bot, and Slack's own messages.
func (r *reader) messageText(ctx context.Context, channel string, m api.Message) (text, who string, err error) {
	about := event.Event{
		Type: "message", Subtype: m.SubType, Channel: event.ID(channel), User: event.ID(m.User), BotID: m.BotID, Text: m.Text, TS: m.Timestamp,
		Thread: m.ThreadTimestamp, Extras: event.ExtrasOf(m),
	}
	read := event.ReadMessage(r.workspace.slack, event.Callback{Event: about})
	if read.Own || read.System || read.Mentioned || read.Change == policy.Deleted || read.Text == "" && len(m.Files) == 0 {
		return "", "", nil
	}
	files, err := r.workspace.files(ctx, m.Files)
	if err != nil {
		return "", "", err
	}
	if read.Bot {
		name := m.Username
		if m.BotProfile != nil {
			name = cmp.Or(name, m.BotProfile.Name)
		}
		return withFiles(read.Text, files), plainName(cmp.Or(name, "a program")), nil
	}
	if who, err = r.workspace.name(ctx, m.User); err != nil {
		return "", "", err
	}
	if strings.Contains(m.Text, "<@") {
		if about.Text, err = r.workspace.named(ctx, m.Text, r.workspace.slack.Identity().User); err != nil {
			return "", "", err
		}
		read = event.ReadMessage(r.workspace.slack, event.Callback{Event: about})
	}
	return withFiles(read.Text, files), who, nil
}

func withFiles(text, files string) string { return strings.TrimSpace(text + "\n" + files) }

// permalink returns the URL of a message. root is the id of the thread's first message, or "" for a
// message outside threads.
func (r *reader) permalink(channel, ts, root string) string {
	link := r.me.link + "/archives/" + channel + "/p" + strings.ReplaceAll(ts, ".", "")
	if root != "" && root != ts {
		link += "?thread_ts=" + root + "&cid=" + channel
	}
	return link
}
