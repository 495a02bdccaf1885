// Package conversation handles the events of conversations, in the same way for every chat
// platform. It handles mentions, follow-ups, edits, deletions, reactions, presses and commands. It
// also handles questions that have to wait, and messages that were missed during an outage. A
// [chat.Platform] reports the events and writes messages. Package answer processes questions once
// they are stored. Code that only one platform needs belongs to that platform.
package conversation

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/upload"
)

// Deps are the dependencies of a [Conversation]. Platform and Store are required.
type Deps struct {
	Platform chat.Platform
	Store    Store
	// MaxAge is the maximum age of a missed question that is answered without asking first. The
	// default is 15 min.
	MaxAge time.Duration
	Models func() []string // returns the models that a question may name; nil for none
	Logger *slog.Logger    // nil: silent
}

// Store is the part of session.Store that a [Conversation] uses. session.Store documents the
// methods.
type Store interface {
	answer.Records
	Drop(ctx context.Context, f session.Fence, key session.PageKey) error
	Turn(ctx context.Context, tenant access.TenantID, id session.TurnID) (session.Turn, error)
	TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Turn, error)
	Unfollow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error
	AskedBy(ctx context.Context, tenant access.TenantID, at thread.Ref, person string, limit int) ([]session.Turn, error)
	Claim(ctx context.Context, tenant access.TenantID, at thread.Ref, key string, ttl time.Duration) (bool, error)
	DropTranscripts(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) error
}

// Conversation handles the events of one chat platform. It is safe for concurrent use.
type Conversation struct {
	deps     Deps
	service  Services
	logger   *slog.Logger
	notices  notices
	errands  errands
	keeping  keepers
	quiet    quiet
	notified Once // messages whose authors got a notice
	accepted Once // accepted messages
}

// New returns a [Conversation]. Call [Conversation.Bind] before the first event.
func New(deps Deps) (*Conversation, error) {
	if deps.Platform == nil || deps.Store == nil {
		return nil, errors.New("set up a conversation: a platform and a store are required")
	}
	if deps.MaxAge <= 0 {
		deps.MaxAge = 15 * time.Minute
	}
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	return &Conversation{deps: deps, logger: deps.Logger, notices: notices{updates: make(chan noticeUpdate, 64)}}, nil
}

// Services are the services that a [Conversation] calls: answers, actions on answers, commands and
// uploads.
type Services struct {
	*answer.Service
	Actions  *action.Service
	Commands *command.Service
	Uploads  *upload.Service // nil disables keeping files
}

// Bind sets the services. Call Bind once, before the first event.
func (c *Conversation) Bind(services Services) { c.service = services }

// Run posts notices about waiting questions until ctx ends.
func (c *Conversation) Run(ctx context.Context) { c.sayNotices(ctx) }

// Soon runs do in the background, so that the event's acknowledgement is not delayed.
func (c *Conversation) Soon(ctx context.Context, do func(context.Context)) { c.errands.run(ctx, do) }

// Wait waits until all background work is done. Stop calling other methods first.
func (c *Conversation) Wait() {
	c.keeping.wait()
	c.errands.wait()
}

var errUnknownPerson = errors.New("the platform was not asked yet")

// knownAudience returns a function that returns what a person may read. The function uses only data
// that is already loaded, and never calls the platform. It returns an error if data is missing.
func (c *Conversation) knownAudience(at thread.Ref, person string) func(context.Context) (access.Audience, error) {
	return func(ctx context.Context) (access.Audience, error) {
		holds, ok := c.deps.Platform.Known(ctx, at, person)
		if !ok {
			return holds, errUnknownPerson
		}
		return holds, nil
	}
}

// say sends a notice in the background, unless [policy.Quiet] suppresses it.
func (c *Conversation) say(ctx context.Context, to chat.Message, sentence string, private bool) {
	if sentence != "" && (to.Operator || c.quiet.allows(to.Ref, to.Author.ID, sentence)) {
		c.errands.run(ctx, func(ctx context.Context) { c.deps.Platform.Say(ctx, to, sentence, private) })
	}
}

func (c *Conversation) features(at thread.Ref) chat.Features { return c.deps.Platform.Features(at) }

func (c *Conversation) tenant(at thread.Ref) access.TenantID { return c.deps.Platform.Tenant(at) }

func (c *Conversation) audienceOf(at thread.Ref, person string) func(context.Context) (access.Audience, error) {
	return func(ctx context.Context) (access.Audience, error) {
		alone, err := c.deps.Platform.Alone(ctx, at, person)
		return access.AudienceOf(c.tenant(at), c.service.Held(ctx, alone)), err
	}
}
