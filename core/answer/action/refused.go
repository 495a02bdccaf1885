package action

import (
	"context"
	"errors"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
)

// auditEdit records in the audit trail that an edit was refused. People edit repeatedly, so it
// records each reason only once per question.
func (s *Service) auditEdit(ctx context.Context, e session.Edit, err error) {
	reason := policy.ReasonOf(err)
	if reason == "" {
		return
	}
	t, err := s.Store.TurnOf(ctx, e.Tenant, e.Ref, e.Message)
	switch {
	case errors.Is(err, session.ErrUnknownTurn), err == nil && t.Message != e.Message:
		// it was not a question before either
		return
	case err != nil:
		s.Logger.ErrorContext(ctx, "a refused edit is not in the audit trail", "platform", e.Ref.Platform, "channel", e.Ref.Channel, "reason", reason, "error", err)
		return
	}
	s.Answerer.Refused(ctx, session.Refusal{
		Tenant: e.Tenant, Ref: t.Session.Ref, Key: "edit " + session.MessageKey(e.Ref, e.Message) + " " + string(reason), Person: t.Asker.ID, Direct: t.Direct,
		Reason: string(reason),
	})
}

func (s *Service) auditAction(ctx context.Context, a Request, t session.Turn, reason policy.Reason) {
	s.Answerer.Refused(ctx, session.Refusal{Tenant: a.Tenant, Ref: t.Session.Ref, Key: a.Key, Person: a.By.ID, Direct: t.Direct, Reason: string(reason)})
}
