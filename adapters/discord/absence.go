package discord

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// longAgo is how far back threads and direct conversations are looked into: there are few messages in them, and they go on for days.
const longAgo = 24 * time.Hour

// Conversations is implemented by handlers that know the conversations of before: the gateway tells of no direct ones, and of no threads that
// were archived since, which happens an hour after their last message.
type Conversations interface {
	// Conversations lists the threads of a server in which something was said lately, the newest first, or the channels of direct conversations
	// where guild is empty, that may hold what nobody was there for. Of the threads some may be messages that a chain of replies began with.
	Conversations(ctx context.Context, guild string) []string
}

// maxArchived is how many threads of a server are looked for that it does not tell of.
const maxArchived = 50

// archived looks into the threads of a server of which it does not tell, since they were archived.
func (in *intake) archived(ctx context.Context, g *discordgo.GuildCreate) {
	known, ok := in.handler.(Conversations)
	if !ok {
		return
	}
	in.upkeep.do("threads", func() {
		in.guard(ctx, "archived threads", func() error {
			looked := 0
			for _, id := range known.Conversations(ctx, g.ID) {
				told := func(c *discordgo.Channel) bool { return c.ID == id }
				if slices.ContainsFunc(g.Threads, told) || slices.ContainsFunc(g.Channels, told) {
					continue
				}
				if looked++; looked > maxArchived {
					return nil
				}
				p, err := in.directory.place(ctx, id)
				switch {
				case err == nil && p.thread:
					in.catchUp(ctx, id, g.ID, "")
				case err != nil && !lasting(err):
					return err
				}
			}
			return nil
		})
	})
}

// overtaken reports whether another person has written after a message.
func overtaken(m *discordgo.Message, later []*discordgo.Message) bool {
	return slices.ContainsFunc(later, func(l *discordgo.Message) bool {
		return l.Author != nil && !l.Author.Bot && l.WebhookID == "" && l.Author.ID != m.Author.ID &&
			(l.Type == discordgo.MessageTypeDefault || l.Type == discordgo.MessageTypeReply)
	})
}

// looksBack is since when a channel is looked into for what nobody was there for.
func (c *Client) looksBack(channel, guild string) time.Time {
	ago := c.config.Recent
	if p, known := c.directory.peek(channel); known && p.thread || !known && guild == "" {
		ago = max(ago, longAgo)
	}
	return time.Now().Add(-ago)
}

// Involved reports whether the bot has written about a message since: answered it, or asked about it. In a thread it is whatever the bot
// wrote after the message and not to another one, in a channel what it replied, or wrote in the message's thread. aside says which of the
// bot's messages do not count.
func (c *Client) Involved(ctx context.Context, m Message, aside func(id thread.MessageID, text string) bool) (bool, error) {
	alone := m.Event.Direct || m.Ref.Thread == m.channel
	listed, err := c.own(ctx, m.channel, string(m.ID))
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(listed, func(said *discordgo.Message) bool {
		to := repliesTo(said)
		return (to == string(m.ID) || alone && to == "") && !aside(thread.MessageID(said.ID), said.Content)
	}) {
		return true, nil
	}
	if alone {
		return false, nil
	}
	listed, err = c.own(ctx, string(m.ID), "0")
	if errors.Is(err, thread.ErrMessageGone) || errors.Is(err, thread.ErrNotPermitted) {
		return false, nil // it has no thread
	}
	return len(listed) > 0, err
}

// Noted lists what the bot replied to a message, of what has such a text.
func (c *Client) Noted(ctx context.Context, n Note, question thread.MessageID, text func(string) bool) ([]Note, error) {
	listed, err := c.own(ctx, n.channel, string(question))
	if errors.Is(err, thread.ErrMessageGone) || errors.Is(err, thread.ErrNotPermitted) {
		return nil, nil
	}
	var notes []Note
	for _, said := range listed {
		if repliesTo(said) == string(question) && text(said.Content) {
			notes = append(notes, Note{channel: n.channel, id: said.ID})
		}
	}
	return notes, err
}

// own lists the first messages of the bot in a channel after another message.
func (c *Client) own(ctx context.Context, channel, after string) ([]*discordgo.Message, error) {
	var listed []*discordgo.Message
	if c.self() == "" {
		return nil, errUnknownSelf
	}
	err := c.api.messagesAfter(ctx, channel, after, historyLimit, &listed)
	return slices.DeleteFunc(listed, func(m *discordgo.Message) bool { return m.Author == nil || m.Author.ID != c.self() }), err
}

// errUnknownSelf says that it is too early to look for the bot's own messages.
var errUnknownSelf = errors.New("look for messages of the bot: it is not connected yet")

func repliesTo(m *discordgo.Message) string {
	if m.MessageReference == nil {
		return ""
	}
	return m.MessageReference.MessageID
}

// HalfWritten reports whether a message of the bot, which stands in one of the places of a turn, shows an answer that is still being
// written. One that has gone does not. Where the message is not known it is looked for after the question.
func (c *Client) HalfWritten(ctx context.Context, t session.Turn, id thread.MessageID) (bool, error) {
	if c.self() == "" {
		return false, errUnknownSelf
	}
	ref, question := t.Session.Ref, string(t.Message)
	places := []string{ref.Thread, ref.Channel, question}
	for i, channel := range places {
		if channel == "" || slices.Contains(places[:i], channel) {
			continue
		}
		var found []*discordgo.Message
		var err error
		if id == "" {
			found, err = c.own(ctx, channel, question)
		} else {
			var m *discordgo.Message
			m, err = c.api.message(ctx, channel, string(id))
			found = []*discordgo.Message{m}
		}
		if errors.Is(err, thread.ErrMessageGone) || errors.Is(err, thread.ErrNotPermitted) || code(err) == codeInvalidForm {
			continue
		}
		if err != nil {
			return false, err
		}
		for _, m := range found {
			others := id == "" && channel == ref.Channel && ref.Workspace != "" && repliesTo(m) != question
			if m.Author != nil && m.Author.ID == c.self() && !others && (strings.HasSuffix(m.Content, strings.TrimSpace(cursor)) || offersStop(m)) {
				return true, nil
			}
		}
	}
	return false, nil
}

func offersStop(m *discordgo.Message) bool {
	for _, c := range m.Components {
		row, _ := c.(*discordgo.ActionsRow)
		if row == nil {
			continue
		}
		for _, element := range row.Components {
			if b, ok := element.(*discordgo.Button); ok && strings.HasPrefix(b.CustomID, thread.ButtonID(thread.ActionStop, "")) {
				return true
			}
		}
	}
	return false
}

// buttonStill is the beginning of the id of a button that says that a question is still wanted; the question's id follows.
const buttonStill = "footnote-still:"

// AskAbout asks in reply to a question whether it is still wanted. Processes that ask the same within minutes ask once.
func (c *Client) AskAbout(ctx context.Context, m Message, text, label string) error {
	_, err := c.tell(ctx, m, text, []discordgo.MessageComponent{discordgo.ActionsRow{Components: []discordgo.MessageComponent{
		discordgo.Button{Label: label, Style: discordgo.PrimaryButton, CustomID: buttonStill + string(m.ID)},
	}}})
	return err
}

// Still returns the question that a button is about by which somebody said that it is still wanted, and whether that is what was pressed.
func (p Press) Still() (question thread.MessageID, ok bool) {
	id, ok := strings.CutPrefix(p.ID, buttonStill)
	return thread.MessageID(id), ok
}

// Question reads a message that stands at a place (Message.Place, Press.Place).
func (c *Client) Question(ctx context.Context, at thread.Ref, id thread.MessageID) (Message, error) {
	raw, err := c.api.message(ctx, at.Thread, string(id))
	if err != nil {
		return Message{}, err
	}
	raw.GuildID, raw.ChannelID = at.Workspace, at.Thread
	m, ok, err := c.message(ctx, raw, false)
	if err == nil && !ok {
		err = thread.ErrMessageGone
	}
	return m, err
}

// Place returns where something was pressed, as Message.Place does.
func (p Press) Place() thread.Ref {
	at := p.Ref
	at.Thread = p.ticket.Channel
	return at
}

// tell says something in reply to a message. The same said by several processes, which all hear of the message, is said once.
func (c *Client) tell(ctx context.Context, to Message, text string, rows []discordgo.MessageComponent) (Note, error) {
	var made posted
	body := sentence(text)
	body.Reference = &reference{MessageID: string(to.ID)}
	sum := sha256.Sum256([]byte(string(to.ID) + "/" + text))
	body.Nonce, body.EnforceNonce = strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:15])), true
	if len(rows) > 0 {
		body.Components = rows
	}
	err := c.post(ctx, request{
		doing: "say something", method: http.MethodPost, url: discordgo.EndpointChannelMessages(to.channel), bucket: createBucket(to.channel),
	}, body, &made)
	return Note{channel: to.channel, id: made.ID}, err
}

// SayAt answers a message with a sentence, beside the answer to it, at the place where the message stands (Message.Place).
func (c *Client) SayAt(ctx context.Context, at thread.Ref, message thread.MessageID, text string) (Note, error) {
	return c.tell(ctx, Message{ID: message, channel: at.Thread}, text, nil)
}

// Resay changes what a note says.
func (c *Client) Resay(ctx context.Context, n Note, text string) error {
	return c.api.do(ctx, request{
		doing: "change what was said", method: http.MethodPatch, url: discordgo.EndpointChannelMessage(n.channel, n.id),
		bucket: editBucket(n.channel), body: sentence(text),
	}, nil)
}

// Place returns where a note stands, as it is remembered, with its id: the channel of its home, and as Thread what it was written to.
func (m Message) Place() thread.Ref {
	at := m.Ref
	at.Thread = m.channel
	return at
}

// NoteAt returns a note that is remembered with a place.
func NoteAt(at thread.Ref, id thread.MessageID) Note { return Note{channel: at.Thread, id: string(id)} }

// ID is the id of the note's message.
func (n Note) ID() thread.MessageID { return thread.MessageID(n.id) }
