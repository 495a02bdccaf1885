package conversation

import (
	"context"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
)

var _ answer.Tidier = (*Conversation)(nil)

// Tidy implements answer.Tidier.
func (c *Conversation) Tidy(ctx context.Context, t session.Turn, permit answer.Permit) (half bool, err error) {
	if err := permit(); err != nil {
		return false, err
	}
	if err := c.takeBack(ctx, t); err != nil {
		return false, err
	}
	pages, err := c.deps.Store.Pages(ctx, t.Fence())
	if err != nil {
		return false, err
	}
	for _, p := range pages {
		if p.Kind != session.Answer || p.State == session.Final {
			continue
		}
		shown, err := c.deps.Platform.Unfinished(ctx, t, p, permit)
		if err != nil {
			return false, err
		}
		half = half || shown
	}
	return half, nil
}
