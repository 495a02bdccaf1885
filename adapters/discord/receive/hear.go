package receive

import (
	"context"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/directory"
	"github.com/footnotehq/footnote/core/chat"
)

// settled is after how long a reply to a thread is not found by looking at what is new in its
// server.
const settled = 13 * 24 * time.Hour

// changed passes on that something changed. A handler's error ends nothing here.
func (in *intake) changed(ctx context.Context, guild, channel, key string, urgent bool) {
	in.guard(ctx, "change", func() error {
		return in.tell(ctx, chat.Event{Changed: &chat.Changed{Workspace: guild, Channel: channel, Key: key, Urgent: urgent}})
	})
}

// hear passes on what an event changes of what was said.
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
		// what is new is found where something is new, but not in what is old
		if began, err := discordgo.SnowflakeTimestamp(e.ChannelID); err == nil && time.Since(began) >= settled && e.GuildID != "" {
			if p, known := in.directory.Peek(e.ChannelID); known && p.Thread {
				in.changed(ctx, e.GuildID, p.Parent, p.ID, false)
			}
		}
	case *discordgo.ThreadUpdate: // a name, tags
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

// hearMessage tells of a message by its thread, or by itself where it belongs to none. A thread
// that is not known may be in the archive, where messages can still be deleted: it is requested in
// addition to all else.
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
