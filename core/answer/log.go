package answer

import (
	"context"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/footnotehq/footnote/core/thread"
)

// pageLog keeps what a ThreadStream posts for one model's answer in the store.
type pageLog struct {
	deliveries session.Deliveries
	fence      session.Fence
	model      int
	at         thread.Ref
	permit     Permit
}

var _ stream.Log = pageLog{}

// NewLogs returns the stream.Logs of a turn's answers, written to at. Nothing is intended once the permit has ended.
func NewLogs(deliveries session.Deliveries, t session.Turn, at thread.Ref, permit Permit) stream.Logs {
	return pageLogs{pageLog{deliveries: deliveries, fence: t.Fence(), at: at, permit: permit}}
}

// pageLogs is the pageLog of the first model, and of what is written without one.
type pageLogs struct{ first pageLog }

// Log implements stream.Logs.
func (l pageLogs) Log(model int) stream.Log {
	l.first.model = model
	return l.first
}

// Posted implements stream.Logs.
func (l pageLogs) Posted(ctx context.Context) (map[int][]stream.Page, error) {
	remembered, err := l.first.deliveries.Pages(ctx, l.first.fence)
	if err != nil {
		return nil, err
	}
	pages := make(map[int][]stream.Page)
	for _, p := range remembered {
		if p.Kind == session.Answer {
			pages[p.Model] = append(pages[p.Model], stream.Page{Number: p.Number, ID: p.Message, Hash: p.Hash, Final: p.State == session.Final})
		}
	}
	return pages, nil
}

func (l pageLog) key(page int) session.PageKey {
	return session.PageKey{Kind: session.Answer, Model: l.model, Number: page}
}

// Intend implements stream.Log.
func (l pageLog) Intend(ctx context.Context, page int) error {
	if err := l.permit(); err != nil {
		return err
	}
	return l.deliveries.Intend(ctx, l.fence, l.key(page), l.at)
}

// Posted implements stream.Log.
func (l pageLog) Posted(ctx context.Context, page int, id thread.MessageID, hash string) error {
	return l.deliveries.Posted(ctx, l.fence, l.key(page), id, hash)
}

// Final implements stream.Log.
func (l pageLog) Final(ctx context.Context, page int, hash string) error {
	return l.deliveries.Final(ctx, l.fence, l.key(page), hash)
}

// Pages implements stream.Log.
func (l pageLog) Pages(ctx context.Context) ([]stream.Page, error) {
	all, err := pageLogs{l}.Posted(ctx)
	return all[l.model], err
}
