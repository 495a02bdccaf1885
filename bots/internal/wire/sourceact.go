package wire

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/review"
	"github.com/footnotehq/footnote/core/session"
)

// As returns b with another author of changes, for the audit trail.
func (b *Base) As(by session.Actor) *Base {
	other := *b
	other.person = by
	return &other
}

// SourceRefuses returns why an action on a source is not possible, or nil if it is.
func (b *Base) SourceRefuses(do review.SourceAct, s StoredSource) *review.InputError {
	kind := KindOf(s.Source)
	switch {
	case do == review.SourcePause && kind.Unpaused != "":
		return &review.InputError{Sentence: fmt.Sprintf("%s cannot be paused: %s. Take it out with footnote sources remove %s", s.ID, kind.Unpaused, s.ID)}
	case do != review.SourcePause && s.Refused != "":
		return &review.InputError{Sentence: fmt.Sprintf("%s: %s", s.ID, s.Refused)}
	case do == review.SourceRun && s.Paused():
		return &review.InputError{Sentence: fmt.Sprintf("%s is paused: resume it", s.ID)}
	case do == review.SourceRun && s.Every == 0:
		return &review.InputError{Sentence: fmt.Sprintf("%s has no schedule, so it is read %s", s.ID, readBy(s))}
	}
	return nil
}

// ChangeSource does an action on a source. done is the result, as the end of a sentence. It fails
// with a review.InputError if the action is not possible.
func (b *Base) ChangeSource(ctx context.Context, do review.SourceAct, s StoredSource) (done string, err error) {
	if refusal := b.SourceRefuses(do, s); refusal != nil {
		return "", refusal
	}
	switch do {
	case review.SourceRun:
		return "it is read " + readBy(s), b.RunSource(ctx, s.ID)
	case review.SourcePause:
		return "it is not read any more; " + KindOf(s.Source).Paused, b.PauseSource(ctx, s.ID)
	case review.SourceResume:
		quarantined, err := b.Quarantined(ctx, s.ID)
		if err != nil {
			return "", err
		}
		if !s.Paused() && !quarantined {
			return "it was not paused", nil
		}
		return "it is read again, " + readBy(s), b.ResumeSource(ctx, s.ID)
	case review.SourceResync:
		when := readBy(s)
		if s.Paused() {
			when = "once it is resumed"
		}
		return "it is read from the beginning, " + when, b.ResyncSource(ctx, s.ID)
	}
	return "", fmt.Errorf("change source %s: %q is not known", s.ID, do)
}

// readBy says which process reads a source next.
func readBy(s StoredSource) string {
	if s.Every > 0 {
		return "by footnote serve at once"
	}
	if s.Declared != "" {
		return "by the next footnote index"
	}
	return "by the next footnote index " + s.Place()
}
