package receive

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func stops(signs []string, e discordgo.Emoji) bool {
	const coloured = "\ufe0f" // says that a sign is to be drawn as an emoji; not all clients send it
	return slices.ContainsFunc(signs, func(sign string) bool {
		sign = strings.TrimSpace(sign)
		if e.ID == "" {
			return e.Name != "" && strings.TrimSuffix(sign, coloured) == strings.TrimSuffix(e.Name, coloured)
		}
		// a server's own emoji is also written as <:name:id>
		parts := strings.Split(strings.Trim(sign, "<>"), ":")
		return slices.Contains(parts, e.ID) || slices.Contains(parts, e.Name)
	})
}

// reaction converts a reaction that stops an answer to a chat.Reaction. It returns nil for any
// other reaction.
func (c *Receiver) reaction(ctx context.Context, r *discordgo.MessageReactionAdd) (*chat.Reaction, error) {
	if !stops(c.discord.Config.StopReactions, r.Emoji) || r.Member != nil && r.Member.User != nil && r.Member.User.Bot {
		return nil, nil
	}
	if self, err := c.discord.WhoAmI(ctx); err != nil || r.UserID == self {
		return nil, err
	}
	ref, err := c.directory.Home(ctx, r.GuildID, r.ChannelID)
	if err != nil {
		return nil, err
	}
	by := session.Stopper{ID: r.UserID}
	switch {
	case r.Member != nil:
		by.Privileged = c.directory.Moderates(r.ChannelID, r.UserID, r.Member.Roles)
	case r.GuildID != "":
		m, err := c.directory.MemberOf(ctx, r.GuildID, r.UserID)
		// the asker may always stop the answer
		by.Privileged = err == nil && c.directory.Moderates(r.ChannelID, r.UserID, m.Roles)
	}
	return &chat.Reaction{Ref: ref, Message: thread.MessageID(r.MessageID), By: by}, nil
}

// deletion converts a deleted message to a chat.Deletion. If its channel is not cached, the message
// is no question that the bot knows, and the Deletion has no channel.
func (c *Receiver) deletion(ctx context.Context, guild, channel, message string) (*chat.Deletion, error) {
	known := c.reader.Roots.Knows(message)
	if _, placed := c.directory.Peek(channel); !known && !placed && guild != "" {
		ref := thread.Ref{Platform: call.Platform, Workspace: guild}
		return &chat.Deletion{Ref: ref, Message: thread.MessageID(message), Of: chat.OfUnknown}, nil
	}
	ref, err := c.directory.Home(ctx, guild, channel)
	if errors.Is(err, thread.ErrNotPermitted) {
		return nil, nil // the channel was deleted, too
	}
	if err != nil {
		return nil, err
	}
	d := chat.Deletion{Ref: ref, Message: thread.MessageID(message), Of: chat.OfUnknown}
	if known { // else the question may have reached another process
		d.Of = chat.OfPerson
	}
	return &d, nil
}
