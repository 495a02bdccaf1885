// Package discordbot connects Discord to the core: it turns messages into questions, stops and
// other actions, and writes answers where they were asked.
package discordbot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/adapters/discord/write"
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

// Config says how to reach Discord and what the bot does there. Token is required.
type Config struct {
	Token  string
	APIURL string // DISCORD_API_URL; empty: Discord's own
	// NoMessageContent omits the privileged message content intent. Follow-ups then need a mention.
	NoMessageContent bool
	// Members requests the privileged members intent, which lets servers see documents for members.
	Members bool
	// Tenant has the documents for servers without a binding. Default: the default tenant
	Tenant access.TenantID
	Guilds []string // servers whose members are the tenant's
	// BindFirst binds the bot's only server if no server is bound. It is set if no Slack workspace
	// defines the members.
	BindFirst bool
	// Agents returns the agents that a question may choose by name; nil: none.
	Agents func() []string
	// Groups returns the roles that the configuration maps to groups at the moment; nil: none.
	Groups func() []access.BoundGroup
	// Models returns the models that a question may choose by name; nil: none.
	Models func() []string
	// MaxAge limits the age of a question that arrived while no replica ran. The bot asks whether
	// an older question is still wanted. Default: 15 min
	MaxAge  time.Duration
	Pace    stream.Pace    // pace of answers; default: the platform's
	Discord discord.Config // further settings; the other fields override them
}

// Deps holds the services and callbacks of a Bot. Store and Renderer are required.
type Deps struct {
	Store    session.Store
	Policies command.Policies // settings of each channel; nil: defaults
	Bindings access.Bindings  // servers to tenants; nil: only Config's
	Replicas session.Replicas // nil: this process is the only one
	Renderer stream.Renderer[render.Page]
	Observe  func(stream.Write) // called for every write, from any goroutine; may be nil
	// Heard is called when a channel changes. key names the changed thread or message; if it is
	// empty, the people who may open the channel have changed. urgent is false if there are only
	// new messages. It may be nil.
	Heard  func(guild, channel, key string, urgent bool)
	Logger *slog.Logger // nil: silent
}

// Bot answers questions in the servers and direct messages of one Discord application. It
// implements chat.Platform and is safe for concurrent use.
type Bot struct {
	chat.Unsupported

	config  Config
	deps    Deps
	client  *discord.Client
	service *answer.Service
	binding *binding
	talk    *conversation.Conversation

	mu sync.Mutex
	// sessions of the commands used in each channel, newest last
	commands map[string][]thread.Ref
}

// New returns a bot without contacting Discord. Call Bind and Run next.
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

// Bind sets the services that answer questions. Call it once, before Run.
func (b *Bot) Bind(services conversation.Services) {
	b.service = services.Service
	b.talk.Bind(services)
}

// Shards returns the number of connected gateway shards, and of all shards. Both are 0 until the
// total is known.
func (b *Bot) Shards() (connected, of int) { return b.client.Shards() }

// Handler returns the handler for signed HTTP requests from Discord, or nil without a public key.
// Mount it at /discord/interactions.
func (b *Bot) Handler() http.Handler { return b.client.Handler() }

// Run receives events until ctx is done. It fails if the settings cannot work; the error is a
// sentence.
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
	return b.client.Run(ctx, b.Event, event.Lookup{Active: b.active, News: b.news, Running: b.running})
}

// Use shares Discord's rate limits with other processes through tiers. Without it, each process
// takes an equal part. Call it once, before Run.
func (b *Bot) Use(tiers thread.Tiers) { b.client.Use(tiers) }

// Connect reads which tenant each server belongs to. It returns no error: if reading fails, Run
// tries again.
func (b *Bot) Connect(ctx context.Context) error {
	b.binding.refresh(ctx)
	return nil
}

// Close closes idle connections. Call it after the bot and its service have stopped.
func (b *Bot) Close() { b.client.Close() }

// Knows reports whether a channel exists and the bot may see it.
func (b *Bot) Knows(ctx context.Context, channel string) (bool, error) {
	return b.client.Knows(ctx, channel)
}

// Check checks the settings for every known problem and returns what it found.
func (b *Bot) Check(ctx context.Context) []discord.Finding {
	return append(b.client.Check(ctx), b.checkServers(ctx)...)
}

// welcome introduces the bot to everyone, because Discord does not say who added it.
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
	return answer.Deliver(ctx, b.talk.Desk(), t, permit, func(ctx context.Context, posted []session.Page) (answer.Outlet[render.Page], error) {
		resumed := slices.ContainsFunc(posted, func(p session.Page) bool { return p.Kind == session.Answer })
		surface := b.client.Surface(t, resumed, b.inPlace(ctx, t))
		return answer.Outlet[render.Page]{
			To: to, Surface: surface, Renderer: b.deps.Renderer, Pace: b.config.Pace, Observe: b.deps.Observe,
			Sign:   answer.Sign{Show: surface.Status, Every: typingAge, Again: typingAgain, First: "writing"},
			Barred: write.Barred, Dismiss: surface.Dismiss,
		}, nil
	})
}

const (
	// typingAge is how often typing is shown again. Discord clears it after ten seconds.
	typingAge = 8 * time.Second
	// typingAgain is how soon typing is tried again after other calls went first. Typing is the
	// first sign of the bot.
	typingAgain = 200 * time.Millisecond
)

// inPlace reports whether a question is answered in the channel itself. If that is unknown, the
// answer gets a thread.
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
