package answer

import (
	"context"
	"log/slog"

	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
)

// Guard covers the writes of one attempt at one turn: none is begun without a permit. A process
// that was paused may finish a call after its permit has ended, and then have written over what
// another attempt showed; so the turn is delivered once more after such a call. No other step on
// the way of a write asks for the permit.
func Guard(repairs Repairs, t session.Turn, permit chat.Permit, logger *slog.Logger) stream.Guard {
	return guard{repairs: repairs, fence: t.Fence(), permit: permit, logger: logger}
}

// Repairs is called by a process that finds out too late that it had lost a turn; a session.Store
// is one.
type Repairs interface {
	Disturbed(ctx context.Context, f session.Fence) error
}

type guard struct {
	repairs Repairs
	fence   session.Fence
	permit  chat.Permit
	logger  *slog.Logger
}

// Permit implements stream.Guard.
func (g guard) Permit() error { return g.permit() }

// Made implements stream.Guard. A call that ended after its permit had is reported.
func (g guard) Made(ctx context.Context, err error) error {
	late := g.permit()
	if late == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	if err := g.repairs.Disturbed(ctx, g.fence); err != nil {
		g.logger.ErrorContext(ctx, "a late write was not reported", "turn", g.fence.Turn, "error", err)
	}
	return late
}
