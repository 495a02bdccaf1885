// Package platforms holds the chat platforms that a process serves: those whose tokens are set. To switch on a new one, add it in New.
package platforms

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/bots/discordbot"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/bots/slackbot"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"golang.org/x/sync/errgroup"
)

// Set is the platforms of a process. It implements answer.Surfaces by handing each turn to its platform. It is safe for concurrent use
// once New has returned.
type Set struct {
	slack   *slackbot.Bot
	discord *discordbot.Bot
}

// New builds the platforms whose tokens are set; only, where not empty, names the ones to take.
func New(base *wire.Base, only []string) (*Set, error) {
	wanted := func(name thread.Platform) bool { return len(only) == 0 || slices.Contains(only, string(name)) }
	s, c := &Set{}, base.Config
	var err error
	if wanted(slack.Platform) && c.SlackBotToken != "" {
		if s.slack, err = newSlack(base); err != nil {
			return nil, err
		}
	}
	if wanted(discord.Platform) && c.DiscordBotToken != "" {
		if s.discord, err = newDiscord(base, s.slack != nil); err != nil {
			return nil, err
		}
	}
	for _, name := range only {
		if thread.Platform(name) == slack.Platform && s.slack == nil || thread.Platform(name) == discord.Platform && s.discord == nil {
			return nil, fmt.Errorf("%s was asked for, but %s is not set", name, tokenOf[name])
		}
	}
	return s, nil
}

var tokenOf = map[string]string{string(slack.Platform): "SLACK_BOT_TOKEN", string(discord.Platform): "DISCORD_BOT_TOKEN"}

func newSlack(base *wire.Base) (*slackbot.Bot, error) {
	c := base.Config
	sessions := base.Sessions()
	return slackbot.New(slackbot.Config{
		BotToken: c.SlackBotToken.Reveal(), AppToken: c.SlackAppToken.Reveal(), SigningSecret: c.SlackSigningSecret.Reveal(),
		APIURL: c.SlackAPIURL, StopReactions: c.SlackStopReactions, Tenant: base.Tenant, HTTP: base.HTTP("slack"), MaxAge: c.RedeliveryMaxAge,
		Slack: slack.Config{CAFile: c.CAFile},
	}, slackbot.Deps{Deliveries: sessions, Repairs: sessions, Threads: sessions, Replicas: sessions, Absences: sessions, Turns: sessions, Observe: base.Observe(), Logger: base.Logger})
}

func newDiscord(base *wire.Base, slack bool) (*discordbot.Bot, error) {
	c := base.Config
	sessions := base.Sessions()
	var keys []string
	for _, key := range c.SecretKeys {
		keys = append(keys, key.Reveal())
	}
	return discordbot.New(discordbot.Config{
		Token: c.DiscordBotToken.Reveal(), APIURL: c.DiscordAPIURL, Tenant: base.Tenant, NoMessageContent: !c.DiscordMessageContent,
		Members: c.DiscordMembers, Guilds: c.DiscordGuilds, BindFirst: !slack, MaxAge: c.RedeliveryMaxAge,
		Agents: func() []string {
			var names []string
			for _, a := range base.File().Agents {
				names = append(names, a.Name)
			}
			return names
		},
		Discord: discord.Config{
			StopReactions: c.DiscordStopReactions, PublicKey: c.DiscordPublicKey, CommandGuilds: c.DiscordCommandGuilds, NoGateway: !c.DiscordGateway, CAFile: c.CAFile, SecretKeys: keys, Wrap: func(next http.RoundTripper) http.RoundTripper { return base.Counted("discord", next) }, Gateway: discord.GatewayConfig{Shards: c.DiscordShards},
		},
	}, discordbot.Deps{
		Deliveries: sessions, Repairs: sessions, Threads: sessions, Turns: sessions, Replicas: sessions, Absences: sessions, Policies: base.Policies(),
		Bindings: postgres.NewWorkspaces(base.DB, discord.Platform), Renderer: &discord.Renderer{}, Observe: base.Observe(), Logger: base.Logger,
	})
}

// Empty reports whether no platform is configured.
func (s *Set) Empty() bool { return s.slack == nil && s.discord == nil }

// Connect signs in where that is needed before questions are taken. Its error is a sentence that says what to do.
func (s *Set) Connect(ctx context.Context) error {
	if s.discord != nil {
		s.discord.Connect(ctx)
	}
	if s.slack == nil {
		return nil
	}
	return s.slack.Connect(ctx)
}

// Platforms are those that are configured.
func (s *Set) Platforms() []thread.Platform {
	var names []thread.Platform
	if s.slack != nil {
		names = append(names, slack.Platform)
	}
	if s.discord != nil {
		names = append(names, discord.Platform)
	}
	return names
}

// Place says whose turns the process takes.
func (s *Set) Place() wire.Place {
	p := wire.Place{Surfaces: s, Platforms: s.Platforms()}
	if s.slack != nil {
		p.Workspaces = s.slack.Workspaces()
	}
	if s.discord != nil {
		p.Workspaces = nil // which guilds there are is known only later
	}
	return p
}

// Bind says which service answers. It is called once, before Run.
func (s *Set) Bind(service *answer.Service) {
	if s.slack != nil {
		s.slack.Bind(service)
	}
	if s.discord != nil {
		s.discord.Bind(service)
	}
}

// Use has the platforms' rate tiers shared with other processes; nil leaves each process its part. It is called once, before Run.
func (s *Set) Use(tiers thread.Tiers) {
	if tiers == nil {
		return
	}
	if s.slack != nil {
		s.slack.Use(tiers)
	}
	if s.discord != nil {
		s.discord.Use(tiers)
	}
}

// Run receives events until ctx ends, or one platform cannot be reached with these settings at all; that error is a sentence.
func (s *Set) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	if s.slack != nil {
		group.Go(func() error { return s.slack.Run(ctx) })
	}
	if s.discord != nil {
		group.Go(func() error { return s.discord.Run(ctx) })
	}
	return group.Wait()
}

// Open implements answer.Surfaces.
func (s *Set) Open(ctx context.Context, t session.Turn, permit answer.Permit) (answer.Delivery, error) {
	switch p := t.Session.Ref.Platform; {
	case p == slack.Platform && s.slack != nil:
		return s.slack.Open(ctx, t, permit)
	case p == discord.Platform && s.discord != nil:
		return s.discord.Open(ctx, t, permit)
	default:
		return nil, fmt.Errorf("open a thread of %s: %w", p, errors.ErrUnsupported)
	}
}

// Tidy implements answer.Tidier.
func (s *Set) Tidy(ctx context.Context, t session.Turn, permit answer.Permit) (bool, error) {
	switch p := t.Session.Ref.Platform; {
	case p == slack.Platform && s.slack != nil:
		return s.slack.Tidy(ctx, t, permit)
	case p == discord.Platform && s.discord != nil:
		return s.discord.Tidy(ctx, t, permit)
	default:
		return false, nil
	}
}

// Listeners implements answer.Surfaces.
func (s *Set) Listeners(ctx context.Context, t session.Turn) (access.Audience, error) {
	switch p := t.Session.Ref.Platform; {
	case p == slack.Platform && s.slack != nil:
		return s.slack.Listeners(ctx, t)
	case p == discord.Platform && s.discord != nil:
		return s.discord.Listeners(ctx, t)
	default:
		return access.Audience{}, fmt.Errorf("ask %s who listens: %w", p, errors.ErrUnsupported)
	}
}

// Whisper implements answer.Whisperer.
func (s *Set) Whisper(ctx context.Context, t session.Turn, note answer.Note) error {
	var to any
	switch p := t.Session.Ref.Platform; {
	case p == slack.Platform && s.slack != nil:
		to = s.slack
	case p == discord.Platform && s.discord != nil:
		to = s.discord
	}
	if w, ok := to.(answer.Whisperer); ok {
		return w.Whisper(ctx, t, note)
	}
	return fmt.Errorf("tell somebody on %s something in private: %w", t.Session.Ref.Platform, errors.ErrUnsupported)
}

// Handler takes the platforms' signed requests; nil where events come over sockets alone.
func (s *Set) Handler(c *config.Config) http.Handler {
	mux := http.NewServeMux()
	none := true
	if s.slack != nil && c.SlackSigningSecret != "" {
		none = false
		mux.Handle("/slack/events", s.slack.Handler())
	}
	if s.discord != nil && c.DiscordPublicKey != "" {
		none = false
		mux.Handle("POST /discord/interactions", s.discord.Client().Handler())
	}
	if none {
		return nil
	}
	return mux
}

// Finding is one thing that the doctor looked at.
type Finding struct {
	Part, Text string
	OK         bool
	Optional   bool // the bot works without it
}

// Check looks at everything that can be wrong with the tokens, their rights, and what the platforms allow.
func (s *Set) Check(ctx context.Context) []Finding {
	var all []Finding
	if s.slack != nil {
		for _, f := range s.slack.Check(ctx) {
			all = append(all, Finding{Part: f.What, Text: f.Text, OK: f.OK, Optional: f.Optional})
		}
	}
	if s.discord != nil {
		for _, f := range s.discord.Check(ctx) {
			all = append(all, Finding{Part: "Discord", Text: f.Sentence, OK: f.OK, Optional: f.Optional})
		}
	}
	return all
}
