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

// NewLog returns the stream.Log of one model's answer to a turn, written to at. Nothing is intended once the permit has ended.
func NewLog(deliveries session.Deliveries, t session.Turn, model int, at thread.Ref, permit Permit) stream.Log {
	return pageLog{deliveries: deliveries, fence: t.Fence(), model: model, at: at, permit: permit}
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
	remembered, err := l.deliveries.Pages(ctx, l.fence)
	if err != nil {
		return nil, err
	}
	var pages []stream.Page
	for _, p := range remembered {
		if p.Kind == session.Answer && p.Model == l.model {
			pages = append(pages, stream.Page{Number: p.Number, ID: p.Message, Hash: p.Hash, Final: p.State == session.Final})
		}
	}
	return pages, nil
}
