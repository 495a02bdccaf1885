package answer

import (
	"context"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Refused records a refused question in the audit trail. If the store fails, the error is logged,
// and the question is still refused.
func (s *Service) Refused(ctx context.Context, r session.Refusal) {
	if r.Person == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	if err := s.Store.Refused(ctx, r); err != nil {
		s.Logger.ErrorContext(ctx, "a refusal is not in the audit trail", "platform", r.Ref.Platform, "channel", r.Ref.Channel, "reason", r.Reason, "error", err)
	}
}

func (s *Service) auditJudged(ctx context.Context, o Occurrence, d policy.Decision) {
	if d.Action != policy.Refuse {
		return
	}
	s.Refused(ctx, session.Refusal{
		Tenant: o.Tenant, Ref: o.Ref, Key: questionKey(o.Ref, o.Message, o.EventKey), Person: o.Author, Direct: o.Direct, Reason: string(d.Reason),
	})
}

func (s *Service) auditRejected(ctx context.Context, m thread.Mention, err error) {
	reason := policy.ReasonOf(err)
	if reason == "" {
		return
	}
	s.Refused(ctx, session.Refusal{
		Tenant: m.Tenant, Ref: m.Ref, Key: questionKey(m.Ref, m.Message, m.EventKey), Person: m.Asker.ID, Direct: m.Direct, Reason: string(reason),
	})
}

// questionKey returns the id of the message, because several events may report the same message.
// Without a message it returns the id of the event.
func questionKey(at thread.Ref, id thread.MessageID, event string) string {
	if id == "" {
		return event
	}
	return session.MessageKey(at, id)
}
