package answer

import (
	"context"
	"errors"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// What was wrong with a question that is not taken in, beside the reasons of decisions. The audit trail keeps these codes.
const (
	refusedTooLong    Reason = "too_long"
	refusedLimited    Reason = "limited"
	refusedPrivateNow Reason = "private_now"
	// RefusedForeign is said of an event of a workspace that the bot does not serve.
	RefusedForeign Reason = "foreign_workspace"
)

// Refused keeps in the audit trail that something was asked and not taken in. It is done beside the refusal, which holds all the same when
// the store does not answer; then the log tells of it.
func (s *Service) Refused(ctx context.Context, r session.Refusal) {
	if s.Store.Refusals == nil || r.Person == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	if err := s.Store.Refusals.Refused(ctx, r); err != nil {
		s.Logger.ErrorContext(ctx, "a refusal is not in the audit trail", "platform", r.Ref.Platform, "channel", r.Ref.Channel, "reason", r.Reason, "error", err)
	}
}

// judgedRefused is Refused of what Judge decided.
func (s *Service) judgedRefused(ctx context.Context, o Occurrence, d Decision) {
	if d.Action != Refuse {
		return
	}
	key := o.EventKey
	if o.Message != "" { // of which several events tell
		key = messageKey(o.Ref, o.Message)
	}
	s.Refused(ctx, session.Refusal{Tenant: o.Tenant, Ref: o.Ref, Key: key, Person: o.Author, Direct: o.Direct, Reason: string(d.Reason)})
}

// takenRefused is Refused of a question that was rejected when it was to be taken in.
func (s *Service) takenRefused(ctx context.Context, m thread.Mention, err error) {
	var r Rejection
	if !errors.As(err, &r) || r.reason == "" {
		return
	}
	key := m.EventKey
	if m.Message != "" {
		key = messageKey(m.Ref, m.Message)
	}
	s.Refused(ctx, session.Refusal{Tenant: m.Tenant, Ref: m.Ref, Key: key, Person: m.Asker.ID, Direct: m.Direct, Reason: string(r.reason)})
}

// editRefused is Refused of an edit: once for each reason, since people edit a message again and again.
func (s *Service) editRefused(ctx context.Context, e session.Edit, err error) {
	var r Rejection
	if !errors.As(err, &r) || r.reason == "" || s.Store.Turns == nil {
		return
	}
	t, err := s.Store.Turns.TurnOf(ctx, e.Tenant, e.Ref, e.Message)
	switch {
	case errors.Is(err, session.ErrUnknownTurn), err == nil && t.Message != e.Message: // it was no question before either
		return
	case err != nil:
		s.Logger.ErrorContext(ctx, "a refused edit is not in the audit trail", "platform", e.Ref.Platform, "channel", e.Ref.Channel, "reason", r.reason, "error", err)
		return
	}
	s.Refused(ctx, session.Refusal{
		Tenant: e.Tenant, Ref: t.Session.Ref, Key: "edit " + messageKey(e.Ref, e.Message) + " " + string(r.reason), Person: t.Asker.ID, Direct: t.Direct,
		Reason: string(r.reason),
	})
}

// actRefused is Refused of an answer that somebody asked for once more.
func (s *Service) actRefused(ctx context.Context, a Action, t session.Turn, reason Reason) {
	s.Refused(ctx, session.Refusal{Tenant: a.Tenant, Ref: t.Session.Ref, Key: a.Key, Person: a.By.ID, Direct: t.Direct, Reason: string(reason)})
}

// messageKey names a message within its workspace.
func messageKey(at thread.Ref, id thread.MessageID) string {
	return "message " + at.Channel + " " + string(id)
}
