// Package conversation decides, once for every chat platform, what happens in a conversation: when a question has to wait, when a process that was
// at work has gone. A [Platform] translates: it tells of events in the words of this package, and writes what it is told to. What one platform
// alone has stays with that platform; what becomes of a question once it is stored is the answer package's.
package conversation

import (
	"context"
	"errors"
	"log/slog"

	"github.com/footnotehq/footnote/core/session"
)

// Deps is what a Conversation works with. Platform and Deliveries are required.
type Deps struct {
	Platform   Platform
	Deliveries session.Deliveries
	Turns      session.Turns // nil: what became of a message is not asked
	Logger     *slog.Logger  // nil: silent
}

// Conversation is what the bot does on one platform. It is safe for concurrent use.
type Conversation struct {
	deps    Deps
	logger  *slog.Logger
	notices notices
}

// New returns a conversation.
func New(deps Deps) (*Conversation, error) {
	if deps.Platform == nil || deps.Deliveries == nil {
		return nil, errors.New("set up a conversation: a platform and deliveries are required")
	}
	if deps.Logger == nil {
		deps.Logger = slog.New(slog.DiscardHandler)
	}
	return &Conversation{deps: deps, logger: deps.Logger, notices: notices{due: make(chan dueNotice, 64)}}, nil
}

// Run does what is said beside answers until ctx ends.
func (c *Conversation) Run(ctx context.Context) { c.sayNotices(ctx) }
