// Package slackbot connects Slack to the core: it turns messages into questions and stops, and
// writes answers into the threads.
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

// Config says how to reach Slack and what the bot does there. BotToken is required, and also
// AppToken or SigningSecret.
type Config struct {
	BotToken      string
	AppToken      string // receives events over sockets
	SigningSecret string // receives events as signed requests to Handler
	APIURL        string // empty: Slack's own
	Tenant        access.TenantID
	HTTP          *http.Client // nil: default client

	StopReactions []string // emoji names; default octagonal_sign (🛑)
	// Prompts are suggested to a person who opens the conversation with the bot. nil: questions
	// about documents; an empty list: none.
	Prompts []write.Prompt
	// MaxAge limits the age of a question that arrived while no replica ran. The bot asks whether
	// an older question is still wanted. Default: 15 min
	MaxAge time.Duration
	// Models returns the models that a question may choose by name; nil: none.
	Models func() []string
	Pace   stream.Pace  // pace of answers; default: the platform's
	Slack  slack.Config // further settings; the other fields override them
}

// Deps holds the services and callbacks of a Bot.
type Deps struct {
	Store    session.Store                // required
	Replicas session.Replicas             // nil: this process is the only one
	Renderer stream.Renderer[render.Page] // nil: a default render.Renderer
	// Observe is called for every write of an answer, from any goroutine. It may be nil.
	Observe func(stream.Write)
	// Heard is called when a channel changes. key is the root of the changed thread; if it is
	// empty, the people who may open the channel have changed. urgent is false if there are only
	// new messages. It may be nil.
	Heard  func(workspace, channel, key string, urgent bool)
	Logger *slog.Logger // nil: silent
}

// Bot answers questions in one Slack workspace. It implements chat.Platform and is safe for
// concurrent use.
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

// New returns a bot. Call Connect, Bind and Run next.
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

// emojiNames accepts ":name:", "name" and the characters 🛑 and ⏹.
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

// firstWait is the longest delay before the first words are sent. With the call itself, they appear
// within a second.
const firstWait = 700 * time.Millisecond

// Connect signs in. While Slack does not respond, it retries for up to three minutes. The error is
// a sentence that says what to do.
func (b *Bot) Connect(ctx context.Context) error {
	return signIn.Retry(ctx, func() error {
		_, err := b.client.Connect(ctx)
		return err
	}, func(err error) time.Duration {
		if !call.Transient(err) {
			return sleep.Never
		}
		b.deps.Logger.WarnContext(ctx, "slack cannot be reached; trying again", "error", err)
		return 0
	})
}

// signIn is the schedule for signing in while Slack does not respond.
var signIn = sleep.Backoff{First: 500 * time.Millisecond, Most: 15 * time.Second, Within: 3 * time.Minute}

// Workspaces returns the id of the workspace that the bot serves. Call it after Connect.
func (b *Bot) Workspaces() []string { return []string{b.client.Identity().Team} }

// Bind sets the services that answer questions. Call it once, before Run.
func (b *Bot) Bind(services conversation.Services) {
	b.service = services.Service
	b.talk.Bind(services)
}

// Check checks the settings for every known problem and returns what it found.
func (b *Bot) Check(ctx context.Context) []slack.Finding { return b.client.Check(ctx) }

// Knows reports whether a channel exists and the bot may see it.
func (b *Bot) Knows(ctx context.Context, channel string) (bool, error) {
	return b.client.Knows(ctx, channel)
}

// Sockets opens a connection to learn how many connections of the app Slack counts.
func (b *Bot) Sockets(ctx context.Context) (int, error) { return b.client.Sockets(ctx) }

// Counted returns how many connections of the app Slack counted when this process last opened one,
// and when that was.
func (b *Bot) Counted() (sockets int, at time.Time) { return b.client.Counted() }

// Lacking returns a finding for each scope that the app lacks. Call it after Connect.
func (b *Bot) Lacking() []slack.Finding { return b.client.Lacking() }

// Connected returns the number of open WebSocket connections to Slack.
func (b *Bot) Connected() int { return b.client.Connected() }

// Handler returns the handler for signed HTTP requests from Slack, or nil without a SigningSecret.
// Mount it at /slack/events.
func (b *Bot) Handler() http.Handler { return b.client.Handler(b.Event) }

// Run receives events until ctx is done. It fails if the settings cannot work; the error is a
// sentence.
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
	return answer.Deliver(ctx, b.talk.Desk(), t, permit, func(_ context.Context, posted []session.Page) (answer.Outlet[render.Page], error) {
		to, err := b.place(ctx, t, posted, permit)
		return b.outlet(ctx, t, to), err
	})
}

func (b *Bot) outlet(ctx context.Context, t session.Turn, to thread.Ref) answer.Outlet[render.Page] {
	surface := b.client.Surface(write.SurfaceOptions{
		Turn: string(t.ID), Question: t.Message, Recipient: t.Asker.ID,
		RecipientTeam: func(ctx context.Context) string { return b.teamOf(ctx, t.Asker.ID) },
		Actions:       actions, Stopped: func() { b.stopped(ctx, t) },
	})
	working := &working{bot: b, turn: t, to: to}
	return answer.Outlet[render.Page]{
		To: to, Surface: surface, Renderer: b.renderer(), Pace: b.config.Pace, Observe: b.deps.Observe,
		Sign: answer.Sign{
			Show: surface.Status, Every: statusAge, Again: statusAgain, First: "is reading your question…", Line: statusOf, Lingers: surface.Lingers,
		},
		Barred: call.Barred, Greet: working.greet, Ended: working.rest,
	}
}

// renderer shows the current search in place of the answer if the workspace has no status line.
func (b *Bot) renderer() stream.Renderer[render.Page] {
	r, ok := b.deps.Renderer.(*render.Renderer)
	if !ok || r.Progress || b.client.Statuses() {
		return b.deps.Renderer
	}
	shown := *r
	shown.Progress = true
	return &shown
}

// Use shares Slack's rate limits with other processes through tiers. Without it, each process takes
// an equal part. Call it once, before Run.
func (b *Bot) Use(tiers thread.Tiers) { b.client.Pacing().Use(tiers) }

var actions = []thread.Action{
	thread.ActionStart, thread.ActionPlain, thread.ActionStop, thread.ActionRetry, thread.ActionDeeper, thread.ActionReport, thread.ActionUp, thread.ActionDown, thread.ActionShare, thread.ActionKeep, thread.ActionOwner,
}

// Listeners implements chat.Platform.
func (b *Bot) Listeners(ctx context.Context, t session.Turn) (there access.Presence, err error) {
	if t.Public() {
		there, err = b.client.Present(ctx, t.Session.Ref.Channel)
	} else {
		there, err = b.client.Alone(ctx, t.Asker.ID)
	}
	if call.Hopeless(err) {
		err = fmt.Errorf("%w: %w", thread.ErrNotPermitted, err)
	}
	return there, err
}

// profileLimit is short because answers wait for the profile.
const profileLimit = time.Second

// teamOf returns the asker's workspace. In a channel shared between workspaces, it may be another
// one.
func (b *Bot) teamOf(ctx context.Context, person string) string {
	ctx, cancel := context.WithTimeout(ctx, profileLimit)
	defer cancel()
	if p, err := b.client.Profile(ctx, person); err == nil && p.Team != "" {
		return p.Team
	}
	return b.client.Identity().Team
}

// Zone implements chat.Platform. It returns the time zone in the asker's profile.
func (b *Bot) Zone(ctx context.Context, t session.Turn) *time.Location {
	ctx, cancel := context.WithTimeout(ctx, profileLimit)
	defer cancel()
	p, err := b.client.Profile(ctx, t.Asker.ID)
	if err != nil {
		return nil
	}
	return p.Zone
}

// stopped records that a person stopped the answer with Slack's own stop button.
func (b *Bot) stopped(ctx context.Context, t session.Turn) {
	_, err := b.service.Stop(ctx, session.StopRequest{
		Tenant: t.Session.Tenant, Ref: t.Session.Ref, Message: t.Message, By: session.Stopper{Privileged: true},
	})
	if err != nil {
		b.deps.Logger.WarnContext(ctx, "stop not recorded", "turn", t.ID, "error", err)
	}
}
