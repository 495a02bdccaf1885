package answer

import (
	"context"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Refused notes in the audit trail that something was asked and not taken in. When the store does
// not answer, the refusal holds all the same, and the log tells of it.
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

// judgedRefused notes a question that Judge decided to refuse.
func (s *Service) judgedRefused(ctx context.Context, o Occurrence, d policy.Decision) {
	if d.Action != policy.Refuse {
		return
	}
	s.Refused(ctx, session.Refusal{
		Tenant: o.Tenant, Ref: o.Ref, Key: questionKey(o.Ref, o.Message, o.EventKey), Person: o.Author, Direct: o.Direct, Reason: string(d.Reason),
	})
}

// takenRefused notes a question that was rejected with err when it was to be taken in.
func (s *Service) takenRefused(ctx context.Context, m thread.Mention, err error) {
	reason := policy.ReasonOf(err)
	if reason == "" {
		return
	}
	s.Refused(ctx, session.Refusal{
		Tenant: m.Tenant, Ref: m.Ref, Key: questionKey(m.Ref, m.Message, m.EventKey), Person: m.Asker.ID, Direct: m.Direct, Reason: string(reason),
	})
}

// questionKey names a question within its workspace: by its message, of which several events may
// tell, or by its event where it is no message.
func questionKey(at thread.Ref, id thread.MessageID, event string) string {
	if id == "" {
		return event
	}
	return session.MessageKey(at, id)
}
