// Package conversation decides, once for every chat platform, what happens in a conversation: when
// people mention the bot, follow up, edit, delete, react, press or command, when a question has to
// wait, and when no replica ran for a while. A [chat.Platform] reports events and writes. What one
// platform alone has stays with that platform; what becomes of a question once it is stored is the
// answer package's.
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

// Deps is what a Conversation works with. Platform and Store are required.
type Deps struct {
	Platform chat.Platform
	Store    Store
	// of a question that came while no replica ran, beyond which it is asked whether it is still
	// wanted: 15 min
	MaxAge time.Duration
	Models func() []string // those that may be asked for by name; nil: none
	Logger *slog.Logger    // nil: silent
}

// Store is what a conversation needs of a session.Store, which says what each method does.
type Store interface {
	answer.Records
	Drop(ctx context.Context, f session.Fence, key session.PageKey) error
	Turn(ctx context.Context, tenant access.TenantID, id session.TurnID) (session.Turn, error)
	TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Turn, error)
	Unfollow(ctx context.Context, tenant access.TenantID, ref thread.Ref, by string) error
	AskedBy(ctx context.Context, tenant access.TenantID, at thread.Ref, person string, limit int) ([]session.Turn, error)
	Claim(ctx context.Context, tenant access.TenantID, at thread.Ref, key string, ttl time.Duration) (bool, error)
}

// Conversation is what the bot does on one platform. It is safe for concurrent use.
type Conversation struct {
	deps    Deps
	service Services
	logger  *slog.Logger
	notices notices
	errands errands
	keeping keeping
	quiet   quiet
	said    Once // messages about which their authors were told something
	taken   Once // messages that were taken in
}

// New returns a conversation.
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
	return &Conversation{deps: deps, logger: deps.Logger, notices: notices{due: make(chan dueNotice, 64)}}, nil
}

// Services are what a conversation hands on: questions to be answered, things to be done to
// answers, commands, and files to be kept.
type Services struct {
	*answer.Service
	Actions  *action.Service
	Commands *command.Service
	Uploads  *upload.Service // nil: no files are kept
}

// Bind says which services answer. It is called once, before anything happens.
func (c *Conversation) Bind(services Services) { c.service = services }

// Run posts queued notices until ctx ends.
func (c *Conversation) Run(ctx context.Context) { c.sayNotices(ctx) }

// Soon does something that no event's acknowledgement waits for.
func (c *Conversation) Soon(ctx context.Context, do func(context.Context)) { c.errands.run(ctx, do) }

// Wait returns when nothing is done any more that no event waited for.
func (c *Conversation) Wait() {
	c.keeping.wait()
	c.errands.wait()
}

// errUnasked says that only the platform knows who a person is.
var errUnasked = errors.New("the platform was not asked yet")

// remembers returns what a person alone may read, if that is known without asking the platform.
func (c *Conversation) remembers(at thread.Ref, person string) func(context.Context) (access.Audience, error) {
	return func(ctx context.Context) (access.Audience, error) {
		holds, ok := c.deps.Platform.Known(ctx, at, person)
		if !ok {
			return holds, errUnasked
		}
		return holds, nil
	}
}

// say tells the author of a message something in addition to an answer, unless they were told
// enough (policy.Quiet). The event does not wait for it.
func (c *Conversation) say(ctx context.Context, to chat.Message, sentence string, private bool) {
	if sentence != "" && (to.Operator || c.quiet.allows(to.Ref, to.Author.ID, sentence)) {
		c.errands.run(ctx, func(ctx context.Context) { c.deps.Platform.Say(ctx, to, sentence, private) })
	}
}

// can returns what the platform of a thread can do.
func (c *Conversation) can(at thread.Ref) chat.Features { return c.deps.Platform.Features(at) }

func (c *Conversation) tenant(at thread.Ref) access.TenantID { return c.deps.Platform.Tenant(at) }

// holds returns what one person may read.
func (c *Conversation) holds(at thread.Ref, person string) func(context.Context) (access.Audience, error) {
	return func(ctx context.Context) (access.Audience, error) {
		alone, err := c.deps.Platform.Alone(ctx, at, person)
		return access.AudienceOf(c.tenant(at), c.service.Held(ctx, alone)), err
	}
}
