package discord

import (
	"context"
	"net/http"
	"slices"

	"github.com/bwmarrin/discordgo"
)

// What is chosen in the menus of /footnote setup.
const (
	SetupChannels = "channels"
	SetupRoles    = "roles"
	SetupMode     = "mode"
)

// Setup is what the menus of /footnote setup show.
type Setup struct {
	Channels, Roles []string // ids that are chosen
	Modes           []Choice
	Mode            string
}

// Choice is an entry of a menu.
type Choice struct{ Value, Label, Help string }

// SetupRows are the menus of /footnote setup. Each choice comes back as a Press.
func SetupRows(s Setup) []discordgo.MessageComponent {
	none := 0
	chosen := func(kind discordgo.SelectMenuDefaultValueType, ids []string) []discordgo.SelectMenuDefaultValue {
		var list []discordgo.SelectMenuDefaultValue
		for _, id := range ids[:min(len(ids), maxChoices)] {
			list = append(list, discordgo.SelectMenuDefaultValue{ID: id, Type: kind})
		}
		return list
	}
	var modes []discordgo.SelectMenuOption
	for _, m := range s.Modes {
		modes = append(modes, discordgo.SelectMenuOption{Value: m.Value, Label: m.Label, Description: m.Help, Default: m.Value == s.Mode})
	}
	var rows []discordgo.MessageComponent
	for _, menu := range []discordgo.SelectMenu{
		{
			MenuType: discordgo.ChannelSelectMenu, CustomID: setupPrefix + SetupChannels, Placeholder: "Channels in which I answer: all", MinValues: &none,
			MaxValues: maxChoices, DefaultValues: chosen(discordgo.SelectMenuDefaultValueChannel, s.Channels),
			ChannelTypes: []discordgo.ChannelType{
				discordgo.ChannelTypeGuildText, discordgo.ChannelTypeGuildNews, discordgo.ChannelTypeGuildForum, discordgo.ChannelTypeGuildMedia,
			},
		},
		{
			MenuType: discordgo.RoleSelectMenu, CustomID: setupPrefix + SetupRoles, Placeholder: "Roles that may ask: everybody", MinValues: &none,
			MaxValues: maxChoices, DefaultValues: chosen(discordgo.SelectMenuDefaultValueRole, s.Roles),
		},
		{MenuType: discordgo.StringSelectMenu, CustomID: setupPrefix + SetupMode, Placeholder: "When I answer", Options: modes},
	} {
		rows = append(rows, discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}})
	}
	return rows
}

// TextChannels lists the channels of a server in which people write, as far as they are known.
func (c *Client) TextChannels(guild string) []string {
	d := c.directory
	d.mu.Lock()
	defer d.mu.Unlock()
	var ids []string
	for id, p := range d.places {
		if p.guild == guild && p.text && !p.thread {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Survey asks for what the gateway would tell of a server: its roles, its channels, and what the bot is there.
func (c *Client) Survey(ctx context.Context, guild string) error {
	found, err := c.api.survey(ctx, guild)
	if err == nil {
		c.directory.learn(found)
	}
	return err
}

func (a *api) survey(ctx context.Context, guild string) (*discordgo.GuildCreate, error) {
	g := &discordgo.Guild{}
	if err := a.do(ctx, request{
		doing: "look up a server", method: http.MethodGet, url: discordgo.EndpointGuild(guild), bucket: "GET guild " + guild,
	}, g); err != nil {
		return nil, err
	}
	if err := a.do(ctx, request{
		doing: "list a server's channels", method: http.MethodGet, url: discordgo.EndpointGuildChannels(guild), bucket: "GET channels " + guild,
	}, &g.Channels); err != nil {
		return nil, err
	}
	g.Threads, g.Members = nil, nil
	return &discordgo.GuildCreate{Guild: g}, nil
}

// Guild is a server that the bot belongs to.
type Guild struct{ ID, Name string }

// BelongsTo asks to which servers the bot belongs, at most 200 of them.
func (c *Client) BelongsTo(ctx context.Context) ([]Guild, error) {
	var list []Guild
	err := c.api.do(ctx, request{
		doing: "list the bot's servers", method: http.MethodGet, url: discordgo.EndpointUserGuilds("@me"), bucket: "GET guilds",
	}, &list)
	return list, err
}
