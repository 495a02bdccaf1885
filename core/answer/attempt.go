package answer

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/span"
	"github.com/footnotehq/footnote/core/turn"
)

// Limits of turns that do not come to their end although no replica dies: what a turn needs cannot
// be loaded, or its platform takes nothing. They are numbers of failures; deaths of replicas and
// what is handed back when a process ends do not count. The waits between tries grow from the first
// to the last, so a turn is tried for minutes, and its delivery for half an hour.
const (
	maxFailures   = 10
	maxDeliveries = 60
	retryFirst    = 500 * time.Millisecond
	retryLast     = 30 * time.Second
)

// errStray hands a turn back that was not to be stopped.
var errStray = errors.New("the turn was stopped by a signal of an earlier attempt")

// attempt is one turn that this process works on. Its context ends when the process must let go of
// it; the run's context, below it, ends when a person stops the turn as well. The functions are nil
// before the contexts exist, and are guarded by the service's lock.
type attempt struct {
	turn   session.Turn
	cancel context.CancelCauseFunc
	stop   context.CancelCauseFunc

	stopped time.Time // when this process learned of a stop; zero while there is none
	span    span.Span // of the attempt
}

// begin registers a turn, so that it can be stopped and let go of.
func (s *Service) begin(lasting context.Context, t session.Turn) (context.Context, *attempt) {
	ctx, letGo := context.WithCancelCause(s.traced(lasting, t))
	ctx, attempted := s.beginAttempt(ctx, t)
	a := &attempt{turn: t, cancel: letGo, span: attempted}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[t.ID] = a
	return ctx, a
}

// permit covers the platform calls of one attempt: while the replica's lease lasts and the turn was
// not let go of.
func (s *Service) permit(ctx context.Context) chat.Permit {
	return func() error {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return s.lease.permit()
	}
}

// end lets go of a turn that was carried as far as it goes.
func (s *Service) end(ctx context.Context, a *attempt, err error) {
	a.span.End(err)
	a.cancel(nil)
	switch {
	case err == nil:
	case errors.Is(err, session.ErrEdited):
		s.Logger.InfoContext(ctx, "question was edited; its turn begins again", "turn", a.turn.ID, "attempt", a.turn.Attempt)
	case errors.Is(err, session.ErrFenced), errors.Is(err, session.ErrUnknownTurn):
		s.Logger.WarnContext(ctx, "turn belongs to another worker now", "turn", a.turn.ID, "attempt", a.turn.Attempt)
	case taken(err):
		s.Logger.InfoContext(ctx, "question or answer was taken away while it was worked on", "turn", a.turn.ID, "attempt", a.turn.Attempt, "error", err)
		s.release(ctx, a, err)
	default:
		s.Logger.WarnContext(ctx, "turn handed back", "turn", a.turn.ID, "session", a.turn.Session.ID, "attempt", a.turn.Attempt, "error", err)
		s.release(ctx, a, err)
	}
	s.mu.Lock()
	delete(s.running, a.turn.ID)
	s.mu.Unlock()
	s.Wake() // the session's next turn may be ready
}

// taken reports whether a turn ended in a way that its worker did not decide: its question was
// deleted, or its answer removed.
func taken(err error) bool {
	return errors.Is(err, session.ErrWithdrawn) || errors.Is(err, session.ErrRemoved)
}

// release hands the turn back: at once when the process ends, else after a while.
func (s *Service) release(ctx context.Context, a *attempt, cause error) {
	after := time.Duration(0)
	if !errors.Is(cause, errHandBack) && !errors.Is(cause, errLeaseLost) && !errors.Is(cause, errStray) && !errors.Is(cause, errAudience) && !taken(cause) {
		after = min(retryFirst<<min(2*a.turn.Failures+1, 10), retryLast)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	err := s.Store.Release(ctx, a.turn.Fence(), after)
	if err != nil && !errors.Is(err, session.ErrFenced) && !errors.Is(err, session.ErrFinished) {
		s.doubt()
		s.Logger.WarnContext(ctx, "turn not handed back; it is found again", "turn", a.turn.ID, "error", err)
	}
}

// process takes the turn from where it stands to its end. A nil error means that nothing is left to
// do; any other that the turn is another's, or is to be handed back.
func (s *Service) process(ctx context.Context, a *attempt) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Logger.ErrorContext(ctx, "turn panicked", "turn", a.turn.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errors.New("the turn panicked")
		}
	}()
	t := a.turn
	switch {
	case t.Abandoned:
		return s.close(ctx, a)
	case t.Outcome == session.Declined:
		return s.delivered(ctx, a, "") // nothing was shown, and nothing is to be
	case t.Outcome != "" && t.Failures >= maxDeliveries:
		s.Logger.ErrorContext(ctx, "answer could not be delivered", "turn", t.ID, "failures", t.Failures)
		return s.delivered(ctx, a, sentenceUndelivered)
	case t.Outcome == session.Limited && s.limitAsker(ctx, a):
		return s.delivered(ctx, a, "")
	case t.LoneDeaths >= s.config.MaxDeaths:
		return s.failDeadly(ctx, a)
	case t.Outcome != "":
		return s.redeliver(ctx, a)
	case t.Failures >= maxFailures:
		return s.fail(ctx, a)
	}
	if ended, err := s.settle(ctx, a); ended || err != nil {
		return err
	}
	if t = a.turn; t.Ambient {
		return s.answerUnasked(ctx, a)
	}
	if s.limitAsker(ctx, a) {
		if err := s.save(ctx, a, s.limited(ctx, t)); err != nil {
			return err
		}
		return s.delivered(ctx, a, "")
	}
	delivery, err := s.Surfaces.Open(ctx, t, s.permit(ctx))
	if err != nil {
		return fmt.Errorf("open the delivery: %w", err)
	}
	saved, err := s.produce(ctx, a, delivery)
	var awaiting *deepsearch.Awaiting
	if errors.As(err, &awaiting) {
		return s.park(ctx, a, delivery, awaiting)
	}
	if err != nil {
		return err
	}
	if err := s.save(ctx, a, saved); err != nil {
		return err
	}
	return s.deliver(ctx, a, delivery, chat.Result{Outcome: saved.Outcome, Saved: saved})
}

// park lets go of a turn that waits for a person, once the thread shows what it waits for. Until
// then there is no choice.
func (s *Service) park(ctx context.Context, a *attempt, delivery chat.Delivery, awaiting *deepsearch.Awaiting) error {
	limited, cancel := context.WithTimeout(ctx, finalLimit)
	defer cancel()
	err := delivery.Finish(limited, chat.Result{Waits: true})
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		s.Logger.WarnContext(ctx, "what a deep search asks could not be shown; it is tried again", "turn", a.turn.ID, "error", err)
	}
	return s.persist(ctx, func(ctx context.Context) error { return awaiting.Suspend(ctx, err == nil) })
}

// fail ends a turn that was tried too often. What it failed at stands in the log of each try.
func (s *Service) fail(ctx context.Context, a *attempt) error {
	saved := stated(session.Failed, sentenceExhausted)
	s.Logger.ErrorContext(ctx, "turn failed too often", "turn", a.turn.ID, "session", a.turn.Session.ID, "failures", a.turn.Failures,
		"attempt", a.turn.Attempt, "reference", saved.Reference)
	if err := s.save(ctx, a, saved); err != nil {
		return err
	}
	return s.redeliver(ctx, a)
}

// failDeadly ends a turn of which processes died although nothing else ran in them. Of what was
// saved nothing is shown: showing it may have been what they died of.
func (s *Service) failDeadly(ctx context.Context, a *attempt) error {
	saved := stated(session.Failed, sentenceDeadly)
	s.Logger.ErrorContext(ctx, "turn ended the process again and again while it ran alone; it is not tried any more", "turn", a.turn.ID,
		"session", a.turn.Session.ID, "deaths", a.turn.LoneDeaths, "takeovers", a.turn.Takeovers, "reference", saved.Reference)
	if a.turn.Outcome == "" {
		if err := s.save(ctx, a, saved); err != nil {
			return err
		}
	}
	delivery, err := s.Surfaces.Open(ctx, a.turn, s.permit(ctx))
	if err != nil {
		return fmt.Errorf("open the delivery: %w", err)
	}
	for _, p := range Replay(saved) {
		delivery.Accept(p)
	}
	return s.deliver(ctx, a, delivery, chat.Result{Outcome: saved.Outcome, Saved: saved})
}

// produce lays the request out and runs the engine, on the run's context, or states the outcome of
// a turn that is not to be run.
func (s *Service) produce(ctx context.Context, a *attempt, sink packet.Sink) (saved session.Saved, err error) {
	run, disarm := s.arm(ctx, a)
	defer disarm()
	requested, err := s.stopRequested(ctx, a)
	if err != nil {
		return session.Saved{}, err
	}
	if requested {
		return s.state(ctx, a, sink, stated(session.Stopped, sentenceUnstarted)), nil
	}
	if !a.turn.LimitedUntil.IsZero() {
		return s.state(ctx, a, sink, s.limited(ctx, a.turn)), nil
	}
	defer func() {
		s.measureStop(a)
		if err == nil && saved.Outcome == session.Stopped && s.stray(ctx, a) {
			saved, err = session.Saved{}, errStray
		}
	}()
	preparing, preparation := span.Begin(run, "prepare")
	var req turn.Request
	t, known, empty, err := s.gather(preparing, a.turn)
	if err == nil {
		req, err = s.request(preparing, t)
	}
	preparation.End(err)
	if errors.Is(context.Cause(run), turn.ErrStopped) {
		return s.state(ctx, a, sink, stated(session.Stopped, sentenceUnstarted)), nil
	}
	if err != nil {
		return session.Saved{}, fmt.Errorf("lay out the turn: %w", err)
	}
	if empty {
		return s.state(ctx, a, sink, stated(session.Answered, policy.NoQuestion)), nil
	}
	if t.Ambient {
		req = groundedOnly(req)
	}
	if reply := replies[policy.TalkOf(t.Question.Text)]; reply != "" && len(t.Question.Files) == 0 && onlyQuotes(req.Models) {
		return s.state(ctx, a, sink, stated(session.Answered, reply)), nil
	}
	req.CheckAudience = s.audienceUnchanged(t, a)
	engine, sink := s.Engine, s.recheck(ctx, t, known, s.naming(ctx, t, sink))
	if req.Depth == nil {
		sink = deepsearch.OfferDeeper(req, sink)
	} else if s.Deep != nil {
		engine = s.Deep
	}
	report, err := engine.Run(run, req, sink)
	if cause := context.Cause(ctx); cause != nil {
		// cut short by the process, not by a person: another attempt begins with the question
		return session.Saved{}, cause
	}
	var awaiting *deepsearch.Awaiting
	if errors.As(err, &awaiting) {
		return session.Saved{}, err
	}
	if err != nil {
		saved = stated(session.Failed, policy.Say(session.Failed))
		s.Logger.ErrorContext(ctx, "turn cannot be run", "turn", a.turn.ID, "reference", saved.Reference, "error", err)
		return s.state(ctx, a, sink, saved), nil
	}
	if !known {
		for i := range report.Answers {
			report.Answers[i].Notices = append(report.Answers[i].Notices, sentenceAudienceUnknown)
			if end := &report.Answers[i].Ending; end.Cause == "" {
				end.Cause = session.CauseAudience
			}
		}
	}
	return savedOf(report, a.turn.Number, time.Now()), nil
}

// arm returns the context of a run, which a stop ends, wherever it is asked for.
func (s *Service) arm(ctx context.Context, a *attempt) (run context.Context, disarm func()) {
	run, stop := context.WithCancelCause(ctx)
	s.mu.Lock()
	a.stop = stop
	s.mu.Unlock()
	// Armed before anything starts; a stop from before is found in the store.
	raised := s.Signal.Watch(run, a.turn.ID)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-raised:
			s.stopHere(a.turn.ID)
		case <-run.Done():
		}
	}()
	return run, func() {
		stop(nil)
		<-watched
	}
}

// stray reports whether a turn was stopped by a signal that was not meant for this attempt: one of
// an edit, which comes so late that the edited question is being answered already. Whatever is
// meant for it was recorded before it was signalled.
func (s *Service) stray(ctx context.Context, a *attempt) bool {
	requested, err := s.stopRequested(ctx, a)
	return err == nil && !requested
}

// measureStop counts how long a run went on after this process learned that it was to stop.
func (s *Service) measureStop(a *attempt) {
	s.mu.Lock()
	at := a.stopped
	s.mu.Unlock()
	if !at.IsZero() {
		s.Metrics.Stopped(time.Since(at))
	}
}

func (s *Service) stopRequested(ctx context.Context, a *attempt) (bool, error) {
	if a.turn.StopRequested {
		return true, nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	ids, err := s.Store.Requested(ctx, []session.Fence{a.turn.Fence()})
	if err != nil {
		return false, fmt.Errorf("look for a stop: %w", err)
	}
	return len(ids) > 0, nil
}

// onlyQuotes reports whether every model can only quote documents, none of which answers a
// greeting.
func onlyQuotes(models []llm.Model) bool {
	return len(models) > 0 && !slices.ContainsFunc(models, func(m llm.Model) bool { return !m.Info().Extractive })
}

// state shows an outcome that no model produced.
func (s *Service) state(ctx context.Context, a *attempt, sink packet.Sink, saved session.Saved) session.Saved {
	for _, p := range Replay(saved) {
		sink.Accept(p)
	}
	s.Logger.InfoContext(ctx, "turn ended without a run", "turn", a.turn.ID, "outcome", saved.Outcome, "reference", saved.Reference)
	return saved
}
