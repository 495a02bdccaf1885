package read

import (
	"context"
	"slices"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/directory"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/thread"
)

// Translate converts a message to a chat.Message. Set late if the message was found after an
// interruption. The bool result is false if the message has no author or is the bot's.
func (c *Reader) Translate(ctx context.Context, m *discordgo.Message, late bool) (chat.Message, bool, error) {
	bot, err := c.discord.WhoAmI(ctx)
	if err != nil {
		return chat.Message{}, false, err
	}
	if m.Author == nil || m.Author.ID == bot {
		return chat.Message{}, false, nil
	}
	m, err = c.whole(ctx, m)
	if err != nil {
		return chat.Message{}, false, err
	}
	own := c.directory.OwnRoles(m.GuildID)
	out := chat.Message{
		ID: thread.MessageID(m.ID), EventKey: "message:" + m.ID, Written: m.Timestamp, Late: late, Attached: len(m.Attachments) > 0,
		Author: thread.Person{ID: m.Author.ID, Name: event.DisplayName(m.Author, m.Member)},
		Text:   event.Question(m, c.directory.KnownName, bot, own...),
	}
	source := event.Source{Raw: m}
	for _, a := range m.Attachments {
		source.Files = append(source.Files, event.AttachmentOf(a))
	}
	out.Source = source
	e := &out.Event
	e.Bot = m.Author.Bot || m.WebhookID != ""
	e.System = m.Type != discordgo.MessageTypeDefault && m.Type != discordgo.MessageTypeReply
	e.Mentioned = event.Mentions(m.Content, bot, own...)
	e.AnswersBot = answers(m, bot)
	e.OthersNamed = namesOthers(m, bot, own...)
	out.Hidden = c.discord.Config.Gateway.NoMessageContent && m.GuildID != "" && m.Content == "" && len(m.Attachments) == 0 && !e.Mentioned
	if m.GuildID == "" {
		e.Direct = true
		out.Ref = thread.Ref{Platform: call.Platform, Channel: m.ChannelID, Thread: m.ChannelID}
		out.At, out.Starter = out.Ref, m.Author.ID
		return out, true, nil
	}
	p, err := c.directory.Place(ctx, m.ChannelID)
	switch {
	case call.Lasting(err): // the bot cannot look, but people write there
		p, err = directory.Place{ID: m.ChannelID, Guild: m.GuildID, Text: true, Enclosed: true}, nil
	case err != nil:
		return chat.Message{}, false, err
	}
	out.Ref = thread.Ref{Platform: call.Platform, Workspace: m.GuildID, Channel: m.ChannelID, Thread: m.ID}
	out.Enclosed = p.Enclosed
	if m.Member != nil {
		out.Moderator = c.directory.Moderates(m.ChannelID, m.Author.ID, m.Member.Roles)
	}
	switch {
	case p.Thread && p.ID == m.ID: // the first message of a post has the post's id
		out.Ref.Channel, out.Ref.Thread = p.Parent, p.ID
		out.Starter = m.Author.ID
		e.Forum = true
		out.Text = postText(p.Name, out.Text)
	case p.Thread:
		e.InThread, e.Foreign = true, p.Owner != bot
		out.Ref.Channel, out.Ref.Thread = p.Parent, p.ID
		if p.Owner == m.Author.ID {
			out.Starter = p.Owner
		}
	case e.AnswersBot: // if no thread could be opened, the chain of replies is one
		e.InThread = true
		out.Ref.Thread, err = c.Roots.find(ctx, m.ChannelID, m.ReferencedMessage)
	default:
		out.Starter = m.Author.ID
	}
	out.At = out.Ref
	out.At.Thread = m.ChannelID
	return out, err == nil, err
}

// postText joins the title and text of a forum post. If the text requests a deep search
// (policy.Deeply), so does the result.
func postText(title, text string) string {
	text, deep := policy.Deeply(text)
	if text != "" {
		title += "\n\n" + text
	}
	if deep {
		return policy.Deepen(title)
	}
	return title
}

// whole returns m with ReferencedMessage set if m is a reply. It fetches the referenced message if
// Discord did not send it. If that message was deleted, m is returned unchanged.
func (c *Reader) whole(ctx context.Context, m *discordgo.Message) (*discordgo.Message, error) {
	to := m.MessageReference
	if m.Type != discordgo.MessageTypeReply || m.ReferencedMessage != nil || to == nil || to.MessageID == "" {
		return m, nil
	}
	found, err := c.discord.API.Message(ctx, m.ChannelID, to.MessageID)
	if call.Lasting(err) {
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

func namesOthers(m *discordgo.Message, bot string, own ...string) bool {
	if r := m.ReferencedMessage; r != nil && r.Author != nil && r.Author.ID != bot && r.Author.ID != m.Author.ID {
		return true
	}
	return m.MentionEveryone || slices.ContainsFunc(m.MentionRoles, func(r string) bool { return !slices.Contains(own, r) }) ||
		slices.ContainsFunc(m.Mentions, func(u *discordgo.User) bool { return u.ID != bot && u.ID != m.Author.ID })
}
