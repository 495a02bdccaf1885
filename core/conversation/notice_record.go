package conversation

import (
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

const storeTimeout = 5 * time.Second

// postNotice posts a notice about a waiting turn and records it in the store, so that any process
// that begins the turn can delete it. If the turn no longer waits, it posts nothing. If the posted
// notice cannot be recorded, it calls remove.
func postNotice(
	ctx context.Context, d answer.Deliveries, t session.Turn, at thread.Ref,
	post func(context.Context) (thread.MessageID, error), remove func(context.Context, thread.MessageID) error,
) (thread.MessageID, error) {
	key := session.PageKey{Kind: session.Notice}
	if err := d.Intend(ctx, t.Fence(), key, at); err != nil {
		return "", ignoreFenced(err)
	}
	id, err := post(ctx)
	if err != nil {
		return "", err // it may have been posted anyway, so the recorded intention stays
	}
	// the posted notice must be recorded
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if err := d.Posted(ctx, t.Fence(), key, id, ""); err != nil {
		return "", errors.Join(ignoreFenced(err), remove(ctx, id))
	}
	return id, nil
}

// ignoreFenced returns nil for [session.ErrFenced], which means that the turn was leased meanwhile
// and needs no notice.
func ignoreFenced(err error) error {
	if errors.Is(err, session.ErrFenced) {
		return nil
	}
	return err
}
