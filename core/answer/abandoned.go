package answer

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Tidier is implemented by Surfaces that can look at what a turn left behind when every replica went away.
type Tidier interface {
	// Tidy takes back what was said beside a turn, and reports whether an answer to it stands there half-written. What cannot be known any
	// more, such as in a channel that the bot was removed from, is no error. Safe for concurrent use.
	Tidy(ctx context.Context, t session.Turn, permit Permit) (half bool, err error)
}

const sentenceAway = "I was interrupted while I wrote this, and away for a while after that. Try again if an answer is still wanted."

// close ends a turn that nobody was there for, without a word: its answer may have been given before a backup was restored. Only where the
// platform shows that the answer stands there half-written does the turn end as failed, in its place.
func (s *Service) close(ctx context.Context, a *attempt) error {
	half := false
	if tidier, ok := s.Surfaces.(Tidier); ok {
		var err error
		half, err = tidier.Tidy(ctx, a.turn, s.permit(ctx))
		if err != nil && a.turn.Failures < maxFailures {
			return fmt.Errorf("look at what an old turn left behind: %w", err)
		}
	}
	s.Logger.WarnContext(ctx, "old turn closed without an answer", "turn", a.turn.ID, "session", a.turn.Session.ID, "intake", a.turn.Intake, "half_written", half)
	switch {
	case half && a.turn.Outcome == "":
		if err := s.save(ctx, a, stated(session.Failed, sentenceAway)); err != nil {
			return err
		}
		return s.redeliver(ctx, a)
	case half:
		return s.redeliver(ctx, a)
	case a.turn.Outcome == "":
		if err := s.save(ctx, a, session.Saved{Outcome: session.Superseded}); err != nil {
			return err
		}
	}
	return s.delivered(ctx, a, "")
}

// Noted says something beside a turn that waits, and remembers it in the store, so that whoever works on the turn takes it back: this process
// or, should it die, another. Nothing is said about a turn that no longer waits. unsay takes back what was said and could not be remembered.
func Noted(
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

// TakeBack takes back what was said beside a turn that this process works on. unsay is given what is remembered of it; a page without a
// message says that it may have been said, by a process that ended before it knew.
func TakeBack(ctx context.Context, d session.Deliveries, t session.Turn, unsay func(context.Context, session.Page) error) error {
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
