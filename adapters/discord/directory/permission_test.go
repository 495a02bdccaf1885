package directory

import (
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/google/go-cmp/cmp"
)

// A role is needed for a channel where nobody opens it without: only then is everybody who reads an
// answer there in the role's group.
func TestRolesThatAChannelNeeds(t *testing.T) {
	t.Parallel()
	const view, admin = discordgo.PermissionViewChannel, discordgo.PermissionAdministrator
	role := func(id string, permissions int64) *discordgo.PermissionOverwrite {
		return &discordgo.PermissionOverwrite{ID: id, Type: discordgo.PermissionOverwriteTypeRole, Allow: permissions}
	}
	named := func(id string) *discordgo.PermissionOverwrite {
		return &discordgo.PermissionOverwrite{ID: id, Type: discordgo.PermissionOverwriteTypeMember, Allow: view}
	}
	hidden := &discordgo.PermissionOverwrite{ID: "guild", Type: discordgo.PermissionOverwriteTypeRole, Deny: view}
	engineers := role("engineers", view)
	for _, tt := range []struct {
		name       string
		everyone   int64 // permissions in the server
		others     map[string]int64
		overwrites []*discordgo.PermissionOverwrite
		want       []string
	}{
		{"everybody opens it", view, nil, nil, nil},
		{"the role opens it, and so does everybody", view, nil, []*discordgo.PermissionOverwrite{engineers}, nil},
		{"only the role opens it", view, nil, []*discordgo.PermissionOverwrite{hidden, engineers}, []string{"engineers"}},
		{"in a server that hides its channels", 0, nil, []*discordgo.PermissionOverwrite{engineers}, []string{"engineers"}},
		{"another role opens it too", view, nil, []*discordgo.PermissionOverwrite{hidden, engineers, role("guests", view)}, nil},
		{"another role opens every channel", 0, map[string]int64{"guests": view}, []*discordgo.PermissionOverwrite{engineers}, nil},
		{"nobody opens it", view, nil, []*discordgo.PermissionOverwrite{hidden}, []string{"bot", "engineers", "guests", "low", "top"}},
		{"a person without the role is let in", view, nil, []*discordgo.PermissionOverwrite{hidden, engineers, named("eve")}, nil},
		{"a person with the role is let in", view, nil, []*discordgo.PermissionOverwrite{hidden, engineers, named("ada")}, []string{"engineers"}},
		{"somebody who left is let in", view, nil, []*discordgo.PermissionOverwrite{hidden, engineers, named("gone")}, []string{"engineers"}},
		{"the bot and the owner are let in", view, nil, []*discordgo.PermissionOverwrite{hidden, engineers, named("me"), named("owner")}, []string{"engineers"}},
		{"the bot's own role is let in", view, nil, []*discordgo.PermissionOverwrite{hidden, engineers, role("bot", view)}, []string{"engineers"}},
		{"administrators above the role", view, map[string]int64{"top": admin}, []*discordgo.PermissionOverwrite{hidden, engineers}, []string{"engineers"}},
		{"administrators below it, who cannot take it", view, map[string]int64{"low": admin}, []*discordgo.PermissionOverwrite{hidden, engineers}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, err := call.NewBot(call.Config{Token: "token", Gateway: call.GatewayConfig{Members: true}})
			if err != nil {
				t.Fatal(err)
			}
			b.Is("me")
			d := NewDirectory(b)
			guild := &discordgo.Guild{ID: "guild", OwnerID: "owner", Roles: []*discordgo.Role{{ID: "guild", Permissions: tt.everyone}}}
			for i, id := range []string{"low", "guests", "engineers", "top", "bot"} {
				guild.Roles = append(guild.Roles, &discordgo.Role{ID: id, Position: i, Permissions: tt.others[id], Managed: id == "bot"})
			}
			for id, roles := range map[string][]string{"ada": {"engineers"}, "eve": {"guests"}, "me": {"bot"}} {
				guild.Members = append(guild.Members, &discordgo.Member{User: &discordgo.User{ID: id}, Roles: roles})
			}
			guild.Channels = []*discordgo.Channel{{ID: "channel", Type: discordgo.ChannelTypeGuildText, PermissionOverwrites: tt.overwrites}}
			d.Learn(&discordgo.Ready{User: &discordgo.User{ID: "me"}})
			d.Learn(&discordgo.GuildCreate{Guild: guild})
			d.Learn(&discordgo.GuildMemberRemove{Member: &discordgo.Member{GuildID: "guild", User: &discordgo.User{ID: "gone"}}})
			needed, err := d.Needed(t.Context(), "guild", "channel")
			if diff := cmp.Diff(tt.want, needed); diff != "" || err != nil {
				t.Errorf("needed: %v (-want +got):\n%s", err, diff)
			}
		})
	}
}
