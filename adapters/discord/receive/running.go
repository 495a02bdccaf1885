package receive

import (
	"context"
	"errors"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/thread"
)

// lookIntoRunning finds stop reactions to the running turns of this process, and edits of their
// questions, from before the session began. Discord sends no events for them.
func (in *intake) lookIntoRunning(ctx context.Context) error {
	running, err := in.lookup.Running(ctx)
	for _, r := range running {
		in.urgent.do(r.Message, func() { in.guard(ctx, "running turn", func() error { return in.lookInto(ctx, r) }) })
	}
	return err
}

// lookInto passes on what happened to a message of a running turn. A message that cannot be read is
// skipped: commands and private answers are no messages of a channel.
func (in *intake) lookInto(ctx context.Context, r event.Running) error {
	var m *discordgo.Message
	err := in.persist(ctx, func() (err error) {
		m, err = in.discord.API.Message(ctx, r.Channel, r.Message)
		return err
	})
	if errors.Is(err, thread.ErrMessageGone) || errors.Is(err, thread.ErrNotPermitted) {
		return nil
	}
	if err != nil {
		return err
	}
	if !r.Asked.IsZero() && m.EditedTimestamp != nil && m.EditedTimestamp.After(r.Asked) {
		m.GuildID = r.Guild
		in.queue(ctx, r.Channel, "edit", func() error { return in.edited(ctx, m) })
	}
	for _, reaction := range m.Reactions {
		if reaction.Emoji == nil || !stops(in.discord.Config.StopReactions, *reaction.Emoji) {
			continue
		}
		var by []*discordgo.User
		if err := in.persist(ctx, func() (err error) {
			by, err = in.discord.API.Reactors(ctx, r.Channel, r.Message, *reaction.Emoji)
			return err
		}); err != nil {
			return err
		}
		for _, u := range by {
			if u.Bot {
				continue
			}
			err := in.reacted(ctx, &discordgo.MessageReactionAdd{MessageReaction: &discordgo.MessageReaction{
				UserID: u.ID, MessageID: r.Message, ChannelID: r.Channel, GuildID: r.Guild, Emoji: *reaction.Emoji,
			}})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// reacted passes a reaction to the handler if it stops an answer.
func (in *intake) reacted(ctx context.Context, e *discordgo.MessageReactionAdd) error {
	e.GuildID = in.server(e.GuildID, e.ChannelID)
	var r *chat.Reaction
	err := in.persist(ctx, func() (err error) {
		r, err = in.reaction(ctx, e)
		return err
	})
	if err != nil || r == nil {
		return err
	}
	return in.tell(ctx, chat.Event{Reaction: r})
}
