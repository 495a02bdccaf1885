package answer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/turn"
)

const (
	sweepEvery = time.Minute
	// storeLimit limits one call of the store.
	storeLimit = 10 * time.Second
	// maxLeased is the maximum number of turns that a replica leases at once. The limit leaves
	// turns to other replicas.
	maxLeased = 8
)

// Run answers questions until ctx ends. It then leases no new turns, gives running turns
// Config.Grace to finish, and releases the rest. It returns an error only if the store is
// unreachable at the start. Run must be called at most once.
func (s *Service) Run(ctx context.Context) error {
	// no turn is held yet, so a slow renewal is harmless
	if err := s.renewWithin(ctx, storeLimit); ctx.Err() != nil {
		return nil
	} else if err != nil {
		return fmt.Errorf("start answering as replica %s: %w", s.config.Replica, err)
	}
	// running turns and their leases outlive ctx by the grace period
	lasting := context.WithoutCancel(ctx)
	keeping, stop := context.WithCancel(lasting)
	var keepers, turns sync.WaitGroup
	keepers.Go(func() { s.beat(keeping) })
	keepers.Go(func() { s.pollStops(keeping) })
	keepers.Go(func() { s.sweep(keeping) })
	keepers.Go(func() { s.offerUnlisted(keeping) })
	keepers.Go(func() { s.writeVerdicts(keeping) })
	keepers.Go(func() { s.runLookups(keeping) })

	s.work(ctx, lasting, &turns)
	s.drainTurns(&turns)
	stop()
	keepers.Wait()

	leaving, cancel := context.WithTimeout(lasting, storeLimit)
	defer cancel()
	if err := s.Store.Leave(leaving, s.config.Replica); err != nil {
		// Others take over when the lease expires, so this costs only seconds.
		s.Logger.WarnContext(ctx, "replica could not say that it ends", "replica", s.config.Replica, "error", err)
	}
	return nil
}

// Maximum polling intervals, as multiples of Config.Poll. doubtPolls applies after a failed lease,
// or while this replica may hold turns that it does not know. idlePolls applies otherwise.
const (
	idlePolls  = 60
	doubtPolls = 4
)

// work leases turns and starts them until ctx ends. It does not wait for them. The turns run with
// the context lasting, which is still valid after ctx has ended.
func (s *Service) work(ctx, lasting context.Context, turns *sync.WaitGroup) {
	slots := make(chan struct{}, s.config.Workers)
	failing, wait := false, s.config.Poll
	var draining time.Time // when the process began to drain; zero if it is not draining
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		s.intakes.yield(ctx)
		taken := 1
		for ; taken < maxLeased && len(slots) < cap(slots); taken++ { // only this loop fills slots
			slots <- struct{}{}
		}
		leased, err := s.leaseTurns(ctx, taken)
		draining, err = s.checkDraining(ctx, draining, err)
		if err != nil && ctx.Err() == nil && !failing {
			s.Logger.WarnContext(ctx, "no turn could be leased", "replica", s.config.Replica, "error", err)
		}
		failing = err != nil
		for _, t := range leased {
			ctx, a := s.register(lasting, t)
			turns.Go(func() {
				defer func() { <-slots }()
				s.endAttempt(ctx, a, s.process(ctx, a))
			})
		}
		for range taken - len(leased) {
			<-slots
		}
		if len(leased) > 0 {
			wait = s.config.Poll
			continue
		}
		// Jitter, so that replicas do not poll in step.
		woken := s.idle(ctx, wait/2+rand.N(wait/2+1))
		if ctx.Err() != nil {
			return
		}
		polls := time.Duration(idlePolls)
		if err != nil || s.isUnsure() {
			polls = doubtPolls
		}
		if wait = min(2*wait, polls*s.config.Poll); woken {
			wait = s.config.Poll
		}
	}
}

// checkDraining returns when the process began to drain, or the zero time if it is not draining. A
// draining process starts no turns, and cancels running ones after the grace period. A turn whose
// process died can then run alone. since is the previous result. leased is the error of the last
// lease.
func (s *Service) checkDraining(ctx context.Context, since time.Time, leased error) (time.Time, error) {
	switch {
	case !errors.Is(leased, session.ErrDraining):
		return time.Time{}, leased
	case since.IsZero():
		s.Logger.InfoContext(ctx, "turns whose process died wait to run apart; nothing else is begun until they have", "replica", s.config.Replica)
		since = time.Now()
	case time.Since(since) > s.config.Grace:
		s.cancelAll(errHandBack)
	}
	return since, nil
}

func (s *Service) idle(ctx context.Context, atMost time.Duration) (woken bool) {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-s.wake:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// leaseTurns leases at most the given number of turns from the store. It returns none if no turn is
// ready or the replica's lease has expired.
func (s *Service) leaseTurns(ctx context.Context, most int) ([]session.Turn, error) {
	if s.lease.permit() != nil {
		return nil, nil
	}
	request := session.LeaseRequest{
		Replica: s.config.Replica, MaxAge: s.config.MaxAge, Platforms: s.config.Platforms, Workspaces: s.config.Workspaces, Most: most,
	}
	s.mu.Lock()
	if s.unsure {
		request.Holding = make([]session.TurnID, 0, len(s.running))
		for id := range s.running {
			request.Holding = append(request.Holding, id)
		}
	}
	s.unsure = false // later doubts are for the next call
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	leased, err := s.Store.Lease(ctx, request)
	for _, t := range leased {
		if t.Takeovers > 0 && t.State == session.Running {
			s.Metrics.TakenOver()
		}
	}
	if err != nil && !errors.Is(err, session.ErrDraining) || request.Holding != nil && (err != nil || len(leased) > 0) {
		s.markUnsure()
	}
	return leased, err
}

func (s *Service) markUnsure() {
	s.mu.Lock()
	s.unsure = true
	s.mu.Unlock()
}

func (s *Service) isUnsure() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unsure
}

// drainTurns waits for running turns, up to the grace period. It then cancels the remaining ones.
func (s *Service) drainTurns(turns *sync.WaitGroup) {
	done := make(chan struct{})
	go func() { // ends with the turns, awaited below
		turns.Wait()
		close(done)
	}()
	grace := time.NewTimer(s.config.Grace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
		s.cancelAll(errHandBack)
		<-done
	}
}

// pollStops finds stop requests whose signal was lost.
func (s *Service) pollStops(ctx context.Context) {
	for {
		wait := s.config.StopPoll
		if !s.Signal.Reliable() {
			wait = s.config.Poll
		}
		if sleep.For(ctx, wait) != nil {
			return
		}
		s.mu.Lock()
		fences := make([]session.Fence, 0, len(s.running))
		for _, a := range s.running {
			fences = append(fences, a.turn.Fence())
		}
		s.mu.Unlock()
		if len(fences) > 0 {
			s.findStops(ctx, fences)
		}
	}
}

func (s *Service) findStops(ctx context.Context, fences []session.Fence) {
	limited, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	ids, err := s.Store.Requested(limited, fences)
	if err != nil && ctx.Err() == nil {
		s.Logger.WarnContext(ctx, "cannot look for stops", "error", err)
	}
	for _, id := range ids {
		s.stopHere(id)
	}
}

// FindStop stops a running turn if a person has asked to stop one of its messages. It must be
// called after a message of the turn was recorded, because an earlier request sends no signal.
func (s *Service) FindStop(ctx context.Context, t session.Turn) {
	s.findStops(ctx, []session.Fence{t.Fence()})
}

func (s *Service) stopHere(id session.TurnID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// produce checks for stops itself before the run
	if a := s.running[id]; a != nil && a.stop != nil {
		if a.stopped.IsZero() {
			a.stopped = time.Now()
		}
		a.stop(turn.ErrStopped)
	}
}

func (s *Service) sweep(ctx context.Context) {
	for {
		limited, cancel := context.WithTimeout(ctx, 3*storeLimit)
		if err := s.Store.Sweep(limited); err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "store not swept", "error", err)
		}
		cancel()
		if sleep.For(ctx, sweepEvery) != nil {
			return
		}
	}
}
