package receive

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/thread"
)

// placeLimit is the timeout for each of the calls that precede the handling of an interaction.
// Discord waits only three seconds for a response.
const placeLimit = time.Second

// sayUnsettled is sent if a change of a channel or role cannot be recorded.
const sayUnsettled = "This could not be done, because who may see it here is not certain yet. Try again in a minute."

// interaction passes an interaction to the handler. source is the HTTP request that brought it, or
// nil if it came from the gateway.
func (in *intake) interaction(ctx context.Context, i *discordgo.Interaction, source *event.Inline) error {
	user, by := event.Who(i)
	if user == nil {
		return fmt.Errorf("read an interaction: it has no user")
	}
	looking, cancel := context.WithTimeout(ctx, placeLimit)
	ref, err := in.directory.Home(looking, i.GuildID, i.ChannelID)
	cancel()
	// interactions also work in channels that the bot cannot see; no retry, for lack of time
	if err != nil {
		in.discord.Logger.WarnContext(ctx, "interaction in an unknown channel", "channel", i.ChannelID, "error", err)
	}
	t := event.Ticket{App: i.AppID, Token: i.Token, ID: i.ID, Channel: i.ChannelID, At: time.Now(), Inline: source}
	admin := i.Member != nil && i.Member.Permissions&call.Manager != 0
	if i.Member != nil {
		in.directory.Met(i.GuildID, user.ID, i.Member)
	}
	telling, cancel := context.WithTimeout(ctx, placeLimit)
	// another replica may answer the interaction
	err = in.persist(telling, func() error { return in.directory.Settle(telling) })
	cancel()
	if err != nil { // who may see the answer is not known, and Discord does not wait
		if i.Type == discordgo.InteractionApplicationCommandAutocomplete {
			return errors.Join(err, in.writer.Suggest(ctx, t, nil))
		}
		return errors.Join(err, in.writer.Respond(ctx, t, sayUnsettled))
	}
	press := chat.Press{
		Ref: ref, At: ref, EventKey: "interaction:" + i.ID, By: thread.Person{ID: user.ID, Name: event.DisplayName(user, i.Member)}, Moderator: by.Privileged,
		Admin: admin, Direct: i.GuildID == "", Source: event.Source{Ticket: t},
	}
	press.At.Thread = i.ChannelID
	switch i.Type {
	case discordgo.InteractionPing: // Handler answers it
	case discordgo.InteractionApplicationCommand:
		data := i.ApplicationCommandData()
		if action := event.Menu(data.Name); action != "" {
			press.Action, press.Message = action, thread.MessageID(data.TargetID)
			return in.tell(ctx, chat.Event{Press: &press})
		}
		cmd := chat.Command{
			Name: data.Name, EventKey: press.EventKey, Ref: ref, At: event.TimeOf(i.ID), Direct: press.Direct, By: press.By, Moderator: press.Moderator, Admin: admin,
		}
		if cmd.Ref.Thread == "" {
			cmd.Ref.Thread, cmd.Fresh = i.ID, true
		}
		cmd.Source = event.Source{Ticket: t, Files: event.ReadCommand(&cmd, data)}
		if cmd.Target != nil && cmd.Target.Author != "" {
			self, err := in.discord.WhoAmI(ctx)
			if err != nil {
				return err
			}
			cmd.Target.Own = cmd.Target.Author == self
		}
		cmd = event.Privately(cmd, cmd.Private)
		return in.tell(ctx, chat.Event{Command: &cmd})
	case discordgo.InteractionApplicationCommandAutocomplete:
		data := i.ApplicationCommandData()
		typing := chat.Typing{Command: data.Name}
		event.ReadTyping(&typing, data.Options)
		reply, err := in.handle(ctx, chat.Event{Typing: &typing})
		if err != nil {
			return err
		}
		return in.writer.Suggest(ctx, t, reply.Choices)
	case discordgo.InteractionMessageComponent, discordgo.InteractionModalSubmit:
		if m := i.Message; m != nil {
			press.Message, press.Ephemeral = thread.MessageID(m.ID), m.Flags&discordgo.MessageFlagsEphemeral != 0
		}
		event.ReadPress(&press, i)
		return in.tell(ctx, chat.Event{Press: &press})
	}
	return nil
}
