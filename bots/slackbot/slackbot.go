// Package slackbot joins Slack to the core: what is said there becomes questions and stops, and
// answers are written into the threads.
package slackbot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/adapters/slack/write"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
	"golang.org/x/sync/errgroup"
)

// Config is how Slack is reached and what the bot does there. BotToken is required, and one of
// AppToken and SigningSecret.
type Config struct {
	BotToken      string
	AppToken      string // events come over sockets
	SigningSecret string // or as signed requests to Handler
	APIURL        string // empty: Slack's own
	Tenant        access.TenantID
	HTTP          *http.Client // nil: a plain one

	StopReactions []string // emoji names, with or without colons; octagonal_sign, which is 🛑
	// Prompts are offered to a person who opens the conversation with the bot; nil offers questions
	// about documents, an empty list none.
	Prompts []write.Prompt
	// of a question that came while no replica ran, beyond which the bot asks whether it is still
	// wanted: 15 min
	MaxAge time.Duration
	// Models lists the models that may be asked for by name; nil: none.
	Models func() []string
	Pace   stream.Pace  // of answers; the platform's
	Slack  slack.Config // further settings; the fields above lead
}

// Deps is what a Bot works with.
type Deps struct {
	Store    session.Store                // required
	Replicas session.Replicas             // nil: this process is the only one
	Renderer stream.Renderer[render.Page] // nil: a render.Renderer as it is
	// told of every write of an answer, from any goroutine; nil: no one is
	Observe func(stream.Write)
	// Heard gets what has changed in channels: of a thread, by its root, or with an empty key of
	// who may open the channel. What is new alone is not urgent. Nil: no one is.
	Heard  func(workspace, channel, key string, urgent bool)
	Logger *slog.Logger // nil: silent
}

// Bot is one workspace. It implements chat.Platform, and is safe for concurrent use.
type Bot struct {
	chat.Unsupported

	config   Config
	deps     Deps
	client   *slack.Client
	service  *answer.Service
	opened   conversation.Once // conversations that were offered prompts
	commands conversation.Once
	talk     *conversation.Conversation
}

// New returns a bot. Connect it, Bind it, and Run it.
func New(config Config, deps Deps) (*Bot, error) {
	if deps.Store == nil {
		return nil, errors.New("set up the Slack bot: a store is required")
	}
	if deps.Renderer == nil {
		deps.Renderer = &render.Renderer{}
	}
	if config.AppToken == "" && config.SigningSecret == "" {
		return nil, errors.New("set up Slack: set SLACK_APP_TOKEN for Socket Mode, or SLACK_SIGNING_SECRET for HTTP events")
	}
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	if config.Tenant == "" {
		config.Tenant = access.DefaultTenant
	}
	if len(config.StopReactions) == 0 {
		config.StopReactions = []string{"octagonal_sign"}
	}
	config.StopReactions = emojiNames(config.StopReactions)
	if config.Pace.FirstWait == 0 {
		config.Pace.FirstWait = firstWait
	}
	settings := config.Slack
	settings.BotToken, settings.AppToken, settings.SigningSecret = config.BotToken, config.AppToken, config.SigningSecret
	settings.APIURL, settings.Tenant, settings.HTTP, settings.Logger = config.APIURL, config.Tenant, config.HTTP, deps.Logger
	client, err := slack.New(settings)
	if err != nil {
		return nil, err
	}
	b := &Bot{config: config, deps: deps, client: client}
	b.talk, err = conversation.New(conversation.Deps{
		Platform: b, Store: deps.Store, MaxAge: config.MaxAge, Models: config.Models, Logger: deps.Logger,
	})
	return b, err
}

// emojiNames are emoji as Slack names them, however they were written: with colons, or as what they
// look like.
func emojiNames(written []string) []string {
	names := make([]string, len(written))
	for i, name := range written {
		switch name = strings.Trim(strings.TrimSpace(name), ":"); strings.TrimSuffix(name, "\ufe0f") {
		case "🛑":
			name = "octagonal_sign"
		case "⏹":
			name = "black_square_for_stop"
		}
		names[i] = name
	}
	return names
}

// firstWait is how long after the first words they are shown at the latest. With the call they are
// to be seen within a second.
const firstWait = 700 * time.Millisecond

// Connect signs in. While Slack cannot be reached it tries again for some minutes. Its error is a
// sentence that says what to do.
func (b *Bot) Connect(ctx context.Context) error {
	begin := time.Now()
	for wait := connectFirst; ; wait = min(2*wait, connectLast) {
		_, err := b.client.Connect(ctx)
		if err == nil || !call.Transient(err) || time.Since(begin) > connectFor {
			return err
		}
		b.deps.Logger.WarnContext(ctx, "slack cannot be reached; trying again", "error", err)
		if sleep.For(ctx, wait) != nil {
			return err
		}
	}
}

// How long, and how often, signing in is tried while Slack cannot be reached.
const (
	connectFor   = 3 * time.Minute
	connectFirst = 500 * time.Millisecond
	connectLast  = 15 * time.Second
)

// Workspaces are those whose turns this bot can deliver, once it is connected.
func (b *Bot) Workspaces() []string { return []string{b.client.Identity().Team} }

// Bind says which services answer. It is called once, before Run.
func (b *Bot) Bind(services conversation.Services) {
	b.service = services.Service
	b.talk.Bind(services)
}

// Check looks at everything that can be wrong with the settings.
func (b *Bot) Check(ctx context.Context) []slack.Finding { return b.client.Check(ctx) }

// Knows reports whether a channel exists and the bot may see it.
func (b *Bot) Knows(ctx context.Context, channel string) (bool, error) {
	return b.client.Knows(ctx, channel)
}

// Sockets returns how many connections the app has, as Slack counts them.
func (b *Bot) Sockets(ctx context.Context) (int, error) { return b.client.Sockets(ctx) }

// Counted is how many connections the app has, as Slack said when one was opened here last.
func (b *Bot) Counted() int { return b.client.Counted() }

// Lacking returns the scopes that the app lacks, once the bot is connected.
func (b *Bot) Lacking() []slack.Finding { return b.client.Lacking() }

// Connected counts the sockets that are open, for readiness.
func (b *Bot) Connected() int { return b.client.Connected() }

// Handler takes signed requests, where there is a signing secret. It is mounted at /slack/events.
func (b *Bot) Handler() http.Handler { return b.client.Handler(b.Event) }

// Run receives events until ctx ends. It returns an error, a sentence, when Slack cannot be reached
// with these settings at all.
func (b *Bot) Run(ctx context.Context) error {
	if b.service == nil {
		return errors.New("run the Slack bot: it has no service")
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		b.client.Keep(ctx)
		return nil
	})
	group.Go(func() error {
		b.lookBacks(ctx)
		return nil
	})
	group.Go(func() error {
		session.Share(ctx, b.deps.Replicas, b.deps.Logger, b.client.Share)
		return nil
	})
	group.Go(func() error {
		b.talk.Run(ctx)
		return nil
	})
	group.Go(func() error {
		if b.config.AppToken == "" {
			<-ctx.Done()
			return nil
		}
		return b.client.Listen(ctx, b.Event)
	})
	err := group.Wait()
	b.talk.Wait()
	return err
}

// Open implements chat.Platform.
func (b *Bot) Open(ctx context.Context, t session.Turn, permit chat.Permit) (chat.Delivery, error) {
	if at := t.Session.Ref; at.Platform != slack.Platform || at.Workspace != b.client.Identity().Team {
		return nil, fmt.Errorf("open a delivery to %s workspace %s: this bot is not there", at.Platform, at.Workspace)
	}
	to, err := b.place(ctx, t, permit)
	if err != nil {
		return nil, err
	}
	logs, err := answer.OpenLogs(ctx, b.deps.Store, t, to)
	if err != nil {
		return nil, err
	}
	surface := b.client.Surface(write.SurfaceOptions{
		Turn: string(t.ID), Question: t.Message, Recipient: t.Asker.ID,
		RecipientTeam: func(ctx context.Context) string { return b.teamOf(ctx, t.Asker.ID) },
		Actions:       actions, Stopped: func() { b.stopped(ctx, t) },
	})
	pace, again := b.config.Pace, t.Outcome != ""
	pace.Held = pace.Held || again // what is rewritten was complete before
	d := &delivery{turn: t, client: b.client, surface: surface, to: to}
	if t.Attempt == 1 && !t.Ambient && !t.Direct && t.Session.Owner == "" {
		d.barred = func(ctx context.Context, sentence string) {
			if err := b.Whisper(ctx, t, chat.Note{Sentence: sentence}); err != nil {
				b.deps.Logger.WarnContext(ctx, "the asker is not told that the answer cannot be written", "turn", t.ID, "error", err)
			}
		}
	}
	if again {
		d.presence = absent(b.deps.Logger)
	} else {
		d.presence = show(ctx, surface, permit.Status(surface.Status), to, b.deps.Logger, func(ctx context.Context) { b.greet(ctx, d) })
	}
	d.replies, err = stream.OpenReplies(ctx, to, pace, logs, stream.Deps[render.Page]{
		Surface: surface, Guard: answer.Guard(b.deps.Store, t, permit, b.deps.Logger),
		Renderer: b.renderer(), Logger: b.deps.Logger,
		Turn: t, Observe: func(w stream.Write) { b.observe(d, w) },
	})
	if err != nil {
		d.presence.end()
		return nil, err
	}
	return d, nil
}

// observe gets every write of an answer. The status stands until there are words to read, however
// long those wait for Slack's tiers.
func (b *Bot) observe(d *delivery, w stream.Write) {
	if w.First {
		d.presence.hush()
	}
	if b.deps.Observe != nil {
		b.deps.Observe(w)
	}
}

// renderer is the renderer, which shows in the answer's place what is searched for where no status
// can say so.
func (b *Bot) renderer() stream.Renderer[render.Page] {
	r, ok := b.deps.Renderer.(*render.Renderer)
	if !ok || r.Progress || b.client.Statuses() {
		return b.deps.Renderer
	}
	shown := *r
	shown.Progress = true
	return &shown
}

// Use has Slack's rate tiers shared with other processes. It is called once, before Run; without it
// each process takes its part.
func (b *Bot) Use(tiers thread.Tiers) { b.client.Pacing().Use(tiers) }

// actions are the buttons that an answer may have.
var actions = []thread.Action{
	thread.ActionStart, thread.ActionPlain, thread.ActionStop, thread.ActionRetry, thread.ActionDeeper, thread.ActionReport, thread.ActionUp, thread.ActionDown, thread.ActionShare, thread.ActionKeep,
}

// Listeners implements chat.Platform.
func (b *Bot) Listeners(ctx context.Context, t session.Turn) (access.Presence, error) {
	if t.Direct || t.Session.Owner != "" {
		return b.client.Alone(ctx, t.Asker.ID)
	}
	return b.client.Present(ctx, t.Session.Ref.Channel)
}

// profileLimit bounds the look-up that stands between a turn and its first word.
const profileLimit = time.Second

// teamOf is the workspace of a person, who may belong to another one in a shared channel.
func (b *Bot) teamOf(ctx context.Context, person string) string {
	ctx, cancel := context.WithTimeout(ctx, profileLimit)
	defer cancel()
	if p, err := b.client.Profile(ctx, person); err == nil && p.Team != "" {
		return p.Team
	}
	return b.client.Identity().Team
}

// Zone implements chat.Platform: that of the asker's profile.
func (b *Bot) Zone(ctx context.Context, t session.Turn) *time.Location {
	ctx, cancel := context.WithTimeout(ctx, profileLimit)
	defer cancel()
	p, err := b.client.Profile(ctx, t.Asker.ID)
	if err != nil {
		return nil
	}
	return p.Zone
}

// stopped passes on that the reader ended the answer's stream in Slack's client.
func (b *Bot) stopped(ctx context.Context, t session.Turn) {
	_, err := b.service.Stop(ctx, session.StopRequest{
		Tenant: t.Session.Tenant, Ref: t.Session.Ref, Message: t.Message, By: session.Stopper{Privileged: true},
	})
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "stop not recorded", "turn", t.ID, "error", err)
	}
}
