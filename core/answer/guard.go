package answer

import (
	"context"
	"log/slog"

	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
)

// Guard returns the stream.Guard for the writes of one attempt. No write begins without a permit.
// If a process is paused during a write, its permit may end before the write does. The write may
// then have overwritten a page of another attempt. In this case the turn is delivered again.
func Guard(repairs Repairs, t session.Turn, permit chat.Permit, logger *slog.Logger) stream.Guard {
	return guard{repairs: repairs, fence: t.Fence(), permit: permit, logger: logger}
}

// Repairs is the part of session.Store that reports a write made after the turn was lost.
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

// Made implements stream.Guard. If the permit expired during the call, Made reports the call to the
// store.
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
