package wire

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	discordcall "github.com/footnotehq/footnote/adapters/discord/call"
	discordhistory "github.com/footnotehq/footnote/adapters/discord/history"
	"github.com/footnotehq/footnote/adapters/postgres/admin"
	slackcall "github.com/footnotehq/footnote/adapters/slack/call"
	slackhistory "github.com/footnotehq/footnote/adapters/slack/history"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/plural"
	"github.com/footnotehq/footnote/core/sources"
)

// chats holds the clients for reading chat histories. All sources of a process share one client per
// platform, and so its rate limit.
type chats struct {
	slack   func() (*slackhistory.Workspace, error)
	discord func() (*discordhistory.Server, error)
	// hints are the noted changes. A source that is read before its schedule reads only those.
	// Without hints, every read is a full scan.
	hints index.Hints
	// alone reports whether a Discord server is the only one whose members count as members of the
	// sources' tenant.
	alone func(guild string) func(context.Context) (bool, error)
}

func newChats(cfg *config.Config, slack *http.Client, wrap func(http.RoundTripper) http.RoundTripper, logger *slog.Logger) chats {
	return chats{
		slack: sync.OnceValues(func() (*slackhistory.Workspace, error) {
			return slackhistory.NewWorkspace(slackcall.Config{BotToken: cfg.SlackBotToken.Reveal(), APIURL: cfg.SlackAPIURL, CAFile: cfg.CAFile, HTTP: slack, Logger: logger})
		}),
		discord: sync.OnceValues(func() (*discordhistory.Server, error) {
			return discordhistory.NewServer(discordcall.Config{Token: cfg.DiscordBotToken.Reveal(), APIURL: cfg.DiscordAPIURL, CAFile: cfg.CAFile, Wrap: wrap, Logger: logger})
		}),
		alone: func(guild string) func(context.Context) (bool, error) {
			return func(context.Context) (bool, error) { return isAlone(guild, cfg.DiscordGuilds), nil }
		},
	}
}

func isAlone(guild string, bound []string) bool {
	for _, g := range bound {
		if g != guild {
			return false
		}
	}
	return true
}

// setClients makes the clients of sources share metrics and rate limits with all other calls of the
// process.
func (b *Base) setClients() {
	b.clients = newClients(b.Config)
	b.clients.chats = newChats(b.Config, nil, nil, b.Logger)
	// b.HTTP and b.Counted need the meter, which is set later.
	b.clients.chats.slack = sync.OnceValues(func() (*slackhistory.Workspace, error) {
		return newChats(b.Config, b.HTTP("slack"), nil, b.Logger).slack()
	})
	b.clients.chats.discord = sync.OnceValues(func() (*discordhistory.Server, error) {
		return newChats(b.Config, nil, func(next http.RoundTripper) http.RoundTripper { return b.Counted("discord", next) }, b.Logger).discord()
	})
	b.clients.chats.alone = func(guild string) func(context.Context) (bool, error) {
		return func(ctx context.Context) (bool, error) {
			bound, err := admin.NewWorkspaces(b.DB, discord.Platform).Bound(ctx)
			servers := b.Config.DiscordGuilds
			for id, tenant := range bound {
				if tenant == b.Tenant {
					servers = append(servers[:len(servers):len(servers)], id)
				}
			}
			return isAlone(guild, servers), err
		}
	}
}

func connectSlack(c *clients, s config.Source) (index.Connector, error) {
	workspace, err := c.slack()
	if err != nil {
		return nil, err
	}
	return slackhistory.New(workspace, c.slackOptions(s))
}

func connectDiscord(c *clients, s config.Source) (index.Connector, error) {
	server, err := c.discord()
	if err != nil {
		return nil, err
	}
	return discordhistory.New(server, c.discordOptions(s))
}

// every returns the interval between full scans of a chat history. Without hints it is 0, because
// every read is then a full scan.
func (c chats) every(s config.Source) time.Duration {
	if c.hints == nil {
		return 0
	}
	return s.Every
}

func (c chats) slackOptions(s config.Source) slackhistory.Options {
	return slackhistory.Options{
		Reading: slackhistory.Reading{Name: s.Name, Channels: s.Slack.Channels, Public: s.Slack.Public, Since: s.Slack.Since, Every: c.every(s), Hints: c.hints},
		Open:    s.Slack.PublicChannels,
	}
}

func (c chats) discordOptions(s config.Source) discordhistory.Options {
	return discordhistory.Options{
		Reading: discordhistory.Reading{Name: s.Name, Channels: s.Discord.Channels, Public: s.Discord.Public, Since: s.Discord.Since, Every: c.every(s), Hints: c.hints},
		Guild:   s.Discord.Guild, Open: s.Discord.PublicChannels, Alone: c.alone(s.Discord.Guild),
	}
}

func checkSlack(ctx context.Context, c *clients, s config.Source) (Seen, error) {
	workspace, err := c.slack()
	if err != nil {
		return Seen{}, err
	}
	return seenChannels(workspace.Check(ctx, c.slackOptions(s)))
}

func checkDiscord(ctx context.Context, c *clients, s config.Source) (Seen, error) {
	server, err := c.discord()
	if err != nil {
		return Seen{}, err
	}
	return seenChannels(server.Check(ctx, c.discordOptions(s)))
}

// seenChannels treats err as the faults of single channels if other channels can be read.
func seenChannels(channels int, err error) (Seen, error) {
	if channels == 0 {
		return Seen{}, err
	}
	return Seen{Sees: []string{plural.Count(channels, "channel")}, Lacks: sources.Sentences(err)}, nil
}
