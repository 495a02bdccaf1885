package action

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// answerPrivately answers a channel's question again in the asker's private session of the thread.
// Later answers in the channel never use the private answer.
func (s *Service) answerPrivately(ctx context.Context, a Request, r session.Record) (Reply, error) {
	switch {
	case !r.Turn.Public():
		return refuse(sentenceAlreadyPrivate), nil
	case r.Asker.ID != a.By.ID:
		return refuse(sentenceAskerOnly), nil
	case r.Private != "":
		return Reply{Sentence: sentencePrivatelyTwice, Turn: r.Private, Duplicate: true}, nil
	}
	d, quotas, err := s.admit(ctx, a, r.Turn, true)
	if err != nil {
		return Reply{}, err
	}
	if d.Action == policy.Refuse {
		return refuse(d.Sentence()), nil
	}
	audience, err := s.Answerer.Present(ctx, r.Turn.ForAsker())
	if err != nil {
		s.Logger.WarnContext(ctx, "private answer not begun: what the asker may read is unknown", "turn", r.ID, "error", err)
		return refuse(sentenceUnknownListener), nil
	}
	made, err := s.deriveTurn(ctx, session.Derive{
		Tenant: a.Tenant, Of: r.ID, As: session.Privately, Key: a.key(), By: a.By.ID, Audience: audience, Reply: a.Reply, Quotas: quotas,
	})
	if err != nil {
		return Reply{}, err
	}
	s.Answerer.Wake()
	reply := Reply{Sentence: sentencePrivately, Turn: made.Turn.ID, Duplicate: made.Duplicate}
	if made.Duplicate {
		reply.Sentence = sentencePrivatelyTwice
	}
	return reply, nil
}

// share posts a copy of a private answer to its thread. It refuses unless everyone in the channel
// may read all documents on which the answer is based. This includes documents that were in the
// prompt but are not cited, and those behind earlier private answers.
func (s *Service) share(ctx context.Context, a Request, r session.Record) (Reply, error) {
	switch {
	case r.Session.Owner == "" && r.Direct:
		return refuse(sentenceNoThread), nil
	case r.Session.Owner == "":
		return refuse(sentenceNotPrivate), nil
	case r.Removed != nil:
		return Reply{}, session.ErrRemoved
	case r.State != session.Done:
		return Reply{}, session.ErrUnfinished
	case r.Shared != "":
		return Reply{Sentence: sentenceSharedAlready, Turn: r.Shared, Duplicate: true}, nil
	case r.Outcome != session.Answered:
		return refuse(sentenceNothingShared), nil
	}
	saved, err := s.Store.Saved(ctx, r.Turn)
	if err != nil {
		return Reply{}, err
	}
	channel, err := s.Answerer.Present(ctx, r.Turn.ForChannel())
	if err != nil {
		s.Logger.WarnContext(ctx, "answer not shared: the audience is unknown", "turn", r.ID, "error", err)
		return refuse(sentenceUnknownListener), nil
	}
	allowed, err := s.mayRead(ctx, channel, saved.RestsOn())
	if err != nil {
		return Reply{}, err
	}
	if !allowed {
		return refuse(sentenceRestricted), nil
	}
	if stands, err := s.isCurrent(ctx, a.Tenant, saved); err != nil || !stands {
		return refuse(sentenceTaken), err
	}
	made, err := s.deriveTurn(ctx, session.Derive{
		Tenant: a.Tenant, Of: r.ID, As: session.Shared, Key: a.key(), By: a.By.ID, Audience: channel, Saved: sharedCopy(saved, r, a.By),
	})
	if err != nil {
		return Reply{}, err
	}
	s.Answerer.Wake()
	return Reply{Sentence: sentenceShared, Turn: made.Turn.ID, Duplicate: made.Duplicate}, nil
}

// keepPrivate sends an ephemeral answer again as a permanent message.
func (s *Service) keepPrivate(ctx context.Context, a Request, r session.Record) (Reply, error) {
	if r.Session.Owner == "" {
		return refuse(sentenceNotPrivate), nil
	}
	reply := Reply{Sentence: sentenceKept, Duplicate: r.Kept}
	if a.Vanishing {
		reply.Sentence = sentenceKeptSent
	}
	if r.Kept {
		return reply, nil
	}
	if err := s.Store.Keep(ctx, a.Tenant, r.ID, a.key(), a.Vanishing); err != nil {
		return Reply{}, err
	}
	s.Answerer.Wake()
	return reply, nil
}

func (s *Service) mayRead(ctx context.Context, audience access.Audience, ids []document.ID) (bool, error) {
	if len(ids) == 0 {
		return true, nil
	}
	readable, err := s.Library.Readable(ctx, audience, ids)
	if err != nil {
		return false, fmt.Errorf("find out what the audience may read: %w", err)
	}
	for _, id := range ids {
		if !readable[id] {
			return false, nil
		}
	}
	return true, nil
}

// isCurrent reports whether each passage in the answer's prompts is still part of its document.
func (s *Service) isCurrent(ctx context.Context, tenant access.TenantID, saved session.Saved) (bool, error) {
	var shown []message.Reference
	for _, run := range saved.Runs {
		shown = append(shown, message.Shown(run.Messages)...)
	}
	if s.Quotes == nil || len(shown) == 0 {
		return true, nil
	}
	stands, err := s.Quotes.Standing(ctx, tenant, shown)
	if err != nil {
		return false, fmt.Errorf("find out what of the answer still stands: %w", err)
	}
	return !slices.Contains(stands, false), nil
}

// sharedCopy returns the copy of a private answer that is posted to the thread. It adds the name of
// the person who shares the answer, and the question if the thread lacks it. The copy has no record
// of the searches.
func sharedCopy(saved session.Saved, r session.Record, by thread.Person) session.Saved {
	best, _ := saved.Best()
	answer, found := best.Answer()
	if !found {
		return saved
	}
	best.Messages = []message.Message{answer}
	if r.Origin.As != session.Privately {
		best.Shown = blockQuote(r.Question.Text) + "\n\n" + best.Shown
	}
	best.Ending.Closest, best.Searches = nil, nil
	best.Ending.Notices = append(append([]string{}, best.Ending.Notices...), fmt.Sprintf(noticeShared, by.Called()))
	return session.Saved{Outcome: session.Answered, Sentence: saved.Sentence, Runs: []session.Run{best}}
}

func blockQuote(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")
}
