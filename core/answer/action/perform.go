package action

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

// Perform performs the action that a person requested, and returns a reply for that person. A
// refusal is also a [Reply]. After an error, the caller may retry with the same Key.
//
// Permissions by action:
//   - up, down: anyone who sees the answer, for a private answer its owner. A person has one vote
//     and may change it.
//   - retry: the asker and moderators, once the turn has ended. The new answer replaces the old
//     one, which stays in the record.
//   - start, plain (decisions about a deep search that waits for a person): those who may stop the
//     turn.
//   - stop: the asker, the person who began the thread, moderators (session.MayStop), and people
//     named by the channel's setting "stoppers".
//   - private: the asker of a public question.
//   - owner: the asker.
//   - share, keep: the owner of a private answer. Share requires that everyone in the channel may
//     read all documents behind the answer.
//   - remove: moderators, for a private answer only its owner.
//   - correct: moderators, but never for another person's private answer.
//   - why, follow, unfollow: anyone who sees the answer, for a private answer its owner.
func (s *Service) Perform(ctx context.Context, a Request) (reply Reply, err error) {
	defer s.recoverPanic(ctx, "act", &err)
	if a.Key == "" || a.By.ID == "" || a.Tenant == "" {
		return Reply{}, fmt.Errorf("%s an answer: %w: it needs a key, a person and a tenant", a.Do, session.ErrInvalid)
	}
	reply, err = s.perform(ctx, a)
	if err != nil {
		return Reply{}, fmt.Errorf("%s an answer: %w", a.Do, err)
	}
	s.countAction(a, reply)
	return reply, nil
}

func (s *Service) perform(ctx context.Context, a Request) (Reply, error) {
	switch a.Do {
	case thread.ActionStop:
		return s.stop(ctx, a)
	case thread.ActionFollow, thread.ActionUnfollow:
		return s.follow(ctx, a)
	default: // about one answer
	}
	r, err := s.findTurn(ctx, a)
	if errors.Is(err, session.ErrUnknownTurn) || err == nil && !a.maySee(r) {
		return refuse(sentenceNoAnswer), nil
	}
	if err != nil {
		return Reply{}, err
	}
	reply, err := s.performOn(ctx, a, r)
	var full *session.QuotaError
	switch {
	case errors.As(err, &full):
		s.auditAction(ctx, a, r.Turn, policy.RefusedLimited)
		return refuse(policy.SayLimited(ctx, s.Store, a.Tenant, full.Quotas, full.Until)), nil
	case errors.Is(err, session.ErrUnknownTurn):
		return refuse(sentenceNoAnswer), nil
	case errors.Is(err, session.ErrRemoved):
		return refuse(sentenceRemovedAlready), nil
	case errors.Is(err, session.ErrUnfinished):
		return refuse(sentenceUnfinished), nil
	case errors.Is(err, session.ErrCorrected):
		return refuse(sentenceCorrectedAlready), nil
	}
	if reply.Turn == "" {
		reply.Turn = r.ID
	}
	return reply, err
}

const (
	// deliveryWait is the maximum time that a button press waits until a visible answer is recorded
	// as delivered. Platforms allow 3 seconds for a press.
	deliveryWait = 1500 * time.Millisecond
	deliveryPoll = 50 * time.Millisecond
)

// findTurn returns the turn to which a request refers. If the answer is still being delivered,
// findTurn first waits up to deliveryWait for the end of the delivery.
func (s *Service) findTurn(ctx context.Context, a Request) (session.Record, error) {
	waited, cancel := context.WithTimeout(ctx, deliveryWait)
	defer cancel()
	for {
		r, err := s.Store.Find(ctx, session.Target{Tenant: a.Tenant, Ref: a.Ref, Turn: a.Turn, Message: a.Message})
		if err != nil || r.State != session.Delivering {
			return r, err
		}
		if sleep.For(waited, deliveryPoll) != nil {
			return r, nil
		}
	}
}

func (s *Service) performOn(ctx context.Context, a Request, r session.Record) (Reply, error) {
	switch a.Do {
	case thread.ActionUp, thread.ActionDown:
		return s.vote(ctx, a, r)
	case thread.ActionRetry, thread.ActionDeeper, thread.ActionReport:
		return s.retry(ctx, a, r)
	case thread.ActionStart:
		return s.chooseDeep(ctx, a, r, deepsearch.Start)
	case thread.ActionPlain:
		return s.chooseDeep(ctx, a, r, deepsearch.Plainly)
	case thread.ActionPrivate:
		return s.answerPrivately(ctx, a, r)
	case thread.ActionShare:
		return s.share(ctx, a, r)
	case thread.ActionKeep:
		return s.keepPrivate(ctx, a, r)
	case thread.ActionRemove:
		return s.removeAnswer(ctx, a, r)
	case thread.ActionCorrect:
		return s.correct(ctx, a, r)
	case thread.ActionOwner:
		return s.askOwner(ctx, a, r)
	case thread.ActionWhy:
		return s.explain(ctx, r)
	default: // a button of a newer version
		return refuse(sentenceNoActions), nil
	}
}

// maySee reports whether the person who acts may know that the turn exists. A private turn is
// visible only to its owner, and any other turn to everyone in its channel. To request a private
// answer, the asker may act from any channel of the platform.
func (a Request) maySee(r session.Record) bool {
	switch own := r.Session.Ref.Platform == a.Ref.Platform && r.Asker.ID == a.By.ID; {
	case r.Session.Owner != "":
		return own && r.Session.Owner == a.By.ID
	case a.Do == thread.ActionPrivate && own:
		return true
	}
	ref := r.Session.Ref
	return ref.Platform == a.Ref.Platform && ref.Workspace == a.Ref.Workspace && ref.Channel == a.Ref.Channel
}

func refuse(sentence string) Reply { return Reply{Sentence: sentence, Refused: true} }

func (s *Service) stop(ctx context.Context, a Request) (Reply, error) {
	r := session.StopRequest{Tenant: a.Tenant, Ref: a.Ref, Message: a.Message, By: session.Stopper{ID: a.By.ID, Privileged: a.Moderator}}
	result, err := s.Answerer.StopAs(ctx, r, a.Holds)
	switch {
	case err != nil:
		return Reply{}, err
	case len(result.Turns) > 0:
		return Reply{Sentence: sentenceStopping, Turn: result.Turns[0]}, nil
	case result.Denied:
		return refuse(policy.SayDenied()), nil
	default:
		return Reply{Sentence: sentenceNothingRuns, Duplicate: true}, nil
	}
}

func (s *Service) chooseDeep(ctx context.Context, a Request, r session.Record, choice deepsearch.Choice) (Reply, error) {
	in := deepsearch.Instruction{Choice: choice, Of: r.ID}
	at := session.StopRequest{Tenant: a.Tenant, Ref: r.Session.Ref, By: session.Stopper{ID: a.By.ID, Privileged: a.Moderator}}
	became, err := s.Answerer.Steer(ctx, at, in, a.Holds)
	switch {
	case err != nil:
		return Reply{}, err
	case became.Became == deepsearch.Changed:
		return Reply{Turn: r.ID}, nil
	case became.Became == deepsearch.NoSearch:
		became.Became = deepsearch.Decided
	}
	return refuse(became.Sentence(in)), nil
}

func (s *Service) follow(ctx context.Context, a Request) (Reply, error) {
	known, err := s.Store.Thread(ctx, a.Tenant, a.Ref)
	if err != nil {
		return Reply{}, err
	}
	switch {
	case !known.Known:
		return refuse(sentenceNotHere), nil
	case a.Do == thread.ActionUnfollow:
		return Reply{Sentence: sentenceUnfollowed, Duplicate: known.Unfollowed}, s.Store.Unfollow(ctx, a.Tenant, a.Ref, a.By.ID)
	default:
		return Reply{Sentence: sentenceFollowed, Duplicate: !known.Unfollowed}, s.Store.Follow(ctx, a.Tenant, a.Ref, a.By.ID)
	}
}

func (s *Service) explain(ctx context.Context, r session.Record) (Reply, error) {
	var saved session.Saved
	if r.Outcome != "" {
		var err error
		if saved, err = s.Store.Saved(ctx, r.Turn); err != nil && !errors.Is(err, session.ErrUnknownTurn) {
			return Reply{}, err
		}
	}
	return Reply{Sentence: command.Why(r, saved)}, nil
}
