package action

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// maxCorrection is the maximum length of a correction in characters. Form fields of every platform
// accept this length.
const maxCorrection = 3000

// removeAnswer deletes the text of an answer from the store. A worker then edits the answer's
// messages, and retries until they show the removal. A request without a reason gets a form that
// asks for it.
func (s *Service) removeAnswer(ctx context.Context, a Request, r session.Record) (Reply, error) {
	switch own := r.Session.Owner != "" || r.Direct; {
	case own && a.By.ID != r.Asker.ID:
		return refuse(sentenceOwnAnswer), nil
	case !own && !a.Moderator:
		return refuse(sentenceModeratorsOnly), nil
	case r.Removed != nil:
		return Reply{Sentence: sentenceRemovedAlready, Duplicate: true}, nil
	case !a.Submitted:
		return Reply{Form: &Form{
			Do: thread.ActionRemove, Turn: r.ID, Title: "Remove this answer?", Label: "Why? This is kept for the record",
			Hint: "It is removed for everybody, for good.", Submit: "Remove", Max: maxReason,
		}}, nil
	}
	stopped, err := s.Store.Remove(ctx, a.Tenant, r.ID, a.key(), session.Removal{By: a.By, Reason: sanitize(a.Text, maxReason)})
	if err != nil {
		return Reply{}, err
	}
	s.stopTurns(ctx, stopped)
	s.Logger.InfoContext(ctx, "answer removed", "turn", r.ID)
	return Reply{Sentence: sentenceRemovedNow}, nil
}

// correct replaces the text of a public answer with a moderator's text. In later prompts, the
// history has the new text.
func (s *Service) correct(ctx context.Context, a Request, r session.Record) (Reply, error) {
	switch {
	case !r.Turn.Public():
		return refuse(sentenceNotCorrected), nil
	case !a.Moderator:
		return refuse(sentenceModeratorsOnly), nil
	case r.Removed != nil:
		return Reply{}, session.ErrRemoved
	case r.State != session.Done:
		return Reply{}, session.ErrUnfinished
	case r.Outcome.Silent():
		return refuse(sentenceNoAnswer), nil
	case !a.Submitted:
		return s.correctionForm(ctx, r)
	}
	if n := utf8.RuneCountInString(a.Text); n > maxCorrection {
		return refuse(fmt.Sprintf(sentenceCorrectionLong, n, maxCorrection)), nil
	}
	text := sanitize(a.Text, maxCorrection)
	if text == "" {
		return refuse(sentenceNoCorrection), nil
	}
	err := s.Store.Correct(ctx, a.Tenant, r.ID, a.key(), session.Correction{Text: text, By: a.By})
	if err != nil {
		return Reply{}, err
	}
	s.Logger.InfoContext(ctx, "answer corrected", "turn", r.ID)
	s.Answerer.Wake()
	return Reply{Sentence: sentenceCorrectedNow}, nil
}

func (s *Service) correctionForm(ctx context.Context, r session.Record) (Reply, error) {
	form := &Form{
		Do: thread.ActionCorrect, Turn: r.ID, Title: "Correct this answer", Label: "What stands there instead, in Markdown",
		Hint: "It is marked as yours, and later answers build on it.", Submit: "Correct", Max: maxCorrection, Required: true,
	}
	if r.Correction != nil {
		form.Text = r.Correction.Text
	} else {
		saved, err := s.Store.Saved(ctx, r.Turn)
		if err != nil && !errors.Is(err, session.ErrUnknownTurn) {
			return Reply{}, err
		}
		best, _ := saved.Best()
		form.Text = best.Shown
	}
	if utf8.RuneCountInString(form.Text) > form.Max {
		form.Text = ""
	}
	return Reply{Form: form}, nil
}
