package conversation

import (
	"context"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// storeLimit bounds a write to the store that is made although its context has ended.
const storeLimit = 5 * time.Second

// postNotice posts a notice about a turn that waits and records it in the store, so that whoever
// works on the turn deletes it: this process or, should it die, another. No notice is posted about
// a turn that no longer waits. remove deletes a notice that was posted and could not be recorded.
func postNotice(
	ctx context.Context, d answer.Deliveries, t session.Turn, at thread.Ref,
	post func(context.Context) (thread.MessageID, error), remove func(context.Context, thread.MessageID) error,
) (thread.MessageID, error) {
	key := session.PageKey{Kind: session.Notice}
	if err := d.Intend(ctx, t.Fence(), key, at); err != nil {
		return "", begunAlready(err)
	}
	id, err := post(ctx)
	if err != nil {
		return "", err // it may have been posted all the same, so the record of the intention stays
	}
	// what was said is not to be forgotten
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	if err := d.Posted(ctx, t.Fence(), key, id, ""); err != nil {
		return "", errors.Join(begunAlready(err), remove(ctx, id))
	}
	return id, nil
}

// begunAlready returns nil for the error that says that the turn has been leased meanwhile: it
// needs no notice any more.
func begunAlready(err error) error {
	if errors.Is(err, session.ErrFenced) {
		return nil
	}
	return err
}
