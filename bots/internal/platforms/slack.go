package platforms

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/adapters/postgres/admin"
	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/bots/slackbot"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/plural"
)

var slackKind = kind{name: slack.Platform, setting: "SLACK_BOT_TOKEN", token: func(c *config.Config) config.Secret { return c.SlackBotToken }, build: newSlack}

func newSlack(base *wire.Base, _ *Set) (platform, error) {
	c := base.Config
	sessions, audiences := base.Sessions(), admin.NewAudiences(base.DB)
	bot, err := slackbot.New(slackbot.Config{
		BotToken: c.SlackBotToken.Reveal(), AppToken: c.SlackAppToken.Reveal(), SigningSecret: c.SlackSigningSecret.Reveal(),
		APIURL: c.SlackAPIURL, StopReactions: c.SlackStopReactions, Tenant: base.Tenant, HTTP: base.HTTP("slack"), MaxAge: c.RedeliveryMaxAge, Models: base.Models,
		Slack: slack.Config{CAFile: c.CAFile, MaxFileTokens: c.MaxFileTokens, Changes: audiences, People: audiences, Accounts: audiences, Groups: func() []access.BoundGroup { return base.File().Bound(string(slack.Platform)) },
			Domains: func() []string { return base.File().Identity.Domains }},
	}, slackbot.Deps{
		Store: sessions, Replicas: sessions,
		Observe: base.Observe(), Logger: base.Logger,
		Heard: func(workspace, channel, key string, urgent bool) {
			base.Hear(slack.Platform, workspace, channel, key, urgent)
		},
	})
	if err != nil {
		return platform{}, err
	}
	p := platform{
		chat: bot, connect: bot.Connect, bind: bot.Bind, use: bot.Use, run: bot.Run,
		workspaces: bot.Workspaces, knows: bot.Knows, sockets: bot.Sockets, counted: bot.Counted,
		lacking: func() []Finding { return findings(bot.Lacking()) },
		part:    func() Part { return slackPart(bot.Connected(), c.SlackAppToken != "") },
		check: func(ctx context.Context) []Finding {
			return findings(bot.Check(ctx))
		},
	}
	if c.SlackSigningSecret != "" {
		p.pattern, p.handler = "/slack/events", bot.Handler()
	}
	return p, nil
}

func findings(found []slack.Finding) []Finding {
	var all []Finding
	for _, f := range found {
		all = append(all, Finding{Part: f.What, Text: f.Text, OK: f.OK, Optional: f.Optional})
	}
	return all
}

// slackPart counts as up with one socket, because one receives every event. A second one only
// avoids a gap while the first is renewed.
func slackPart(sockets int, wanted bool) Part {
	p := Part{Name: string(slack.Platform), Up: true}
	switch {
	case !wanted:
		p.State = "takes signed requests"
	case sockets == 0:
		p.State, p.Up = "not connected: no socket is open", false
	case sockets == 1:
		p.State = "connected: 1 socket"
	default:
		p.State = fmt.Sprintf("connected: %s", plural.Count(sockets, "socket"))
	}
	return p
}
