package write

import (
	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
)

// These are the names of the settings in the /footnote setup menus.
const (
	SetupChannels = "channels"
	SetupRoles    = "roles"
	SetupMode     = "mode"
)

// Setup holds the contents of the /footnote setup menus.
type Setup struct {
	Channels, Roles []string // selected ids
	Modes           []Choice
	Mode            string
}

// Choice is one entry of a menu.
type Choice struct{ Value, Label, Help string }

// SetupRows returns the /footnote setup menus. Each choice arrives as a chat.Press.
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
		modes = append(modes, discordgo.SelectMenuOption{Value: m.Value, Label: answer.Line(m.Label), Description: answer.Line(m.Help), Default: m.Value == s.Mode})
	}
	var rows []discordgo.MessageComponent
	for _, menu := range []discordgo.SelectMenu{
		{
			MenuType: discordgo.ChannelSelectMenu, CustomID: event.SetupPrefix + SetupChannels, Placeholder: "Channels in which I answer: all", MinValues: &none,
			MaxValues: maxChoices, DefaultValues: chosen(discordgo.SelectMenuDefaultValueChannel, s.Channels),
			ChannelTypes: []discordgo.ChannelType{
				discordgo.ChannelTypeGuildText, discordgo.ChannelTypeGuildNews, discordgo.ChannelTypeGuildForum, discordgo.ChannelTypeGuildMedia,
			},
		},
		{
			MenuType: discordgo.RoleSelectMenu, CustomID: event.SetupPrefix + SetupRoles, Placeholder: "Roles that may ask: everybody", MinValues: &none,
			MaxValues: maxChoices, DefaultValues: chosen(discordgo.SelectMenuDefaultValueRole, s.Roles),
		},
		{MenuType: discordgo.StringSelectMenu, CustomID: event.SetupPrefix + SetupMode, Placeholder: "When I answer", Options: modes},
	} {
		rows = append(rows, discordgo.ActionsRow{Components: []discordgo.MessageComponent{menu}})
	}
	return rows
}
