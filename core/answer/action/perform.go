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

// Perform does what a person asks for and returns what to tell that person. An error means that it
// was not taken in and may be tried again with the same Key; everything that the person has to know
// about, being refused included, is a Reply.
//
// Who may do what:
//   - up, down: whoever can see the answer; of a private one its owner. One vote each, which may be changed.
//   - retry: the asker and moderators, once the turn has ended. The new answer takes the place of the old one; the old one stays in the record.
//   - start, plain: those who may stop.
//   - stop: the asker, whoever began the thread, moderators (session.MayStop), and whom the channel's setting stoppers names.
//   - private: the asker of a question that a channel heard.
//   - owner: the asker.
//   - share, keep: the owner of a private answer; share only while everybody in the channel may read all that the answer rests on.
//
// - remove: moderators; of a private answer its owner alone. correct: moderators, never of another person's private answer.
//   - why, follow, unfollow: whoever can see the answer, of a private one its owner.
func (s *Service) Perform(ctx context.Context, a Request) (reply Reply, err error) {
	defer s.recovered(ctx, "act", &err)
	if a.Key == "" || a.By.ID == "" || a.Tenant == "" {
		return Reply{}, fmt.Errorf("%s an answer: %w: it needs a key, a person and a tenant", a.Do, session.ErrInvalid)
	}
	reply, err = s.perform(ctx, a)
	if err != nil {
		return Reply{}, fmt.Errorf("%s an answer: %w", a.Do, err)
	}
	s.count(a, reply)
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
	r, err := s.find(ctx, a)
	if errors.Is(err, session.ErrUnknownTurn) || err == nil && !a.sees(r) {
		return refuse(sentenceNoAnswer), nil
	}
	if err != nil {
		return Reply{}, err
	}
	reply, err := s.performOn(ctx, a, r)
	var full *session.QuotaError
	switch {
	case errors.As(err, &full):
		s.actRefused(ctx, a, r.Turn, policy.RefusedLimited)
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
	// landing is how long a press waits for an answer that stands there to be known as delivered:
	// less than the platforms wait for the press (3 s).
	landing      = 1500 * time.Millisecond
	landingCheck = 50 * time.Millisecond
)

// find looks up what is acted on. An answer whose buttons are on the screen may be a moment away
// from being known as delivered.
func (s *Service) find(ctx context.Context, a Request) (session.Record, error) {
	waited, cancel := context.WithTimeout(ctx, landing)
	defer cancel()
	for {
		r, err := s.Store.Find(ctx, session.Target{Tenant: a.Tenant, Ref: a.Ref, Turn: a.Turn, Message: a.Message})
		if err != nil || r.State != session.Delivering {
			return r, err
		}
		if sleep.For(waited, landingCheck) != nil {
			return r, nil
		}
	}
}

// performOn carries out an action that is about one answer.
func (s *Service) performOn(ctx context.Context, a Request, r session.Record) (Reply, error) {
	switch a.Do {
	case thread.ActionUp, thread.ActionDown:
		return s.vote(ctx, a, r)
	case thread.ActionRetry, thread.ActionDeeper, thread.ActionReport:
		return s.retry(ctx, a, r)
	case thread.ActionStart:
		return s.choose(ctx, a, r, deepsearch.Start)
	case thread.ActionPlain:
		return s.choose(ctx, a, r, deepsearch.Plainly)
	case thread.ActionPrivate:
		return s.answerPrivately(ctx, a, r)
	case thread.ActionShare:
		return s.share(ctx, a, r)
	case thread.ActionKeep:
		return s.keep(ctx, a, r)
	case thread.ActionRemove:
		return s.remove(ctx, a, r)
	case thread.ActionCorrect:
		return s.correct(ctx, a, r)
	case thread.ActionOwner:
		return s.askOwner(ctx, a, r)
	case thread.ActionWhy:
		return s.why(ctx, r)
	default: // of a newer version's button
		return refuse(sentenceNoActions), nil
	}
}

// sees reports whether the person may know of the turn at all. A private answer is known to its
// owner alone, wherever the owner is; the offer of one to its asker alone; any other answer to
// everybody where it was given.
func (a Request) sees(r session.Record) bool {
	switch own := r.Session.Ref.Platform == a.Ref.Platform && r.Asker.ID == a.By.ID; {
	case r.Session.Owner != "":
		return own && r.Session.Owner == a.By.ID
	case a.Do == thread.ActionPrivate && own:
		return true
	}
	ref := r.Session.Ref
	return ref.Platform == a.Ref.Platform && ref.Workspace == a.Ref.Workspace && ref.Channel == a.Ref.Channel
}

// refuse is a reply that says why not.
func refuse(sentence string) Reply { return Reply{Sentence: sentence, Refused: true} }

// stop stops what a message belongs to, or all of a thread that the person may stop.
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

// choose answers whether a deep search that waits is to be begun.
func (s *Service) choose(ctx context.Context, a Request, r session.Record, choice deepsearch.Choice) (Reply, error) {
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

// follow makes the bot follow a thread, or leave it.
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

// why tells how an answer came about.
func (s *Service) why(ctx context.Context, r session.Record) (Reply, error) {
	var saved session.Saved
	if r.Outcome != "" {
		var err error
		if saved, err = s.Store.Saved(ctx, r.Turn); err != nil && !errors.Is(err, session.ErrUnknownTurn) {
			return Reply{}, err
		}
	}
	return Reply{Sentence: command.Why(r, saved)}, nil
}
