package directory

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/core/access"
)

// A replica that was not told of a change in between believes already what the next event tells.
// Others may not: they are told all the same.
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

// forgetful tells nobody of the first change before it is let.
type forgetful struct {
	*access.Local
	first    sync.Once
	told     chan struct{} // closed when it is asked to
	let      chan struct{}
	failures error
}

func (f *forgetful) Changed(ctx context.Context, w access.Workspace, scopes ...string) error {
	waits := false
	f.first.Do(func() { waits = true })
	if waits {
		close(f.told)
		select {
		case <-f.let:
			return f.failures
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return f.Local.Changed(ctx, w, scopes...)
}

// While one call tells others of a change, for as long as that takes and whatever becomes of it, no
// other call takes it for told.
func TestWhatIsBeingToldIsNotTold(t *testing.T) {
	t.Parallel()
	known := &forgetful{Local: access.NewLocal(), told: make(chan struct{}), let: make(chan struct{}), failures: errors.New("the connection is gone")}
	b, err := call.NewBot(call.Config{Token: "token", Changes: known})
	if err != nil {
		t.Fatal(err)
	}
	d := NewDirectory(b)
	version := func() access.Version {
		t.Helper()
		v, err := known.Version(t.Context(), workspace("guild"), "ada")
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	before := version()
	d.Learn(&discordgo.GuildMemberRemove{Member: &discordgo.Member{User: &discordgo.User{ID: "ada"}, GuildID: "guild"}})
	var telling sync.WaitGroup
	telling.Go(func() { d.Announce(t.Context()) })
	<-known.told
	if err := d.Settle(t.Context()); err != nil || version() == before {
		t.Errorf("nobody was told, and the error is %v", err)
	}
	d.Learn(&discordgo.GuildMemberAdd{Member: &discordgo.Member{User: &discordgo.User{ID: "ada"}, GuildID: "guild"}})
	close(known.let)
	telling.Wait()
	between := version()
	if err := d.Settle(t.Context()); err != nil || version() == between {
		t.Errorf("nobody was told of what came meanwhile, and the error is %v", err)
	}
	settled := version()
	if err := d.Settle(t.Context()); err != nil || version() != settled {
		t.Errorf("what was told is told again, and the error is %v", err)
	}
}
