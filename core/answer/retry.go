package answer

import (
	"context"

	"github.com/footnotehq/footnote/core/session"
)

// retry has a question answered anew: a new turn with the old one's place in the conversation, which takes its messages over and edits
// them. So there is one answer to be seen at any time, and the old outcome stays in the record.
func (s *Service) retry(ctx context.Context, a Action, r session.Record) (Reply, error) {
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
	refusal, quotas, err := s.admit(ctx, a, r.Turn, r.Session.Owner != "")
	if err != nil {
		return Reply{}, err
	}
	if refusal != "" {
		return refuse(refusal), nil
	}
	made, err := s.derive(ctx, session.Derive{
		Tenant: a.Tenant, Of: r.ID, As: session.Retried, Key: a.key(), By: a.By.ID, Audience: r.Audience, Reply: a.Reply, Quotas: quotas,
	})
	if err != nil {
		return Reply{}, err
	}
	s.nudge()
	reply := Reply{Sentence: sentenceRetrying, Turn: made.Turn.ID, Duplicate: made.Duplicate}
	if notice := SayQueued(made.Ahead); notice != "" && !made.Duplicate {
		reply.Sentence = notice
	}
	return reply, nil
}
