package action

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Edited answers an edited question again and replaces the old answer. It does nothing if the
// message is not a question, its text is empty or unchanged, or answering is disabled or paused.
//
// A [policy.Rejection] means that the old answer stays. Its text is for the person who edited.
func (s *Service) Edited(ctx context.Context, e session.Edit) (changed session.Changed, err error) {
	defer s.recoverPanic(ctx, "edit", &err)
	defer func() { s.auditEdit(ctx, e, err) }()
	if strings.TrimSpace(e.Text) == "" { // only files: platforms report their previews as edits
		return session.Changed{Same: true}, nil
	}
	if e.Text, err = policy.CheckQuestion(e.Text, s.MaxQuestion); err != nil {
		return changed, err
	}
	rules, err := policy.In(ctx, s.Policies, e.Tenant, session.PlaceOf(e.Ref))
	if err != nil {
		return changed, err
	}
	if !rules.Enabled || rules.Paused { // the old answer stays
		return session.Changed{Same: true}, nil
	}
	if err = s.admitEdit(ctx, &e, rules.Policy); err != nil {
		return changed, err
	}
	if changed, err = s.Store.Edit(ctx, e); err != nil {
		return changed, fmt.Errorf("change a question: %w", err)
	}
	if !changed.LimitedUntil.IsZero() {
		return changed, policy.Rejection{Sentence: policy.SayLimited(ctx, s.Store, e.Tenant, e.Quotas, changed.LimitedUntil), Reason: policy.RefusedLimited}
	}
	s.signalChange(ctx, changed)
	return changed, nil
}

const sentencePrivateNow = "By now answers in this channel are for whoever asks alone, so the edited question is not answered here. Ask it again."

func (s *Service) admitEdit(ctx context.Context, e *session.Edit, p policy.Policy) error {
	if len(p.Quotas) == 0 && p.Private != policy.PrivateAlways {
		return nil
	}
	t, err := s.Store.TurnOf(ctx, e.Tenant, e.Ref, e.Message)
	if errors.Is(err, session.ErrUnknownTurn) || err == nil && t.Message != e.Message { // no question
		return nil
	}
	if err != nil {
		return err
	}
	if p.Private == policy.PrivateAlways && t.Public() && !t.Ambient {
		return policy.Rejection{Sentence: sentencePrivateNow, Reason: policy.RefusedPrivateNow}
	}
	holds := access.NewAudience(e.Tenant)
	if p.CountsRoles() {
		if known, err := s.Answerer.Present(ctx, t.ForAsker()); err == nil {
			holds = known
		}
	}
	e.Quotas = p.Counters(session.PlaceOf(e.Ref), t.Asker.ID, holds)
	return nil
}

// Deleted ends the turn of a deleted question, and erases the question and its answers from the
// store. A visible answer gets a note that the question was deleted. A question that arrives up to
// [session.TombstoneAge] after its deletion is not answered.
func (s *Service) Deleted(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (changed session.Changed, err error) {
	defer s.recoverPanic(ctx, "delete", &err)
	if changed, err = s.Store.Withdraw(ctx, tenant, at, id, session.SentenceWithdrawn); err != nil {
		return changed, fmt.Errorf("withdraw a question: %w", err)
	}
	if changed.Turn == "" {
		erased, err := s.erase(ctx, tenant, at, id)
		if err != nil || erased {
			return changed, err
		}
		// The deletion may have arrived before the question. Or the message is a page of an answer,
		// and deleting it stops the turn.
		_, err = s.Answerer.StopAs(ctx, session.StopRequest{Tenant: tenant, Ref: at, Message: id, By: session.Stopper{Privileged: true}}, nil)
		return changed, err
	}
	s.signalChange(ctx, changed)
	return changed, nil
}

// AnswerDeleted erases a stored answer after a person deleted one of its messages on the platform.
// It stops a running turn, and the answer is not posted again. It does nothing if the message does
// not belong to an answer, or if the bot deleted the message.
func (s *Service) AnswerDeleted(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (err error) {
	defer s.recoverPanic(ctx, "delete an answer", &err)
	_, err = s.erase(ctx, tenant, at, id)
	return err
}

func (s *Service) erase(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (bool, error) {
	erased, running, err := s.Store.Erase(ctx, tenant, at, id)
	if err != nil {
		return false, fmt.Errorf("erase an answer: %w", err)
	}
	if erased {
		s.stopTurns(ctx, running)
		s.Logger.InfoContext(ctx, "an answer was deleted on the platform, and is erased", "platform", at.Platform, "channel", at.Channel)
	}
	return erased, nil
}

func (s *Service) stopTurns(ctx context.Context, running []session.TurnID) {
	for _, id := range running {
		// Polling finds a lost signal, and text written meanwhile is discarded.
		if err := s.Signal.Raise(ctx, id); err != nil {
			s.Logger.WarnContext(ctx, "stop signal not sent", "turn", id, "error", err)
		}
	}
	s.Answerer.Wake()
}

func (s *Service) signalChange(ctx context.Context, c session.Changed) {
	if c.Stop {
		if err := s.Signal.Raise(ctx, c.Turn); err != nil { // found by polling
			s.Logger.WarnContext(ctx, "stop signal not sent", "turn", c.Turn, "error", err)
		}
	}
	if c.Turn != "" {
		s.Answerer.Wake()
	}
}
