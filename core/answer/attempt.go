package answer

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/span"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
)

// Limits on repeated failures of a turn and of its delivery. Deaths of replicas and shutdowns do
// not count as failures. The delay between retries grows from retryFirst to retryLast.
const (
	maxFailures   = 10
	maxDeliveries = 60
	retryFirst    = 500 * time.Millisecond
	retryLast     = 30 * time.Second
)

// errStrayStop means that a late stop signal, meant for an earlier attempt, ended the run. The turn
// returns to the queue.
var errStrayStop = errors.New("the turn was stopped by a signal of an earlier attempt")

// attempt is one attempt of this process to answer a turn. Calling cancel ends the attempt and
// returns the turn to the queue. Calling stop ends only the engine's run, after a person stopped
// the turn. stop is nil before the run. Service.mu guards cancel, stop and stopped.
type attempt struct {
	turn   session.Turn
	cancel context.CancelCauseFunc
	stop   context.CancelCauseFunc

	deliveries []chat.Delivery // opened by the attempt, and closed when it ends

	stopped time.Time // when this process learned of a stop; zero if there is none
	span    span.Span // of the attempt
}

// Running is a turn that this process is working on, with the messages of its answer.
type Running struct {
	Turn  session.Turn
	Pages []session.Page
}

// Running returns the turns of a platform that this process is working on. After an error it
// returns those whose pages are known.
func (s *Service) Running(ctx context.Context, platform thread.Platform) (all []Running, err error) {
	s.mu.Lock()
	for _, a := range s.running {
		if a.turn.Session.Ref.Platform == platform {
			all = append(all, Running{Turn: a.turn})
		}
	}
	s.mu.Unlock()
	for i, r := range all {
		if all[i].Pages, err = s.Store.Pages(ctx, r.Turn.Fence()); err != nil {
			return all[:i], fmt.Errorf("list the messages of turn %s: %w", r.Turn.ID, err)
		}
	}
	return all, nil
}

func (s *Service) register(lasting context.Context, t session.Turn) (context.Context, *attempt) {
	ctx, letGo := context.WithCancelCause(s.traceContext(lasting, t))
	ctx, attempted := s.traceAttempt(ctx, t)
	a := &attempt{turn: t, cancel: letGo, span: attempted}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[t.ID] = a
	return ctx, a
}

// permit returns a [chat.Permit] that is valid while the replica holds its lease and ctx is not
// cancelled.
func (s *Service) permit(ctx context.Context) chat.Permit {
	return func() error {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return s.lease.permit()
	}
}

func (s *Service) endAttempt(ctx context.Context, a *attempt, err error) {
	a.span.End(err)
	a.cancel(nil)
	a.close(ctx)
	switch {
	case err == nil:
	case errors.Is(err, session.ErrEdited):
		s.Logger.InfoContext(ctx, "question was edited; its turn begins again", "turn", a.turn.ID, "attempt", a.turn.Attempt)
	case errors.Is(err, session.ErrFenced), errors.Is(err, session.ErrUnknownTurn):
		s.Logger.WarnContext(ctx, "turn belongs to another worker now", "turn", a.turn.ID, "attempt", a.turn.Attempt)
	case withdrawnMeanwhile(err):
		s.Logger.InfoContext(ctx, "question or answer was taken away while it was worked on", "turn", a.turn.ID, "attempt", a.turn.Attempt, "error", err)
		s.release(ctx, a, err)
	default:
		s.Logger.WarnContext(ctx, "turn handed back", "turn", a.turn.ID, "session", a.turn.Session.ID, "attempt", a.turn.Attempt, "error", err)
		s.release(ctx, a, err)
	}
	s.mu.Lock()
	if s.running[a.turn.ID] == a { // this process may already have the next attempt
		delete(s.running, a.turn.ID)
	}
	s.mu.Unlock()
	s.Wake() // the session's next turn may be ready
}

// closeLimit is the maximum time for closing the deliveries of an attempt.
const closeLimit = 5 * time.Second

// close closes the attempt's deliveries and waits until their calls to the platform have returned.
// It waits at most closeLimit and ignores the cancellation of ctx.
func (a *attempt) close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeLimit)
	defer cancel()
	for _, d := range a.deliveries {
		d.Close(ctx)
	}
}

// open opens a delivery of the turn's answer. The delivery is closed when the attempt ends.
func (s *Service) open(ctx context.Context, a *attempt) (chat.Delivery, error) {
	d, err := s.Surfaces.Open(ctx, a.turn, s.permit(ctx))
	if err != nil {
		return nil, fmt.Errorf("open the delivery: %w", err)
	}
	a.deliveries = append(a.deliveries, d)
	return d, nil
}

func withdrawnMeanwhile(err error) bool {
	return errors.Is(err, session.ErrWithdrawn) || errors.Is(err, session.ErrRemoved)
}

// release returns the turn to the queue. After a failure, the turn waits for a back-off delay. It
// does not wait after a shutdown, a lost lease or a change by a person.
func (s *Service) release(ctx context.Context, a *attempt, cause error) {
	after := time.Duration(0)
	if !errors.Is(cause, errHandBack) && !errors.Is(cause, errLeaseLost) && !errors.Is(cause, errStrayStop) && !errors.Is(cause, errAudience) && !withdrawnMeanwhile(cause) {
		after = min(retryFirst<<min(2*a.turn.Failures+1, 10), retryLast)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	err := s.Store.Release(ctx, a.turn.Fence(), after)
	if err != nil && !errors.Is(err, session.ErrFenced) && !errors.Is(err, session.ErrFinished) {
		s.markUnsure()
		s.Logger.WarnContext(ctx, "turn not handed back; it is found again", "turn", a.turn.ID, "error", err)
	}
}

// process continues a turn from its stored state to its end. If it returns an error, the turn has
// not ended. The caller must then release the turn, unless another replica has taken it over.
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
		return s.closeAbandoned(ctx, a)
	case t.Outcome == session.Declined:
		return s.delivered(ctx, a, "") // nothing was shown
	case t.Outcome != "" && t.Failures >= maxDeliveries:
		s.Logger.ErrorContext(ctx, "answer could not be delivered", "turn", t.ID, "failures", t.Failures)
		return s.delivered(ctx, a, sentenceUndelivered)
	case t.Outcome == session.Limited && s.limitAsker(ctx, a):
		return s.delivered(ctx, a, "")
	case t.LoneDeaths >= s.config.MaxDeaths:
		return s.failCrashing(ctx, a)
	case t.Outcome != "":
		return s.redeliver(ctx, a)
	case t.Failures >= maxFailures:
		return s.failExhausted(ctx, a)
	}
	if ended, err := s.admitAsker(ctx, a); ended || err != nil {
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
	delivery, err := s.open(ctx, a)
	if err != nil {
		return err
	}
	saved, err := s.produce(ctx, a, delivery)
	var awaiting *deepsearch.Awaiting
	if errors.As(err, &awaiting) {
		return s.suspend(ctx, a, delivery, awaiting)
	}
	if err != nil {
		return err
	}
	if err := s.save(ctx, a, saved); err != nil {
		return err
	}
	return s.deliver(ctx, a, delivery, chat.Result{Outcome: saved.Outcome, Saved: saved})
}

// suspend releases a turn that waits for a person's decision. Before that, it shows in the thread
// what the person has to decide.
func (s *Service) suspend(ctx context.Context, a *attempt, delivery chat.Delivery, awaiting *deepsearch.Awaiting) error {
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

func (s *Service) failExhausted(ctx context.Context, a *attempt) error {
	saved := outcomeOf(session.Failed, sentenceExhausted)
	s.Logger.ErrorContext(ctx, "turn failed too often", "turn", a.turn.ID, "session", a.turn.Session.ID, "failures", a.turn.Failures,
		"attempt", a.turn.Attempt, "reference", saved.Reference)
	if err := s.save(ctx, a, saved); err != nil {
		return err
	}
	return s.redeliver(ctx, a)
}

// failCrashing ends a turn as failed after it crashed several processes while it ran alone. It does
// not show a saved answer, which may have caused the crashes.
func (s *Service) failCrashing(ctx context.Context, a *attempt) error {
	saved := outcomeOf(session.Failed, sentenceDeadly)
	s.Logger.ErrorContext(ctx, "turn ended the process again and again while it ran alone; it is not tried any more", "turn", a.turn.ID,
		"session", a.turn.Session.ID, "deaths", a.turn.LoneDeaths, "takeovers", a.turn.Takeovers, "reference", saved.Reference)
	if a.turn.Outcome == "" {
		if err := s.save(ctx, a, saved); err != nil {
			return err
		}
	}
	delivery, err := s.open(ctx, a)
	if err != nil {
		return err
	}
	for _, p := range Replay(saved) {
		delivery.Accept(p)
	}
	return s.deliver(ctx, a, delivery, chat.Result{Outcome: saved.Outcome, Saved: saved})
}

// produce answers the turn with an engine and returns the outcome. Some turns need no engine, for
// example if a person stopped the turn before its run.
func (s *Service) produce(ctx context.Context, a *attempt, sink packet.Sink) (saved session.Saved, err error) {
	run, disarm := s.runContext(ctx, a)
	defer disarm()
	requested, err := s.stopRequested(ctx, a)
	if err != nil {
		return session.Saved{}, err
	}
	if requested {
		return s.stopUnstarted(ctx, a, sink)
	}
	if !a.turn.LimitedUntil.IsZero() {
		return s.showOutcome(ctx, a, sink, s.limited(ctx, a.turn)), nil
	}
	defer func() {
		s.measureStop(a)
		if err == nil && saved.Outcome == session.Stopped && s.strayStop(ctx, a) {
			saved, err = session.Saved{}, errStrayStop
		}
	}()
	preparing, preparation := span.Begin(run, "prepare")
	var req turn.Request
	t, unknown, empty, err := s.completeTurn(preparing, a.turn)
	if err == nil {
		req, err = s.requestFor(preparing, t)
	}
	preparation.End(err)
	if errors.Is(context.Cause(run), turn.ErrStopped) {
		return s.stopUnstarted(ctx, a, sink)
	}
	if err != nil {
		return session.Saved{}, fmt.Errorf("lay out the turn: %w", err)
	}
	if empty {
		return s.showOutcome(ctx, a, sink, outcomeOf(session.Answered, policy.NoQuestion)), nil
	}
	if t.Ambient {
		req = groundedOnly(req)
	}
	if reply := replies[policy.TalkOf(t.Question.Text)]; reply != "" && len(t.Question.Files) == 0 && onlyQuotes(req.Models) {
		return s.showOutcome(ctx, a, sink, outcomeOf(session.Answered, reply)), nil
	}
	req.CheckAudience = s.audienceUnchanged(t, a)
	engine, sink := s.Engine, s.recheckSources(ctx, t, unknown, s.nameOwner(ctx, t, sink))
	if req.Depth == nil {
		sink = deepsearch.OfferDeeper(req, sink)
	} else if s.Deep != nil {
		engine = s.Deep
	}
	report, err := s.runWatched(run, a, t, func() (turn.Report, error) { return engine.Run(run, req, sink) })
	if cause := context.Cause(ctx); cause != nil {
		// cancelled by the process, not by a person: another attempt starts over
		return session.Saved{}, cause
	}
	var awaiting *deepsearch.Awaiting
	if errors.As(err, &awaiting) {
		return session.Saved{}, err
	}
	if err != nil {
		saved = outcomeOf(session.Failed, policy.Say(session.Failed))
		s.Logger.ErrorContext(ctx, "turn cannot be run", "turn", a.turn.ID, "reference", saved.Reference, "error", err)
		return s.showOutcome(ctx, a, sink, saved), nil
	}
	if unknown != "" {
		for i := range report.Answers {
			report.Answers[i].Notices = append(report.Answers[i].Notices, unknown)
			if end := &report.Answers[i].Ending; end.Cause == "" {
				end.Cause = session.CauseAudience
			}
		}
	}
	return savedOf(report, a.turn.Number, time.Now()), nil
}

// runWatched calls work while it watches the audience of the turn.
func (s *Service) runWatched(ctx context.Context, a *attempt, t session.Turn, work func() (turn.Report, error)) (turn.Report, error) {
	ctx, done := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { s.watchAudience(ctx, t, a) })
	defer watching.Wait()
	defer done()
	return work()
}

// runContext returns the context for a run of the engine. A stop request on any replica cancels it.
// The caller must call disarm after the run to release its resources.
func (s *Service) runContext(ctx context.Context, a *attempt) (run context.Context, disarm func()) {
	run, stop := context.WithCancelCause(ctx)
	s.mu.Lock()
	a.stop = stop
	s.mu.Unlock()
	// Watch before the run starts. Earlier stops are in the store.
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

// strayStop reports whether the stop signal was meant for an earlier attempt of the turn. A signal
// can arrive late, for example after an edit. A stop of the current attempt is always stored before
// its signal is sent.
func (s *Service) strayStop(ctx context.Context, a *attempt) bool {
	requested, err := s.stopRequested(ctx, a)
	return err == nil && !requested
}

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

// onlyQuotes reports whether there are models and all of them are extractive. An extractive model
// quotes passages and cannot write text.
func onlyQuotes(models []llm.Model) bool {
	return len(models) > 0 && !slices.ContainsFunc(models, func(m llm.Model) bool { return !m.Info().Extractive })
}

func (s *Service) showOutcome(ctx context.Context, a *attempt, sink packet.Sink, saved session.Saved) session.Saved {
	return s.showPackets(ctx, a, sink, saved, Replay(saved))
}

func (s *Service) showPackets(ctx context.Context, a *attempt, sink packet.Sink, saved session.Saved, packets []packet.Packet) session.Saved {
	for _, p := range packets {
		sink.Accept(p)
	}
	s.Logger.InfoContext(ctx, "turn ended without a run", "turn", a.turn.ID, "outcome", saved.Outcome, "reference", saved.Reference)
	return saved
}
