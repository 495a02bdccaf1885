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

// Intervals that need no setting.
const (
	sweepEvery = time.Minute
	// storeLimit bounds one call of the store. A slow one is made again; what it did is found out
	// by its next error.
	storeLimit = 10 * time.Second
	// leaseMost is how many turns a replica takes at once: enough for a crowd to be seen soon, few
	// enough for others to have their part.
	leaseMost = 8
)

// Run answers questions until ctx ends; then it takes no new turn, lets the running ones finish for
// Config.Grace, hands back what is left, and returns. It fails only when the store cannot be
// reached at the start. A Service runs once.
func (s *Service) Run(ctx context.Context) error {
	// nothing is held yet that a lease could lose meanwhile
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
	keepers.Go(func() { s.lookUps(keeping) })

	s.work(ctx, lasting, &turns)
	s.drain(&turns)
	stop()
	keepers.Wait()

	leaving, cancel := context.WithTimeout(lasting, storeLimit)
	defer cancel()
	if err := s.Store.Leave(leaving, s.config.Replica); err != nil {
		// Others take over as soon as the lease is over, so this costs seconds and no answer.
		s.Logger.WarnContext(ctx, "replica could not say that it ends", "replica", s.config.Replica, "error", err)
	}
	return nil
}

// How many times longer than Config.Poll the pauses between two looks for work get. A question
// wakes the process that received it, and a beat where another process left something behind. What
// both missed waits for idlePolls; where the last look says little, the next one comes within
// doubtPolls.
const (
	idlePolls  = 60
	doubtPolls = 4
)

// work leases turns and starts them until ctx ends.
func (s *Service) work(ctx, lasting context.Context, turns *sync.WaitGroup) {
	slots := make(chan struct{}, s.config.Workers)
	failing, wait := false, s.config.Poll
	var draining time.Time // since when turns wait to be run here apart; zero while none do
	for {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return
		}
		s.intakes.yield(ctx)
		taken := 1
		for ; taken < leaseMost && len(slots) < cap(slots); taken++ { // no other process fills them
			slots <- struct{}{}
		}
		leased, err := s.next(ctx, taken)
		draining, err = s.drained(ctx, draining, err)
		if err != nil && ctx.Err() == nil && !failing {
			s.Logger.WarnContext(ctx, "no turn could be leased", "replica", s.config.Replica, "error", err)
		}
		failing = err != nil
		for _, t := range leased {
			ctx, a := s.begin(lasting, t)
			turns.Go(func() {
				defer func() { <-slots }()
				s.end(ctx, a, s.process(ctx, a))
			})
		}
		for range taken - len(leased) {
			<-slots
		}
		if len(leased) > 0 {
			wait = s.config.Poll
			continue
		}
		// Between half of the interval and all of it, so that replicas do not look in step.
		woken := s.idle(ctx, wait/2+rand.N(wait/2+1))
		if ctx.Err() != nil {
			return
		}
		polls := time.Duration(idlePolls)
		if err != nil || s.doubtful() {
			polls = doubtPolls
		}
		if wait = min(2*wait, polls*s.config.Poll); woken {
			wait = s.config.Poll
		}
	}
}

// drained says since when the process drains, given what it has known of that and what came of the
// lease. It takes no turn then, so that some whose process died can run apart; what has run for the
// grace period is handed back, as at the end of a process.
func (s *Service) drained(ctx context.Context, since time.Time, leased error) (time.Time, error) {
	switch {
	case !errors.Is(leased, session.ErrDraining):
		return time.Time{}, leased
	case since.IsZero():
		s.Logger.InfoContext(ctx, "turns whose process died wait to run apart; nothing else is begun until they have", "replica", s.config.Replica)
		since = time.Now()
	case time.Since(since) > s.config.Grace:
		s.giveUp(errHandBack)
	}
	return since, nil
}

// idle waits until ctx ends or there may be work, at most for a time, and reports whether there may
// be.
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

// next leases turns; none means that there is none, or that the replica's own lease is in doubt.
func (s *Service) next(ctx context.Context, most int) ([]session.Turn, error) {
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
	s.unsure = false // what becomes doubtful from here on is looked for the next time
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
		s.doubt()
	}
	return leased, err
}

// doubt notes that the replica may hold turns that it does not work on.
func (s *Service) doubt() {
	s.mu.Lock()
	s.unsure = true
	s.mu.Unlock()
}

func (s *Service) doubtful() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unsure
}

// drain waits for running turns, at most for the grace period, and then makes them hand back.
func (s *Service) drain(turns *sync.WaitGroup) {
	done := make(chan struct{})
	go func() { // ends with the turns, which are waited for below
		turns.Wait()
		close(done)
	}()
	grace := time.NewTimer(s.config.Grace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
		s.giveUp(errHandBack)
		<-done
	}
}

// pollStops finds stops whose signal was lost.
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
		if len(fences) == 0 {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, storeLimit)
		ids, err := s.Store.Requested(limited, fences)
		cancel()
		if err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "stops not polled", "error", err)
		}
		for _, id := range ids {
			s.stopHere(id)
		}
	}
}

// stopHere stops a turn that runs in this process.
func (s *Service) stopHere(id session.TurnID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.running[id]; a != nil && a.stop != nil { // before it runs, it looks for itself
		if a.stopped.IsZero() {
			a.stopped = time.Now()
		}
		a.stop(turn.ErrStopped)
	}
}

// sweep clears away what has had its time, at the start and then every minute.
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
