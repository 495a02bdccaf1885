package answer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
)

// completeLimit limits the time for loading the files and the author's name of a question. Then the
// question is answered without the missing parts.
const completeLimit = 20 * time.Second

const declinedPerson = "The person may not ask here."

// admitAsker checks whether the asker may ask, if this was unknown when the question was stored. It
// uses the current permissions, and ends the turn if the asker may not ask. It counts an accepted
// question against the quotas. ended reports whether the turn has ended.
func (s *Service) admitAsker(ctx context.Context, a *attempt) (ended bool, err error) {
	t := a.turn
	if t.Pending == nil || !t.Pending.Unsettled {
		return false, nil
	}
	place := session.PlaceOf(t.Session.Ref)
	limited, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	rules, err := policy.In(limited, s.Policies, t.Session.Tenant, place)
	if err != nil {
		return false, err
	}
	holds, err := s.Present(limited, t.ForAsker())
	if errors.Is(err, access.ErrPending) {
		holds, err = s.awaitAudience(ctx, t.ForAsker())
	}
	if err != nil {
		holds = access.NewAudience(t.Session.Tenant)
	}
	if !rules.MayAsk(holds) {
		return true, s.refuseAsker(ctx, a)
	}
	var until time.Time
	err = s.persist(ctx, func(ctx context.Context) (err error) {
		until, err = s.Store.Settle(ctx, t.Fence(), rules.Counters(place, t.Asker.ID, holds))
		if errors.Is(err, session.ErrFinished) {
			return nil
		}
		return err
	})
	if err != nil {
		return false, fmt.Errorf("count a question against its quotas: %w", err)
	}
	s.mu.Lock() // pollStops reads it
	defer s.mu.Unlock()
	a.turn.LimitedUntil = until
	return false, nil
}

// refuseAsker ends a turn whose asker may not ask. The asker gets a message only if the question
// was addressed to the bot.
func (s *Service) refuseAsker(ctx context.Context, a *attempt) error {
	t := a.turn
	d := policy.Admit(policy.Decision{Action: policy.Answer, Ambient: t.Ambient, Dialogue: !addressed(policy.Reason(t.Reason)), Private: t.Session.Owner != ""}, policy.State{})
	if s.Surfaces.Features(t.Session.Ref).Whispers && d.Action == policy.Refuse {
		if err := s.Surfaces.Whisper(ctx, t, chat.Note{Sentence: d.Sentence()}); err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "the notice that a person may not ask was not posted", "turn", t.ID, "error", err)
		}
	}
	if d.Action == policy.Refuse {
		s.Refused(ctx, session.Refusal{
			Tenant: t.Session.Tenant, Ref: t.Session.Ref, Key: questionKey(t.Session.Ref, t.Message, string(t.ID)), Person: t.Asker.ID, Direct: t.Direct,
			Reason: string(d.Reason),
		})
	}
	return s.decline(ctx, a, session.Saved{Sentence: declinedPerson})
}

func (s *Service) limited(ctx context.Context, t session.Turn) session.Saved {
	limited, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	place := session.PlaceOf(t.Session.Ref)
	rules, err := policy.In(limited, s.Policies, t.Session.Tenant, place)
	if err != nil {
		s.Logger.WarnContext(ctx, "the sentence about a quota does not name it", "turn", t.ID, "error", err)
	}
	holds := access.NewAudience(t.Session.Tenant)
	if rules.CountsRoles() {
		if known, err := s.Present(limited, t.ForAsker()); err == nil {
			holds = known
		}
	}
	quotas := rules.Counters(place, t.Asker.ID, holds)
	return outcomeOf(session.Limited, policy.SayLimited(limited, s.Store, t.Session.Tenant, quotas, t.LimitedUntil))
}

// limitAsker tells the asker privately that a quota is exhausted, unless the reply to a command has
// already said so. It reports whether the asker knows. It returns false if no quota is exhausted or
// no private message can be sent.
func (s *Service) limitAsker(ctx context.Context, a *attempt) bool {
	t := a.turn
	if !s.Surfaces.Features(t.Session.Ref).Whispers || t.LimitedUntil.IsZero() {
		return false
	}
	if t.Reply != nil && (t.Pending == nil || !t.Pending.Unsettled) {
		return true
	}
	err := s.Surfaces.Whisper(ctx, t, chat.Note{Sentence: s.limited(ctx, t).Sentence, At: t.LimitedUntil})
	if err != nil && ctx.Err() == nil {
		s.Logger.WarnContext(ctx, "quota not reported privately; the thread shows it", "turn", t.ID, "error", err)
	}
	return err == nil
}

func addressed(r policy.Reason) bool {
	return r == "mention" || r == "direct_message" || r == "command" || r == ""
}

// completeTurn loads the audience of a turn and the missing parts of its question, concurrently. It
// stores the parts before it returns, so that other attempts and later turns use the same parts.
// unknown is a sentence if the audience is unknown. empty reports that the message has no question.
func (s *Service) completeTurn(ctx context.Context, t session.Turn) (whole session.Turn, unknown string, empty bool, err error) {
	if t.Pending == nil || len(t.Pending.Ask) == 0 {
		t.Audience, unknown = s.listeners(ctx, t)
		return t, unknown, false, nil
	}
	asked := t // a copy that is not modified below
	var found session.Completion
	var asking sync.WaitGroup
	asking.Go(func() {
		defer s.guard(ctx, "complete", &err)
		limited, cancel := context.WithTimeout(ctx, completeLimit)
		defer cancel()
		found = s.Surfaces.Complete(limited, asked)
	})
	t.Audience, unknown = s.listeners(ctx, t)
	asking.Wait()
	// a stopped turn does not wait for the store
	if err != nil || found.Empty || ctx.Err() != nil {
		return t, unknown, found.Empty, err
	}
	found.Audience = t.Audience
	err = s.persist(ctx, func(ctx context.Context) error {
		err := s.Store.Complete(ctx, t.Fence(), found)
		// permanent; the end of the attempt handles it
		if errors.Is(err, session.ErrFinished) {
			return nil
		}
		return err
	})
	if err != nil {
		return t, unknown, false, fmt.Errorf("store what the platform said of a question: %w", err)
	}
	t.Pending = nil
	t.Question.Files = append(append([]message.File{}, t.Question.Files...), found.Files...)
	if t.Asker.Name == "" {
		t.Asker.Name, t.Question.Author = found.Name, found.Name
	}
	return t, unknown, false, nil
}
