package answer

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/turn"
)

// Limits of turns that do not come to their end although no replica dies: what a turn needs cannot be loaded, or its platform takes
// nothing. They are numbers of attempts, of which a lease makes one and a hand-back another. The waits between tries grow from the
// first to the last, so a turn is tried for minutes, and its delivery for half an hour.
const (
	maxAttempts   = 20
	maxDeliveries = 120
	retryFirst    = 500 * time.Millisecond
	retryLast     = 30 * time.Second
)

// attempt is one turn that this process works on. Its context ends when the process must let go of it; the run's context, below it,
// ends when a person stops the turn as well.
type attempt struct {
	turn    session.Turn
	ctx     context.Context
	cancel  context.CancelCauseFunc
	run     context.Context
	stopRun context.CancelCauseFunc
}

func (s *Service) begin(lasting context.Context, t session.Turn) *attempt {
	a := &attempt{turn: t}
	a.ctx, a.cancel = context.WithCancelCause(lasting)
	a.run, a.stopRun = context.WithCancelCause(a.ctx)
	s.mu.Lock()
	s.running[t.ID] = a
	s.mu.Unlock()
	return a
}

// stop ends the run on behalf of a person; saving and delivering go on.
func (a *attempt) stop() { a.stopRun(turn.ErrStopped) }

// execute carries a turn as far as it goes and lets go of it.
func (s *Service) execute(a *attempt) {
	err := s.carry(a)
	a.cancel(nil)
	switch {
	case err == nil:
	case errors.Is(err, session.ErrFenced), errors.Is(err, session.ErrUnknownTurn):
		s.Logger.WarnContext(a.ctx, "turn belongs to another worker now", "turn", a.turn.ID, "attempt", a.turn.Attempt)
	default:
		s.Logger.WarnContext(a.ctx, "turn handed back", "turn", a.turn.ID, "session", a.turn.Session.ID, "attempt", a.turn.Attempt, "error", err)
		s.release(a, err)
	}
	s.mu.Lock()
	delete(s.running, a.turn.ID)
	s.mu.Unlock()
	s.nudge() // the session's next turn may be ready
}

// release hands the turn back: at once when the process ends, else after a while.
func (s *Service) release(a *attempt, cause error) {
	after := time.Duration(0)
	if !errors.Is(cause, errHandBack) && !errors.Is(cause, errLeaseLost) {
		after = min(retryFirst<<min(a.turn.Attempt, 10), retryLast)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(a.ctx), storeLimit)
	defer cancel()
	err := s.Store.Queue.Release(ctx, a.turn.Fence(), after)
	if err != nil && !errors.Is(err, session.ErrFenced) && !errors.Is(err, session.ErrFinished) {
		s.doubt()
		s.Logger.WarnContext(ctx, "turn not handed back; it is found again", "turn", a.turn.ID, "error", err)
	}
}

// carry takes the turn from where it stands to its end. A nil error means that nothing is left to do; any other that the turn is
// another's, or is to be handed back.
func (s *Service) carry(a *attempt) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Logger.ErrorContext(a.ctx, "turn panicked", "turn", a.turn.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errors.New("the turn panicked")
		}
	}()
	t := a.turn
	switch {
	case t.Abandoned:
		return s.close(a)
	case t.Outcome != "" && t.Attempt > maxDeliveries:
		s.Logger.ErrorContext(a.ctx, "answer could not be delivered", "turn", t.ID, "attempts", t.Attempt)
		return s.delivered(a)
	case t.Outcome != "":
		return s.redeliver(a)
	case t.Takeovers >= s.config.MaxAttempts, t.Attempt > maxAttempts:
		return s.fail(a)
	}
	delivery, err := s.Surfaces.Open(a.ctx, t, s.lease.permit)
	if err != nil {
		return fmt.Errorf("open the delivery: %w", err)
	}
	saved, err := s.produce(a, delivery)
	if err != nil {
		return err
	}
	if err := s.save(a, saved); err != nil {
		return err
	}
	return s.deliver(a, delivery, Final{Outcome: saved.Outcome, Saved: saved})
}

// fail ends a turn that was tried too often. What it failed at stands in the log of each try.
func (s *Service) fail(a *attempt) error {
	saved := stated(session.Failed, sentenceExhausted)
	s.Logger.ErrorContext(a.ctx, "turn failed too often", "turn", a.turn.ID, "session", a.turn.Session.ID, "takeovers", a.turn.Takeovers,
		"attempt", a.turn.Attempt, "reference", saved.Reference)
	if err := s.save(a, saved); err != nil {
		return err
	}
	return s.redeliver(a)
}

// close ends a turn that nobody was there for, without a word: its answer may have been given before a backup was restored.
func (s *Service) close(a *attempt) error {
	s.Logger.WarnContext(a.ctx, "old turn closed without an answer", "turn", a.turn.ID, "session", a.turn.Session.ID, "intake", a.turn.Intake)
	if a.turn.Outcome == "" {
		if err := s.save(a, session.Saved{Outcome: session.Superseded}); err != nil {
			return err
		}
	}
	return s.delivered(a)
}

// produce runs the turn, or states the outcome of one that is not to be run.
func (s *Service) produce(a *attempt, sink packet.Sink) (session.Saved, error) {
	t := a.turn
	// Armed before anything starts; a stop from before is found in the store.
	raised := s.Signal.Watch(a.run, t.ID)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-raised:
			a.stop()
		case <-a.run.Done():
		}
	}()
	defer func() {
		a.stopRun(nil)
		<-watched
	}()
	requested, err := s.stopRequested(a)
	if err != nil {
		return session.Saved{}, err
	}
	if requested {
		return s.state(a, sink, stated(session.Stopped, sentenceUnstarted)), nil
	}
	return s.ask(a, sink)
}

func (s *Service) stopRequested(a *attempt) (bool, error) {
	if a.turn.StopRequested || errors.Is(context.Cause(a.run), turn.ErrStopped) {
		return true, nil
	}
	ctx, cancel := context.WithTimeout(a.ctx, storeLimit)
	defer cancel()
	ids, err := s.Store.Stops.Requested(ctx, []session.Fence{a.turn.Fence()})
	if err != nil {
		return false, fmt.Errorf("look for a stop: %w", err)
	}
	return len(ids) > 0, nil
}

// ask lays the request out and runs the engine.
func (s *Service) ask(a *attempt, sink packet.Sink) (session.Saved, error) {
	req, err := s.request(a.run, a.turn)
	if errors.Is(context.Cause(a.run), turn.ErrStopped) {
		return s.state(a, sink, stated(session.Stopped, sentenceUnstarted)), nil
	}
	if err != nil {
		return session.Saved{}, fmt.Errorf("lay out the turn: %w", err)
	}
	report, err := s.Engine.Run(a.run, req, sink)
	if cause := context.Cause(a.ctx); cause != nil {
		return session.Saved{}, cause // cut short by the process, not by a person: another attempt begins with the question
	}
	if err != nil {
		saved := stated(session.Failed, sentenceBroken)
		s.Logger.ErrorContext(a.ctx, "turn cannot be run", "turn", a.turn.ID, "reference", saved.Reference, "error", err)
		return s.state(a, sink, saved), nil
	}
	return savedOf(report, a.turn.Number, time.Now()), nil
}

// state shows an outcome that no model produced.
func (s *Service) state(a *attempt, sink packet.Sink, saved session.Saved) session.Saved {
	for _, p := range Replay(saved) {
		sink.Accept(p)
	}
	s.Logger.InfoContext(a.ctx, "turn ended without a run", "turn", a.turn.ID, "outcome", saved.Outcome, "reference", saved.Reference)
	return saved
}
