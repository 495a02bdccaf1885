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

// Edited has a question answered again in place: its messages are edited, what was answered before
// is kept as Superseded. A message that is no question, and an edit that leaves no text or the text
// as it was (a preview appeared), change nothing. When it returns, the change is recorded and no
// turn that it is meant for can miss it. A Rejection is a sentence for the person, and the old
// answer stays.
func (s *Service) Edited(ctx context.Context, e session.Edit) (changed session.Changed, err error) {
	defer s.recovered(ctx, "edit", &err)
	defer func() { s.editRefused(ctx, e, err) }()
	if strings.TrimSpace(e.Text) == "" { // of files alone, whose previews platforms tell of as edits
		return session.Changed{Same: true}, nil
	}
	if e.Text, err = policy.CheckQuestion(e.Text, s.MaxQuestion); err != nil {
		return changed, err
	}
	rules, err := policy.In(ctx, s.Policies, e.Tenant, session.PlaceOf(e.Ref))
	if err != nil {
		return changed, err
	}
	if !rules.Enabled || rules.Paused { // the answer that was given stays
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

// sentencePrivateNow is said about an edit whose answer everybody would see, where all answers have
// become private since.
const sentencePrivateNow = "By now answers in this channel are for whoever asks alone, so the edited question is not answered here. Ask it again."

// admitEdit decides about an edit by what holds at this moment, as about a new question, and fills
// in the quotas that it counts against. What an edit does not tell, who asked and what that person
// holds, is looked up.
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

// Deleted ends the turn of a question that was deleted: one that waits or runs is cancelled, an
// answer that was given is marked, and what is kept of the question and its answers is erased
// (session.Store). A message that is not known yet is born stopped if it arrives within
// session.TombstoneAge.
func (s *Service) Deleted(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (changed session.Changed, err error) {
	defer s.recovered(ctx, "delete", &err)
	if changed, err = s.Store.Withdraw(ctx, tenant, at, id, session.SentenceWithdrawn); err != nil {
		return changed, fmt.Errorf("withdraw a question: %w", err)
	}
	if changed.Turn == "" {
		erased, err := s.erase(ctx, tenant, at, id)
		if err != nil || erased {
			return changed, err
		}
		// The deletion may have overtaken the question; or the message is a page of an answer,
		// which ends its turn as any stop does.
		_, err = s.Answerer.StopAs(ctx, session.StopRequest{Tenant: tenant, Ref: at, Message: id, By: session.Stopper{Privileged: true}}, nil)
		return changed, err
	}
	s.signalChange(ctx, changed)
	return changed, nil
}

// AnswerDeleted erases what is kept of an answer when a person deleted a message of it on the
// platform. One that is being written is stopped, and not posted again. The bot's own deletions,
// and those of other messages, change nothing.
func (s *Service) AnswerDeleted(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (err error) {
	defer s.recovered(ctx, "delete an answer", &err)
	_, err = s.erase(ctx, tenant, at, id)
	return err
}

func (s *Service) erase(ctx context.Context, tenant access.TenantID, at thread.Ref, id thread.MessageID) (bool, error) {
	erased, running, err := s.Store.Erase(ctx, tenant, at, id)
	if err != nil {
		return false, fmt.Errorf("erase an answer: %w", err)
	}
	if erased {
		s.halt(ctx, running)
		s.Logger.InfoContext(ctx, "an answer was deleted on the platform, and is erased", "platform", at.Platform, "channel", at.Channel)
	}
	return erased, nil
}

// halt stops turns whose answers were removed.
func (s *Service) halt(ctx context.Context, running []session.TurnID) {
	for _, id := range running {
		// A signal that is lost is found by polling, and what is written meanwhile is not kept.
		if err := s.Signal.Raise(ctx, id); err != nil {
			s.Logger.WarnContext(ctx, "stop signal not sent", "turn", id, "error", err)
		}
	}
	s.Answerer.Wake()
}

// signalChange wakes whoever has to act on a changed turn: the worker that runs it, and workers
// that look for work.
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
