package answer

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/session"
)

// Tidier is implemented by Surfaces that can look at what a turn left behind when every replica
// went away.
type Tidier interface {
	// Tidy takes back the notices of a turn, and reports whether an answer to it is there
	// half-written. What cannot be known any more, such as in a channel that the bot was removed
	// from, is no error. Safe for concurrent use.
	Tidy(ctx context.Context, t session.Turn, permit Permit) (half bool, err error)
}

const sentenceAway = "I was interrupted while I wrote this, and away for a while after that. Try again if an answer is still wanted."

// close ends a turn that no replica was there for, without a word: its answer may have been given
// before a backup was restored. Only where the platform shows that the answer stands there
// half-written does the turn end as failed, in its place.
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
