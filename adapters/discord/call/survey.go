package call

import (
	"context"
	"net/http"

	"github.com/bwmarrin/discordgo"
)

// Survey fetches the roles and channels of a server. The result has the form of the gateway's
// GUILD_CREATE event, without threads and members.
func (a *API) Survey(ctx context.Context, guild string) (*discordgo.GuildCreate, error) {
	g := &discordgo.Guild{}
	if err := a.Do(ctx, Request{
		Doing: "look up a server", Method: http.MethodGet, URL: discordgo.EndpointGuild(guild), Bucket: "GET guild " + guild,
	}, g); err != nil {
		return nil, err
	}
	if err := a.Do(ctx, Request{
		Doing: "list a server's channels", Method: http.MethodGet, URL: discordgo.EndpointGuildChannels(guild), Bucket: "GET channels " + guild,
	}, &g.Channels); err != nil {
		return nil, err
	}
	g.Threads, g.Members = nil, nil
	return &discordgo.GuildCreate{Guild: g}, nil
}
