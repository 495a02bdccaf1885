package directory

import (
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/core/access"
)

// A replica that was not told of a change in between believes already what the next event tells. Others may not: they are told all the same.
func TestEventsAreToldAlsoWhereTheyAreNoNews(t *testing.T) {
	t.Parallel()
	role := &discordgo.Role{ID: "engineers", Permissions: discordgo.PermissionViewChannel}
	channel := &discordgo.Channel{ID: "room", GuildID: "guild", Type: discordgo.ChannelTypeGuildText}
	ada := &discordgo.Member{User: &discordgo.User{ID: "ada"}, Roles: []string{"engineers"}, GuildID: "guild"}
	whole := func() *discordgo.GuildCreate {
		return &discordgo.GuildCreate{Guild: &discordgo.Guild{
			ID: "guild", Roles: []*discordgo.Role{role}, Channels: []*discordgo.Channel{channel}, Members: []*discordgo.Member{ada},
		}}
	}
	for name, tt := range map[string]struct {
		event any
		want  bool
	}{
		"a role":                    {&discordgo.GuildRoleUpdate{GuildRole: &discordgo.GuildRole{GuildID: "guild", Role: role}}, true},
		"a channel":                 {&discordgo.ChannelUpdate{Channel: channel}, true},
		"the roles of somebody":     {&discordgo.GuildMemberUpdate{Member: ada}, true},
		"a new session":             {whole(), false},
		"a message with its author": {&discordgo.MessageCreate{Message: &discordgo.Message{GuildID: "guild", Author: ada.User, Member: ada}}, false},
	} {
		t.Run(name, func(t *testing.T) { // one after the other: a directory keeps what it is given, and changes it
			known := access.NewLocal()
			b, err := call.NewBot(call.Config{Token: "token", Changes: known, Gateway: call.GatewayConfig{Members: true}})
			if err != nil {
				t.Fatal(err)
			}
			d := NewDirectory(b)
			d.Learn(whole())
			version := func() access.Version {
				t.Helper()
				d.Announce(t.Context())
				v, err := known.Version(t.Context(), workspace("guild"), "ada")
				if err != nil {
					t.Fatal(err)
				}
				return v
			}
			if err := known.Heard(t.Context(), workspace("guild")); err != nil {
				t.Fatal(err)
			}
			before := version()
			d.Learn(tt.event)
			if got := version() != before; got != tt.want {
				t.Errorf("others are told: %t, want %t", got, tt.want)
			}
		})
	}
}
