package action

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/owner"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
)

// Owners finds the owner of the page that is closest to an unanswered question. It also records
// that the owner was asked. *owner.Desk implements it. It is safe for concurrent use.
type Owners interface {
	Nearest(ctx context.Context, t session.Turn, audience access.Audience, pages []document.Ref) (owner.Offer, bool, error)
	session.Owners
}

// maxAsked is the maximum number of characters of the question in the message to a page's owner.
const maxAsked = 600

// askOwner returns the message to the owner of the page closest to the question. It first records
// that the owner was asked, so that a crash never causes a second message.
func (s *Service) askOwner(ctx context.Context, a Request, r session.Record) (Reply, error) {
	switch {
	case s.Owners == nil || !r.Turn.Public() || r.Turn.Origin.As == session.Shared:
		return refuse(sentenceNoActions), nil
	case r.Asker.ID != a.By.ID:
		return refuse(sentenceAskerAsks), nil
	case r.Removed != nil:
		return Reply{}, session.ErrRemoved
	case r.Correction != nil:
		return Reply{}, session.ErrCorrected
	case r.State != session.Done:
		return Reply{}, session.ErrUnfinished
	}
	standing, err := s.Owners.OwnerStanding(ctx, r.Turn)
	if err != nil {
		return Reply{}, err
	}
	if standing.Asked {
		return Reply{Sentence: sentenceAskedAlready, Duplicate: true}, nil
	}
	pages, err := s.nearest(ctx, r.Turn)
	if err != nil {
		return Reply{}, err
	}
	audience, err := s.Answerer.Present(ctx, r.Turn)
	if err != nil {
		s.Logger.WarnContext(ctx, "owner not asked: the audience is unknown", "turn", r.ID, "error", err)
		return refuse(sentenceUnknownListener), nil
	}
	offer, found, err := s.Owners.Nearest(ctx, r.Turn, audience, pages)
	switch {
	case err != nil:
		s.Logger.WarnContext(ctx, "owner not asked: who may be asked is unknown", "turn", r.ID, "error", err)
		return refuse(sentenceUnknownListener), nil
	case !found || !offer.Askable():
		return refuse(sentenceNotAskable), nil
	}
	first, err := s.Owners.ClaimOwner(ctx, r.Turn, offer.Account.ID)
	if err != nil {
		return Reply{}, err
	}
	if !first {
		return Reply{Sentence: sentenceAskedAlready, Duplicate: true}, nil
	}
	return Reply{Sentence: fmt.Sprintf(sentenceAsked, offer.Called()), Post: &chat.Notice{
		To: a.Message, Subject: string(r.ID), Mention: offer.Account.ID,
		Text: fmt.Sprintf(noticeAsked, owner.Called(r.Asker.Called()), owner.Called(offer.Page.Title), shortened(r.Question.Text)),
	}}, nil
}

// nearest returns the documents closest to an unanswered question: those that the answer named, or
// else those that the search found. It returns nil if documents answered the question.
func (s *Service) nearest(ctx context.Context, t session.Turn) ([]document.Ref, error) {
	saved, err := s.Store.Saved(ctx, t)
	if err != nil || len(saved.Runs) == 0 {
		return nil, err
	}
	run := saved.Runs[0]
	if !owner.Unanswered(run.Ending.Outcome, run.Ending.Grounding) {
		return nil, nil
	}
	if len(run.Ending.Closest) > 0 {
		return run.Ending.Closest, nil
	}
	answer, _ := run.Answer()
	return turn.Documents(answer.Documents), nil
}

func shortened(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > maxAsked {
		text = string(r[:maxAsked-1]) + "…"
	}
	return text
}

// Unposted returns the reply to a person whose message to the owner of a page ([Reply].Post) was
// not posted. The person can then ask the owner again, unless cause is [thread.ErrOutcomeUnknown].
// The turn of the question has the id in of.
func (s *Service) Unposted(ctx context.Context, a Request, of session.TurnID, cause error) (reply Reply, err error) {
	s.Logger.WarnContext(ctx, "the owner of a page was not asked", "turn", of, "error", cause)
	if errors.Is(cause, thread.ErrOutcomeUnknown) {
		return Reply{Sentence: sentenceMaybeAsked, Turn: of}, nil
	}
	r, err := s.Store.Find(ctx, session.Target{Tenant: a.Tenant, Ref: a.Ref, Turn: of})
	if err == nil {
		err = s.Owners.ReleaseOwner(ctx, r.Turn)
	}
	if err != nil {
		return Reply{}, fmt.Errorf("take back that an owner was asked: %w", err)
	}
	reply = refuse(sentenceNotAsked)
	reply.Turn = of
	return reply, nil
}
