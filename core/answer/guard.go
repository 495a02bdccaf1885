package answer

import (
	"context"
	"log/slog"

	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
)

// Guard returns the stream.Guard for the writes of one attempt: no write begins without a permit.
// If a process is paused during a write, its permit may end before the write does. That write may
// have overwritten another attempt's page, so the turn is delivered once more.
func Guard(repairs Repairs, t session.Turn, permit chat.Permit, logger *slog.Logger) stream.Guard {
	return guard{repairs: repairs, fence: t.Fence(), permit: permit, logger: logger}
}

// Repairs is the part of session.Store that a process calls when it notices too late that it lost a
// turn.
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

// Made implements stream.Guard. It reports a call that ended after its permit.
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
