package answer

import (
	"context"
	"log/slog"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Guard is a surface for one attempt at one turn. It starts no call without a permit. A process that was paused may finish a call after
// its permit has ended, and then have written over what another attempt showed; so the turn is delivered once more after such a call.
// Whatever the surface can do, Guard can (thread.AbilitiesOf): stream, roll over, adopt, show that it
// is at work. Nobody else on the way of a write asks for the permit.
func Guard[P any](surface thread.Surface[P], repairs Repairs, t session.Turn, permit Permit, logger *slog.Logger) thread.Surface[P] {
	return guarded[P]{Surface: surface, guard: guard{repairs: repairs, fence: t.Fence(), permit: permit, logger: logger}}
}

// Repairs is told by a process that finds out too late that it had lost a turn; a session.Store is one.
type Repairs interface {
	Disturbed(ctx context.Context, f session.Fence) error
}

type guard struct {
	repairs Repairs
	fence   session.Fence
	permit  Permit
	logger  *slog.Logger
}

// made is called with the error of each platform call, which it returns. A call that ended after its permit had is reported.
func (g guard) made(ctx context.Context, err error) error {
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

type guarded[P any] struct {
	thread.Surface[P]
	guard guard
}

// Abilities are those of the surface. What they write is guarded.
func (g guarded[P]) Abilities() thread.Abilities[P] {
	can := thread.AbilitiesOf(g.Surface)
	if can.Streamer != nil {
		can.Streamer = guardedStreamer[P]{guard: g.guard, streamer: can.Streamer}
	}
	if can.Presence != nil {
		can.Presence = guardedPresence{permit: g.guard.permit, presence: can.Presence}
	}
	return can
}

// Post implements thread.Surface.
func (g guarded[P]) Post(ctx context.Context, to thread.Ref, page P) (id thread.MessageID, err error) {
	if err := g.guard.permit(); err != nil {
		return "", err
	}
	id, err = g.Surface.Post(ctx, to, page)
	return id, g.guard.made(ctx, err)
}

// Edit implements thread.Surface.
func (g guarded[P]) Edit(ctx context.Context, to thread.Ref, id thread.MessageID, page P) error {
	if err := g.guard.permit(); err != nil {
		return err
	}
	return g.guard.made(ctx, g.Surface.Edit(ctx, to, id, page))
}

// Delete implements thread.Surface.
func (g guarded[P]) Delete(ctx context.Context, to thread.Ref, id thread.MessageID) error {
	if err := g.guard.permit(); err != nil {
		return err
	}
	return g.guard.made(ctx, g.Surface.Delete(ctx, to, id))
}

type guardedStreamer[P any] struct {
	guard    guard
	streamer thread.Streamer[P]
}

// Start implements thread.Streamer.
func (g guardedStreamer[P]) Start(ctx context.Context, to thread.Ref, page P) (id thread.MessageID, err error) {
	if err := g.guard.permit(); err != nil {
		return "", err
	}
	id, err = g.streamer.Start(ctx, to, page)
	return id, g.guard.made(ctx, err)
}

// Append implements thread.Streamer.
func (g guardedStreamer[P]) Append(ctx context.Context, to thread.Ref, id thread.MessageID, page P) error {
	if err := g.guard.permit(); err != nil {
		return err
	}
	return g.guard.made(ctx, g.streamer.Append(ctx, to, id, page))
}

// Stop implements thread.Streamer.
func (g guardedStreamer[P]) Stop(ctx context.Context, to thread.Ref, id thread.MessageID, page P) error {
	if err := g.guard.permit(); err != nil {
		return err
	}
	return g.guard.made(ctx, g.streamer.Stop(ctx, to, id, page))
}

// guardedPresence starts no call without a permit. One that ends late disturbs no answer.
type guardedPresence struct {
	permit   Permit
	presence thread.Presence
}

// Status implements thread.Presence.
func (g guardedPresence) Status(ctx context.Context, to thread.Ref, status string) error {
	if err := g.permit(); err != nil {
		return err
	}
	return g.presence.Status(ctx, to, status)
}
