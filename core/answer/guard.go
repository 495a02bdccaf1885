package answer

import (
	"context"
	"log/slog"

	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
)

// Guard returns a [stream.Guard] that allows writes to a thread only while permit is valid. A write
// during which the permit ends may have overwritten a page of another attempt. Guard then reports
// this to repairs, and the turn is delivered again.
func Guard(repairs Repairs, t session.Turn, permit chat.Permit, logger *slog.Logger) stream.Guard {
	return guard{repairs: repairs, fence: t.Fence(), permit: permit, logger: logger}
}

// Repairs is the part of session.Store that records late writes: writes made after another replica
// took over the turn.
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

// Made implements [stream.Guard]. If the permit ended during the write, Made reports that to the
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
