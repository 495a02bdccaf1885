package receive

import (
	"context"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/directory"
	"github.com/footnotehq/footnote/core/chat"
)

// settled is the age from which new messages in a thread are reported as changes. In younger
// threads, a regular scan finds them.
const settled = 13 * 24 * time.Hour

// changed passes a chat.Changed event to the handler and logs the handler's error.
func (in *intake) changed(ctx context.Context, guild, channel, key string, urgent bool) {
	in.guard(ctx, "change", func() error {
		return in.tell(ctx, chat.Event{Changed: &chat.Changed{Workspace: guild, Channel: channel, Key: key, Urgent: urgent}})
	})
}

func (in *intake) hear(ctx context.Context, ev any) {
	switch e := ev.(type) {
	case *discordgo.MessageUpdate:
		if e.Author == nil || e.Author.ID != in.discord.Self() {
			in.hearMessage(ctx, e.GuildID, e.ChannelID, e.ID, true)
		}
	case *discordgo.MessageDelete:
		in.hearMessage(ctx, e.GuildID, e.ChannelID, e.ID, true)
	case *discordgo.MessageDeleteBulk:
		for _, id := range e.Messages {
			in.hearMessage(ctx, e.GuildID, e.ChannelID, id, true)
		}
	case *discordgo.MessageCreate:
		// a scan finds new messages in recent threads, but not in old ones
		if began, err := discordgo.SnowflakeTimestamp(e.ChannelID); err == nil && time.Since(began) >= settled && e.GuildID != "" {
			if p, known := in.directory.Peek(e.ChannelID); known && p.Thread {
				in.changed(ctx, e.GuildID, p.Parent, p.ID, false)
			}
		}
	case *discordgo.ThreadUpdate: // a new name or other tags
		in.changed(ctx, e.GuildID, e.ParentID, e.ID, true)
	case *discordgo.ThreadDelete:
		in.changed(ctx, e.GuildID, e.ParentID, e.ID, true)
	case *discordgo.ChannelUpdate:
		in.changed(ctx, e.GuildID, e.ID, "", true)
	case *discordgo.ChannelDelete:
		in.changed(ctx, e.GuildID, e.ID, "", true)
	case *discordgo.GuildRoleUpdate:
		in.changed(ctx, e.GuildID, "", "", true)
	}
}

// hearMessage reports that a message was edited or deleted. The reported key is the thread of the
// message, or the message itself outside threads. A channel that is not cached is fetched in the
// background.
func (in *intake) hearMessage(ctx context.Context, guild, channel, message string, urgent bool) {
	tell := func(p directory.Place) {
		key := message
		if p.Thread {
			channel, key = p.Parent, p.ID
		}
		if p.Guild != "" {
			in.changed(ctx, p.Guild, channel, key, urgent)
		}
	}
	if p, known := in.directory.Peek(channel); known {
		tell(p)
		return
	}
	if guild == "" {
		return // a direct conversation
	}
	in.upkeep.do("heard", func() {
		in.guard(ctx, "change of a message", func() error {
			p, err := in.directory.Place(ctx, channel)
			if err == nil {
				tell(p)
			}
			return err
		})
	})
}
