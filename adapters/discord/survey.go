package discord

import (
	"context"
	"net/http"

	"github.com/bwmarrin/discordgo"
)

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
