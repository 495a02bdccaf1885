package answer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

// Deliveries is the part of session.Store that records which pages of an answer were posted.
type Deliveries interface {
	Intend(ctx context.Context, f session.Fence, key session.PageKey, at thread.Ref) error
	Posted(ctx context.Context, f session.Fence, key session.PageKey, id thread.MessageID, hash string) error
	Final(ctx context.Context, f session.Fence, key session.PageKey, hash string) error
	Pages(ctx context.Context, f session.Fence) ([]session.Page, error)
	TurnOf(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (session.Turn, error)
}

type pageLog struct {
	deliveries Deliveries
	fence      session.Fence
	turn       session.Turn
	model      int
	at         thread.Ref
	pages      []stream.Page             // of earlier attempts
	recorded   func(ctx context.Context) // after a new message was recorded; may be nil
}

var _ stream.Log = pageLog{}

// OpenLogs returns the [stream.Logs] that record which pages of a turn's answers were posted. The
// thread is at, and posted lists the pages of earlier attempts. If recorded is not nil, it is
// called after each new message was recorded.
//
// A log can be written without a permit. The store rejects writes of an attempt that lost the turn.
func OpenLogs(deliveries Deliveries, t session.Turn, at thread.Ref, posted []session.Page, recorded func(context.Context, session.Turn)) stream.Logs {
	l := pageLogs{first: pageLog{deliveries: deliveries, fence: t.Fence(), turn: t, at: at}, posted: make(map[int][]stream.Page)}
	if recorded != nil {
		l.first.recorded = func(ctx context.Context) { recorded(ctx, t) }
	}
	for _, p := range posted {
		if p.Kind == session.Answer {
			l.posted[p.Model] = append(l.posted[p.Model], stream.Page{Number: p.Number, ID: p.Message, Hash: p.Hash, Final: p.State == session.Final})
		}
	}
	return l
}

// pageLogs implements [stream.Logs] with one log for the answer of each model. first is the
// template for these logs. posted has the pages of earlier attempts, by the index of the model.
type pageLogs struct {
	first  pageLog
	posted map[int][]stream.Page
}

// Log implements stream.Logs.
func (l pageLogs) Log(model int) stream.Log {
	l.first.model, l.first.pages = model, l.posted[model]
	return l.first
}

// Posted implements stream.Logs.
func (l pageLogs) Posted() map[int][]stream.Page { return l.posted }

func (l pageLog) key(page int) session.PageKey {
	return session.PageKey{Kind: session.Answer, Model: l.model, Number: page}
}

// Intend implements stream.Log.
func (l pageLog) Intend(ctx context.Context, page int) error {
	return l.deliveries.Intend(ctx, l.fence, l.key(page), l.at)
}

// Posted implements stream.Log.
func (l pageLog) Posted(ctx context.Context, page int, id thread.MessageID, hash string) error {
	err := l.deliveries.Posted(ctx, l.fence, l.key(page), id, hash)
	if err == nil && l.recorded != nil {
		l.recorded(ctx)
	}
	return err
}

// Final implements stream.Log.
func (l pageLog) Final(ctx context.Context, page int, hash string) error {
	return l.deliveries.Final(ctx, l.fence, l.key(page), hash)
}

// Pages implements stream.Log.
func (l pageLog) Pages(context.Context) ([]stream.Page, error) { return slices.Clone(l.pages), nil }

// Foreign implements stream.Log.
func (l pageLog) Foreign(ctx context.Context, id thread.MessageID) (bool, error) {
	t, err := l.deliveries.TurnOf(ctx, l.turn.Session.Tenant, l.at, id)
	switch {
	case errors.Is(err, session.ErrUnknownTurn):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("find the turn of a message: %w", err)
	case t.ID != l.turn.ID:
		return true, nil
	}
	pages, err := l.deliveries.Pages(ctx, l.fence)
	if err != nil {
		return false, fmt.Errorf("read what was posted for the turn: %w", err)
	}
	return slices.ContainsFunc(pages, func(p session.Page) bool { return p.Message == id && p.Kind != session.Answer }), nil
}
