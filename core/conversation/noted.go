package conversation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// storeLimit bounds what is stored although nobody waits for it any more.
const storeLimit = 5 * time.Second

// noted says something beside a turn that waits, and remembers it in the store, so that whoever works on the turn takes it back: this process
// or, should it die, another. Nothing is said about a turn that no longer waits. unsay takes back what was said and could not be remembered.
func noted(
	ctx context.Context, d session.Deliveries, t session.Turn, at thread.Ref,
	say func(context.Context) (thread.MessageID, error), unsay func(context.Context, thread.MessageID) error,
) (thread.MessageID, error) {
	key := session.PageKey{Kind: session.Notice}
	if err := d.Intend(ctx, t.Fence(), key, at); err != nil {
		return "", begunAlready(err)
	}
	id, err := say(ctx)
	if err != nil {
		return "", err // it may have been said all the same, so that it stays intended
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit) // what was said is not to be forgotten
	defer cancel()
	if err := d.Posted(ctx, t.Fence(), key, id, ""); err != nil {
		return "", errors.Join(begunAlready(err), unsay(ctx, id))
	}
	return id, nil
}

// begunAlready returns nil for the error that says that the turn has been leased meanwhile: it needs no notice any more.
func begunAlready(err error) error {
	if errors.Is(err, session.ErrFenced) {
		return nil
	}
	return err
}

// dropNotices takes back what was said beside a turn that this process works on. unsay is given what is remembered of it; a page without a
// message says that it may have been said, by a process that ended before it knew.
func dropNotices(ctx context.Context, d session.Deliveries, t session.Turn, unsay func(context.Context, session.Page) error) error {
	pages, err := d.Pages(ctx, t.Fence())
	if err != nil {
		return fmt.Errorf("look for what was said beside a turn: %w", err)
	}
	for _, p := range pages {
		if p.Kind != session.Notice {
			continue
		}
		if err := unsay(ctx, p); err != nil {
			return fmt.Errorf("take back what was said beside a turn: %w", err)
		}
		if err := d.Drop(ctx, t.Fence(), p.PageKey); err != nil {
			return fmt.Errorf("forget what was said beside a turn: %w", err)
		}
	}
	return nil
}
