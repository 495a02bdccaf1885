package platforms

import (
	"context"
	"fmt"
	"net/http"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/bots/discordbot"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
)

var discordKind = kind{name: discord.Platform, setting: "DISCORD_BOT_TOKEN", token: func(c *config.Config) config.Secret { return c.DiscordBotToken }, build: newDiscord}

func newDiscord(base *wire.Base, set *Set) (platform, error) {
	c := base.Config
	sessions := base.Sessions()
	bot, err := discordbot.New(discordbot.Config{
		Token: c.DiscordBotToken.Reveal(), APIURL: c.DiscordAPIURL, Tenant: base.Tenant, NoMessageContent: !c.DiscordMessageContent,
		Members: c.DiscordMembers, Guilds: c.DiscordGuilds, BindFirst: !set.serves(slack.Platform), MaxAge: c.RedeliveryMaxAge,
		Models: base.Models, Groups: func() []access.BoundGroup { return base.File().Bound(string(discord.Platform)) },
		Agents: func() []string {
			var names []string
			for _, a := range base.File().Agents {
				names = append(names, a.Name)
			}
			return names
		},
		Discord: discord.Config{
			StopReactions: c.DiscordStopReactions, PublicKey: c.DiscordPublicKey, CommandGuilds: c.DiscordCommandGuilds, NoGateway: !c.DiscordGateway,
			MaxFileTokens: c.MaxFileTokens,
			CAFile:        c.CAFile, Changes: admin.NewAudiences(base.DB), SecretKeys: revealed(c.SecretKeys), Gateway: call.GatewayConfig{Shards: c.DiscordShards},
			Wrap: func(next http.RoundTripper) http.RoundTripper { return base.Counted("discord", next) },
		},
	}, discordbot.Deps{
		Store: sessions, Replicas: sessions, Policies: base.Policies(),
		Bindings: admin.NewWorkspaces(base.DB, discord.Platform), Renderer: &render.Renderer{}, Observe: base.Observe(), Logger: base.Logger,
		Heard: func(guild, channel, key string, urgent bool) {
			base.Hear(discord.Platform, guild, channel, key, urgent)
		},
	})
	if err != nil {
		return platform{}, err
	}
	p := platform{
		chat: bot, connect: bot.Connect, bind: bot.Bind, use: bot.Use, run: bot.Run,
		knows: bot.Knows, // workspaces stays nil: which guilds there are is known only later
		part: func() Part {
			connected, of := bot.Shards()
			return discordPart(connected, of, c.DiscordGateway)
		},
		check: func(ctx context.Context) []Finding {
			var all []Finding
			for _, f := range bot.Check(ctx) {
				all = append(all, Finding{Part: "Discord", Text: f.Sentence, OK: f.OK, Optional: f.Optional})
			}
			return all
		},
	}
	if c.DiscordPublicKey != "" {
		p.pattern, p.handler = "POST /discord/interactions", bot.Handler()
	}
	return p, nil
}

func revealed(secrets []config.Secret) []string {
	var texts []string
	for _, s := range secrets {
		texts = append(texts, s.Reveal())
	}
	return texts
}

// discordPart counts as up only if all shards are connected, because each shard receives only the
// events of some servers.
func discordPart(connected, of int, wanted bool) Part {
	p := Part{Name: string(discord.Platform), Up: connected == of}
	switch {
	case !wanted && p.Up:
		p.State = "takes signed requests"
	case !wanted:
		p.State = "not connected: Discord does not say who the bot is"
	case p.Up:
		p.State = fmt.Sprintf("connected: %d of %d shards", connected, of)
	default:
		p.State = fmt.Sprintf("not connected: %d of %d shards", connected, of)
	}
	return p
}
