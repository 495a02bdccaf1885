// Package discordbot joins Discord to the core: what is said there becomes questions, stops and
// what else people do about answers, and answers are written where they were asked.
package discordbot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

// Config is how Discord is reached and what the bot does there. Token is required.
type Config struct {
	Token  string
	APIURL string // DISCORD_API_URL; empty: Discord's own
	// do not ask for the privileged intent: follow-ups need a mention then
	NoMessageContent bool
	// ask for the privileged intent that lets servers see what is for members
	Members bool
	// whose documents are answered from where nothing else is said; the default one
	Tenant access.TenantID
	Guilds []string // servers whose members count as the tenant's
	// BindFirst binds the only server that the bot belongs to where none is. It is set where no
	// Slack workspace says who the members are.
	BindFirst bool
	// Agents lists the agents that may be asked for by name; nil: none.
	Agents func() []string
	// Groups are the roles that count as groups of the configuration, as they are bound at the
	// moment; nil: none.
	Groups func() []access.BoundGroup
	// Models lists the models that may be asked for by name; nil: none.
	Models func() []string
	// of a question that came while no replica ran, beyond which the bot asks whether it is still
	// wanted: 15 min
	MaxAge  time.Duration
	Pace    stream.Pace    // of answers; the platform's
	Discord discord.Config // further settings; the fields above lead
}

// Deps is what a Bot works with. All but Policies, Bindings, Replicas, Observe and Logger are
// required.
type Deps struct {
	Store    session.Store
	Policies command.Policies // what holds in each channel; nil: the defaults
	Bindings access.Bindings  // of servers to tenants; nil: only what Config says
	Replicas session.Replicas // nil: this process is the only one
	Renderer stream.Renderer[render.Page]
	Observe  func(stream.Write) // told of every write of an answer, from any goroutine; nil: no one is
	// Heard gets what has changed in channels: of a thread or message, or with an empty key of who
	// may open the channel. What is new alone is not urgent. Nil: no one is.
	Heard  func(guild, channel, key string, urgent bool)
	Logger *slog.Logger // nil: silent
}

// Bot is one Discord application. It implements chat.Platform, and is safe for concurrent
// use.
type Bot struct {
	chat.Unsupported

	config  Config
	deps    Deps
	client  *discord.Client
	service *answer.Service
	binding *binding
	talk    *conversation.Conversation

	mu sync.Mutex
	// channel to the sessions of commands that were used there, newest last
	commands map[string][]thread.Ref
}

// New returns a bot. Bind it and Run it. Nothing is sent before.
func New(config Config, deps Deps) (*Bot, error) {
	if deps.Store == nil || deps.Renderer == nil {
		return nil, errors.New("set up the Discord bot: a store and a renderer are required")
	}
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Tenant == "" {
		config.Tenant = access.DefaultTenant
	}
	settings := config.Discord
	settings.Token, settings.APIURL, settings.Logger = config.Token, config.APIURL, deps.Logger
	settings.Gateway.NoMessageContent, settings.Gateway.Members = config.NoMessageContent, config.Members
	client, err := discord.New(settings)
	if err != nil {
		return nil, err
	}
	b := &Bot{
		config: config, deps: deps, client: client, binding: newBinding(config, deps.Bindings, client.GuildName, deps.Logger),
		commands: make(map[string][]thread.Ref),
	}
	b.talk, err = conversation.New(conversation.Deps{
		Platform: b, Store: deps.Store,
		MaxAge: config.MaxAge, Models: config.Models, Logger: deps.Logger,
	})
	return b, err
}

// Bind says which services answer. It is called once, before Run.
func (b *Bot) Bind(services conversation.Services) {
	b.service = services.Service
	b.talk.Bind(services)
}

// Shards tells of how many connections events arrive at present, of how many; 0 of 0 before it is
// known how many there are.
func (b *Bot) Shards() (connected, of int) { return b.client.Shards() }

// Handler takes signed requests, where there is a public key. It is mounted at
// /discord/interactions.
func (b *Bot) Handler() http.Handler { return b.client.Handler() }

// Run receives events until ctx ends. It returns an error, a sentence, when Discord cannot be
// reached with these settings at all.
func (b *Bot) Run(ctx context.Context) error {
	if b.service == nil {
		return errors.New("run the Discord bot: it has no service")
	}
	var watching sync.WaitGroup
	ctx, cancel := context.WithCancel(ctx)
	watching.Go(func() { b.binding.watch(ctx) })
	watching.Go(func() { b.talk.Run(ctx) })
	watching.Go(func() { session.Share(ctx, b.deps.Replicas, b.deps.Logger, b.client.Share) })
	defer b.talk.Wait()
	defer watching.Wait()
	defer cancel()
	return b.client.Run(ctx, b.Event, event.Lookup{Active: b.active, News: b.news})
}

// Use has the bot's share of calls drawn from tiers that other processes draw from too. It is
// called once, before Run; without it each process takes its part.
func (b *Bot) Use(tiers thread.Tiers) { b.client.Use(tiers) }

// Connect reads what is to be known before the first answer is written. It never fails: what cannot
// be read now is read later.
func (b *Bot) Connect(ctx context.Context) error {
	b.binding.refresh(ctx)
	return nil
}

// Close lets go of idle connections, once neither the bot nor its service runs any more.
func (b *Bot) Close() { b.client.Close() }

// Knows reports whether a channel exists and the bot may see it.
func (b *Bot) Knows(ctx context.Context, channel string) (bool, error) {
	return b.client.Knows(ctx, channel)
}

// Check looks at everything that can be wrong with the settings.
func (b *Bot) Check(ctx context.Context) []discord.Finding {
	return append(b.client.Check(ctx), b.checkServers(ctx)...)
}

// welcome introduces the bot to a server that added it. Discord does not say who did, so everyone
// reads one message.
func (b *Bot) welcome(ctx context.Context, at thread.Ref) {
	err := b.talk.Welcome(ctx, at, "", func(ctx context.Context, text string) error { return b.client.Post(ctx, at.Channel, text) })
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "welcome not shown", "guild", at.Workspace, "error", err)
	}
}

// Open implements chat.Platform.
func (b *Bot) Open(ctx context.Context, t session.Turn, permit chat.Permit) (chat.Delivery, error) {
	to := t.Session.Ref
	if to.Platform != discord.Platform {
		return nil, fmt.Errorf("open a delivery to %s: this bot is on Discord", to.Platform)
	}
	logs, err := answer.OpenLogs(ctx, b.deps.Store, t, to)
	if err != nil {
		return nil, err
	}
	fresh := len(logs.Posted()) == 0
	b.talk.Begun(ctx, t)
	surface := b.client.Surface(t, !fresh, b.inPlace(ctx, t))
	writing, cancel := context.WithCancel(ctx)
	s, err := stream.OpenReplies(writing, to, b.config.Pace, logs, stream.Deps[render.Page]{
		Surface: surface, Guard: answer.Guard(b.deps.Store, t, permit, b.deps.Logger),
		Renderer: b.deps.Renderer, Turn: t, Observe: b.deps.Observe, Logger: b.deps.Logger,
	})
	if err != nil {
		cancel()
		return nil, err
	}
	d := newDelivery(writing, cancel, surface, permit.Status(surface.Status), s, b.deps.Logger, to, t.Ambient)
	if fresh && !t.Ambient && !t.Direct && t.Session.Owner == "" {
		d.barred = func(ctx context.Context, sentence string) {
			if err := b.client.Whisper(ctx, t, sentence, nil); err != nil {
				b.deps.Logger.WarnContext(ctx, "the asker is not told that the answer cannot be written", "turn", t.ID, "error", err)
			}
		}
	}
	return d, nil
}

// inPlace reports whether a question in a channel is answered there instead of in a thread.
func (b *Bot) inPlace(ctx context.Context, t session.Turn) bool {
	if b.deps.Policies == nil {
		return false
	}
	rules, err := b.deps.Policies.Policy(ctx, t.Session.Tenant, session.PlaceOf(t.Session.Ref))
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "what holds in a channel is not known; the answer gets a thread", "channel", t.Session.Ref.Channel, "error", err)
		return false
	}
	return rules.Reply == policy.ReplyInPlace
}
