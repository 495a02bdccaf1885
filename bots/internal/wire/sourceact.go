package wire

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sources"
)

// As returns a copy of b that records by in the audit trail as the author of its changes.
func (b *Base) As(by session.Actor) *Base {
	other := *b
	other.person = by
	return &other
}

// SourceOffers returns the actions that a person can take on a source now.
func SourceOffers(s StoredSource) []sources.Act { return s.subject(false).Offers() }

func (s StoredSource) subject(quarantined bool) sources.Subject {
	kind := KindOf(s.Source)
	return sources.Subject{
		ID: s.ID, Place: s.Place(), Declared: s.Declared, Schedule: s.Schedule(), Quarantined: quarantined, Paused: kind.Paused, Unpaused: kind.Unpaused,
	}
}

// ChangeSource takes an action on a source. done says what happened, as the end of a sentence. The
// error is a review.InputError if the action is not possible.
func (b *Base) ChangeSource(ctx context.Context, do sources.Act, s StoredSource) (done string, err error) {
	quarantined, err := b.quarantines(ctx)
	if err != nil {
		return "", err
	}
	subject := s.subject(quarantined[s.ID] != nil)
	if refusal := subject.Refuses(do); refusal != "" {
		return "", &review.InputError{Sentence: refusal}
	}
	done, changes := subject.Result(do)
	if !changes {
		return done, nil
	}
	switch do {
	case sources.Run:
		return done, b.RunSource(ctx, s.ID)
	case sources.Pause:
		return done, b.PauseSource(ctx, s.ID)
	case sources.Resume:
		return done, b.ResumeSource(ctx, s.ID)
	case sources.Resync:
		return done, b.ResyncSource(ctx, s.ID)
	}
	return "", fmt.Errorf("change source %s: %q is not known", s.ID, do)
}
