package action

import (
	"context"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// retry answers a question again and replaces the old answer. [thread.ActionDeeper] requests a deep
// search, and [thread.ActionReport] a report from the findings of a stopped deep search. If the
// channel now requires private answers, the new answer is private and the old one stays.
func (s *Service) retry(ctx context.Context, a Request, r session.Record) (Reply, error) {
	switch {
	case r.Session.Owner != "" && a.By.ID != r.Session.Owner, r.Asker.ID != a.By.ID && !a.Moderator:
		return refuse(sentenceOwnAnswer), nil
	case r.Removed != nil:
		return Reply{}, session.ErrRemoved
	case r.Correction != nil:
		return Reply{}, session.ErrCorrected
	case r.Origin.As == session.Shared:
		return refuse(sentenceCopyNotTried), nil
	case r.Outcome.Silent():
		return refuse(sentenceCannotRetry), nil
	}
	d, quotas, err := s.admit(ctx, a, r.Turn, r.Session.Owner != "")
	switch {
	case err != nil:
		return Reply{}, err
	case d.Action == policy.Refuse:
		return refuse(d.Sentence()), nil
	case d.Private && r.Turn.Public():
		// the channel has switched to private answers; the existing one stays
		return s.answerPrivately(ctx, a, r)
	}
	text := "" // the same
	if a.Do == thread.ActionDeeper {
		text = policy.Deepen(r.Question.Text)
	}
	made, err := s.deriveTurn(ctx, session.Derive{
		Tenant: a.Tenant, Of: r.ID, As: session.Retried, Findings: a.Do == thread.ActionReport, Key: a.key(), By: a.By.ID, Audience: r.Audience, Text: text, Reply: a.Reply, Quotas: quotas,
	})
	if err != nil {
		return Reply{}, err
	}
	s.Answerer.Wake()
	reply := Reply{Sentence: sentenceRetrying, Turn: made.Turn.ID, Duplicate: made.Duplicate}
	if notice := policy.SayQueued(made.Ahead); notice != "" && !made.Duplicate {
		reply.Sentence = notice
	}
	return reply, nil
}
