package discord

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Message is a message that somebody wrote. Ref is the thread that an answer would belong to: of a message in a channel the thread that
// can be opened from it, which has the message's id.
type Message struct {
	Ref      thread.Ref
	ID       thread.MessageID
	EventKey string
	Author   thread.Person
	By       session.Stopper // the author, as somebody who may stop an answer
	Starter  string          // who began the thread, where that is the author; empty else
	Text     string          // as a model should read it
	At       time.Time
	Late     bool         // found after an interruption
	Event    policy.Event // what the platform says of it
	Files    []Attachment
	Hidden   bool // what was written cannot be read without the MESSAGE CONTENT intent

	channel string // where it stands
	raw     *discordgo.Message
}

// Stop is a request to stop the turn that a message belongs to: its question, or a page of its answer.
type Stop struct {
	Ref     thread.Ref // Thread is not known
	Message thread.MessageID
	By      session.Stopper
	Deleted bool // the message was deleted
	Asked   bool // Deleted: this process knows it as a question
}

// stops reports whether an emoji is one of those that stop an answer.
func stops(signs []string, e discordgo.Emoji) bool {
	const coloured = "\ufe0f" // says that a sign is to be drawn as an emoji; not all clients send it
	return slices.ContainsFunc(signs, func(sign string) bool {
		sign = strings.TrimSpace(sign)
		if e.ID == "" {
			return e.Name != "" && strings.TrimSuffix(sign, coloured) == strings.TrimSuffix(e.Name, coloured)
		}
		parts := strings.Split(strings.Trim(sign, "<>"), ":") // a server's own is also written as <:name:id>
		return slices.Contains(parts, e.ID) || slices.Contains(parts, e.Name)
	})
}

// message translates a message. ok is false for what is nobody's concern.
func (c *Client) message(ctx context.Context, m *discordgo.Message, late bool) (Message, bool, error) {
	bot := c.self()
	if m.Author == nil || m.Author.ID == bot {
		return Message{}, false, nil
	}
	m, err := c.whole(ctx, m)
	if err != nil {
		return Message{}, false, err
	}
	own := c.directory.ownRoles(m.GuildID)
	out := Message{
		ID: thread.MessageID(m.ID), EventKey: "message:" + m.ID, At: m.Timestamp, Late: late, channel: m.ChannelID,
		Author: thread.Person{ID: m.Author.ID, Name: displayName(m.Author, m.Member)},
		By:     session.Stopper{ID: m.Author.ID},
		Text:   question(m, c.channelName, bot, own...),
		raw:    m,
	}
	for _, a := range m.Attachments {
		out.Files = append(out.Files, attachmentOf(a))
	}
	e := &out.Event
	e.Bot = m.Author.Bot || m.WebhookID != ""
	e.System = m.Type != discordgo.MessageTypeDefault && m.Type != discordgo.MessageTypeReply
	e.Mentioned = mentions(m.Content, bot, own...)
	e.AnswersBot = answers(m, bot)
	e.OthersNamed = namesOthers(m, bot, own...)
	out.Hidden = c.config.Gateway.NoMessageContent && m.GuildID != "" && m.Content == "" && len(m.Attachments) == 0 && !e.Mentioned
	if m.GuildID == "" {
		e.Direct = true
		out.Ref = thread.Ref{Platform: Platform, Channel: m.ChannelID, Thread: m.ChannelID}
		out.Starter = m.Author.ID
		return out, true, nil
	}
	p, err := c.directory.place(ctx, m.ChannelID)
	switch {
	case lasting(err): // people write there all the same
		p, err = place{id: m.ChannelID, guild: m.GuildID, text: true}, nil
	case err != nil:
		return Message{}, false, err
	}
	out.Ref = thread.Ref{Platform: Platform, Workspace: m.GuildID, Channel: m.ChannelID, Thread: m.ID}
	if m.Member != nil {
		out.By.Privileged = c.directory.moderates(m.ChannelID, m.Author.ID, m.Member.Roles)
	}
	switch {
	case p.thread && p.id == m.ID: // the first message of a post has the post's id
		out.Ref.Channel, out.Ref.Thread = p.parent, p.id
		out.Starter = m.Author.ID
		e.Forum = true
		if out.Text != "" {
			out.Text = p.name + "\n\n" + out.Text
		} else {
			out.Text = p.name
		}
	case p.thread:
		e.InThread, e.Foreign = true, p.owner != bot
		out.Ref.Channel, out.Ref.Thread = p.parent, p.id
		if p.owner == m.Author.ID {
			out.Starter = p.owner
		}
	case e.AnswersBot: // a chain of replies is a thread too, where none could be opened
		e.InThread = true
		out.Ref.Thread, err = c.roots.find(ctx, m.ChannelID, m.ReferencedMessage)
	default:
		out.Starter = m.Author.ID
	}
	return out, err == nil, err
}

// whole returns a message with the one that it answers, which the platform may leave out.
func (c *Client) whole(ctx context.Context, m *discordgo.Message) (*discordgo.Message, error) {
	to := m.MessageReference
	if m.Type != discordgo.MessageTypeReply || m.ReferencedMessage != nil || to == nil || to.MessageID == "" {
		return m, nil
	}
	found, err := c.api.message(ctx, m.ChannelID, to.MessageID)
	if lasting(err) {
		return m, nil // it was deleted
	}
	if err != nil {
		return nil, err
	}
	with := *m
	with.ReferencedMessage = found
	return &with, nil
}

func answers(m *discordgo.Message, bot string) bool {
	return m.ReferencedMessage != nil && m.ReferencedMessage.Author != nil && m.ReferencedMessage.Author.ID == bot
}

// namesOthers reports whether a message is addressed to somebody else.
func namesOthers(m *discordgo.Message, bot string, own ...string) bool {
	if r := m.ReferencedMessage; r != nil && r.Author != nil && r.Author.ID != bot && r.Author.ID != m.Author.ID {
		return true
	}
	return m.MentionEveryone || slices.ContainsFunc(m.MentionRoles, func(r string) bool { return !slices.Contains(own, r) }) ||
		slices.ContainsFunc(m.Mentions, func(u *discordgo.User) bool { return u.ID != bot && u.ID != m.Author.ID })
}

func (c *Client) channelName(id string) string {
	c.directory.mu.Lock()
	defer c.directory.mu.Unlock()
	return c.directory.places[id].name
}

// home returns the reference of a place, without its thread: messages of a thread belong to the channel that it hangs on.
func (c *Client) home(ctx context.Context, guild, channel string) (thread.Ref, error) {
	ref := thread.Ref{Platform: Platform, Workspace: guild, Channel: channel}
	if guild == "" {
		ref.Thread = channel
		return ref, nil
	}
	p, err := c.directory.place(ctx, channel)
	if err != nil {
		return ref, err
	}
	if p.thread {
		ref.Channel, ref.Thread = p.parent, p.id
	}
	return ref, nil
}

// reaction translates a reaction; ok is false for those that mean nothing.
func (c *Client) reaction(ctx context.Context, r *discordgo.MessageReactionAdd) (Stop, bool, error) {
	if r.UserID == c.self() || !stops(c.config.StopReactions, r.Emoji) || r.Member != nil && r.Member.User != nil && r.Member.User.Bot {
		return Stop{}, false, nil
	}
	ref, err := c.home(ctx, r.GuildID, r.ChannelID)
	if err != nil {
		return Stop{}, false, err
	}
	by := session.Stopper{ID: r.UserID}
	switch {
	case r.Member != nil:
		by.Privileged = c.directory.moderates(r.ChannelID, r.UserID, r.Member.Roles)
	case r.GuildID != "":
		m, err := c.directory.membership(ctx, r.GuildID, r.UserID)
		by.Privileged = err == nil && c.directory.moderates(r.ChannelID, r.UserID, m.roles) // the asker may stop it in any case
	}
	return Stop{Ref: ref, Message: thread.MessageID(r.MessageID), By: by}, true, nil
}

// deletion translates the end of a message.
func (c *Client) deletion(ctx context.Context, guild, channel, message string) (Stop, bool, error) {
	known := c.roots.knows(message)
	if _, placed := c.directory.peek(channel); !known && !placed && guild != "" {
		return Stop{}, false, nil // nothing was ever asked there
	}
	ref, err := c.home(ctx, guild, channel)
	if err != nil {
		if errors.Is(err, thread.ErrNotPermitted) {
			return Stop{}, false, nil // the place has gone as well
		}
		return Stop{}, false, err
	}
	// Whoever could delete it may stop it: the platform itself has checked.
	return Stop{Ref: ref, Message: thread.MessageID(message), By: session.Stopper{Privileged: true}, Deleted: true, Asked: known}, true, nil
}
