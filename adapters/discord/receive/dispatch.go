package receive

import (
	"context"
	"fmt"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/core/thread"
)

// placeLimit bounds the look-up of where an interaction was used, for which Discord does not wait.
const placeLimit = time.Second

// interaction hands an interaction to the handler. source is the request that brought it, nil where
// it came over the gateway.
func (in *intake) interaction(ctx context.Context, i *discordgo.Interaction, source *event.Inline) error {
	user, by := event.Who(i)
	if user == nil {
		return fmt.Errorf("read an interaction: it has no user")
	}
	looking, cancel := context.WithTimeout(ctx, placeLimit)
	ref, err := in.directory.Home(looking, i.GuildID, i.ChannelID)
	cancel()
	if err != nil { // interactions work where the bot cannot look; there is no time to look again
		in.discord.Logger.WarnContext(ctx, "interaction in an unknown channel", "channel", i.ChannelID, "error", err)
	}
	t := event.Ticket{App: i.AppID, Token: i.Token, ID: i.ID, Channel: i.ChannelID, At: time.Now(), Inline: source}
	asker := thread.Person{ID: user.ID, Name: event.DisplayName(user, i.Member)}
	admin := i.Member != nil && i.Member.Permissions&call.Manager != 0
	if i.Member != nil {
		in.directory.Met(i.GuildID, user.ID, i.Member)
	}
	telling, cancel := context.WithTimeout(ctx, placeLimit)
	err = in.persist(telling, func() error { return in.directory.Settle(telling) }) // another replica may answer it
	cancel()
	if err != nil {
		return err
	}
	switch i.Type {
	case discordgo.InteractionPing: // answered where requests come in
	case discordgo.InteractionApplicationCommand:
		data := i.ApplicationCommandData()
		if action := event.Menu(data.Name); action != "" {
			in.handler.Press(ctx, event.Press{
				Action: action, Ref: ref, Message: thread.MessageID(data.TargetID), Key: "interaction:" + i.ID, By: asker, Moderator: by.Privileged,
				Admin: admin, Direct: i.GuildID == "", Ticket: t,
			})
			return nil
		}
		cmd := event.Command{
			Name: data.Name, EventKey: "interaction:" + i.ID, Ref: ref, At: event.TimeOf(i.ID), Direct: i.GuildID == "", By: by, Asker: asker, Admin: admin,
			Ticket: t,
		}
		if cmd.Ref.Thread == "" {
			cmd.Ref.Thread, cmd.Own = i.ID, true
		}
		cmd.Read(data)
		if cmd.Target != nil && cmd.Target.Author != "" {
			cmd.Target.Own = cmd.Target.Author == in.discord.Self()
		}
		cmd.Ticket.Ephemeral = cmd.Private && !cmd.Direct
		in.handler.Command(ctx, cmd)
	case discordgo.InteractionApplicationCommandAutocomplete:
		data := i.ApplicationCommandData()
		typing := event.Typing{Command: data.Name}
		typing.Read(data.Options)
		return in.writer.Suggest(ctx, t, in.handler.Suggest(ctx, typing))
	case discordgo.InteractionMessageComponent, discordgo.InteractionModalSubmit:
		p := event.Press{
			Ref: ref, Key: "interaction:" + i.ID, By: asker, Moderator: by.Privileged, Admin: admin, Direct: i.GuildID == "", Ticket: t,
		}
		if m := i.Message; m != nil {
			p.Message, p.Ephemeral = thread.MessageID(m.ID), m.Flags&discordgo.MessageFlagsEphemeral != 0
		}
		p.Read(i)
		in.handler.Press(ctx, p)
	}
	return nil
}
