package history

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	api "github.com/slack-go/slack"
)

// waiting is how long a thread may wait for its turn to be read.
const waiting = 10 * time.Minute

// thread is the item of a thread, of which the root is known.
func (p *pass) thread(c channel, root api.Message) index.Item {
	id := p.id(c.id, root.Timestamp)
	return index.Item{ID: id, ModifiedAt: versionOf([]api.Message{root}), Wait: waiting, Load: func(ctx context.Context) (document.Document, error) {
		said, err := p.workspace.replies(ctx, c.id, root.Timestamp)
		switch {
		case gone(err):
			return document.Document{}, fmt.Errorf("%w; %w", err, index.ErrWithdrawn)
		case err != nil:
			return document.Document{}, err
		}
		d, err := p.document(ctx, c, said, root.Timestamp)
		d.ID, d.URL = id, p.permalink(c.id, root.Timestamp, "")
		// Whatever moves the root's list of replies is a newer version, though it may be one of the bot's answers.
		d.UpdatedAt = latest(d.UpdatedAt, timeOf(root.LatestReply))
		return d, err
	}}
}

// day is the item of what was said in a day and not replied to; newest first.
func (p *pass) day(c channel, said []api.Message) index.Item {
	said = slices.Clone(said)
	slices.Reverse(said)
	at := startOf(timeOf(said[0].Timestamp))
	id := p.id(c.id, at.Format(time.DateOnly))
	modified := versionOf(said)
	said = slices.DeleteFunc(said, func(m api.Message) bool { return m.BotID != "" }) // other programs' reports, to which nobody said anything
	return index.Item{ID: id, ModifiedAt: modified, Wait: waiting, Load: func(ctx context.Context) (document.Document, error) {
		d, err := p.document(ctx, c, said, "")
		d.ID = id
		if d.URL == "" {
			d.URL = p.me.link + "/archives/" + c.id
		}
		if d.UpdatedAt.IsZero() {
			d.UpdatedAt = at
		}
		return d, err
	}}
}

// versionOf stands for what Slack's list of a channel tells of messages: a time that is another one after an edit, a deletion, or a reply to a
// thread or its deletion. Edits of replies are not among it.
func versionOf(said []api.Message) time.Time {
	sum := fnv.New64a()
	for _, m := range said {
		edited := ""
		if m.Edited != nil {
			edited = m.Edited.Timestamp
		}
		_, _ = fmt.Fprintf(sum, "%s %s %d %s %s %q\n", m.Timestamp, m.LatestReply, m.ReplyCount, edited, m.SubType, m.Text) // a sum takes anything
	}
	return time.UnixMicro(int64(sum.Sum64() >> 14)).UTC() // until the year 2005, which every store keeps
}

// document makes a document of messages, oldest first. One in which nobody says anything has no sections, and is not found.
func (p *pass) document(ctx context.Context, c channel, said []api.Message, root string) (document.Document, error) {
	var d document.Document
	var err error
	if d.ACL, err = p.readers(c.id); err != nil {
		return document.Document{}, err
	}
	d.Title = "#" + c.name
	for _, m := range said {
		at := timeOf(m.Timestamp)
		d.UpdatedAt = latest(d.UpdatedAt, at)
		text, who, err := p.said(ctx, c.id, m)
		if err != nil {
			return document.Document{}, err
		}
		if text == "" {
			continue
		}
		link := p.permalink(c.id, m.Timestamp, root)
		if len(d.Sections) == 0 {
			d.Title += ": " + beginning(text)
			d.URL = link
		}
		d.Sections = append(d.Sections, document.Section{Anchor: link, Blocks: []document.Block{
			{Kind: document.Paragraph, Text: fmt.Sprintf("%s (%s UTC): %s", who, at.Format("2006-01-02 15:04"), text)},
		}})
	}
	d.Metadata = map[string]string{"channel": "#" + c.name}
	return d, nil
}

// said is what somebody says to others in a message, and who; empty for what the bot says, what it is asked, and what Slack says.
func (p *pass) said(ctx context.Context, channel string, m api.Message) (text, who string, err error) {
	about := event.Event{
		Type: "message", Subtype: m.SubType, Channel: event.ID(channel), User: event.ID(m.User), BotID: m.BotID, Text: m.Text, TS: m.Timestamp,
		Thread: m.ThreadTimestamp, Beside: event.Besides(m),
	}
	read := event.ReadMessage(p.workspace.slack, event.Callback{Event: about}, 0)
	if read.Own || read.System || read.Mentioned || read.Change == event.Deleted || read.Text == "" {
		return "", "", nil
	}
	if read.Bot {
		name := m.Username
		if m.BotProfile != nil {
			name = cmp.Or(name, m.BotProfile.Name)
		}
		return read.Text, plainName(cmp.Or(name, "a program")), nil
	}
	if who, err = p.workspace.name(ctx, m.User); err != nil {
		return "", "", err
	}
	if strings.Contains(m.Text, "<@") {
		if about.Text, err = p.workspace.named(ctx, m.Text, p.workspace.slack.Identity().User); err != nil {
			return "", "", err
		}
		read = event.ReadMessage(p.workspace.slack, event.Callback{Event: about}, 0)
	}
	return read.Text, who, nil
}

// permalink is the address of a message; root is that of its thread, empty outside threads.
func (p *pass) permalink(channel, ts, root string) string {
	link := p.me.link + "/archives/" + channel + "/p" + strings.ReplaceAll(ts, ".", "")
	if root != "" && root != ts {
		link += "?thread_ts=" + root + "&cid=" + channel
	}
	return link
}

// longestTitle is how many characters of a message stand in a title.
const longestTitle = 80

// beginning is the first words of a message.
func beginning(text string) string {
	words := strings.Fields(text)
	var b strings.Builder
	for _, w := range words {
		if b.Len() > 0 {
			if b.Len()+len(w) > longestTitle {
				return b.String() + " …"
			}
			b.WriteByte(' ')
		}
		b.WriteString(w)
		if b.Len() > longestTitle {
			return strings.ToValidUTF8(b.String()[:longestTitle], "") + "…"
		}
	}
	return b.String()
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
