package answer

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/sleep"
)

// Causes with which a turn's context ends for reasons of the process.
var (
	errLeaseLost = errors.New("the replica could not renew its leases in time")
	errHandBack  = errors.New("the replica ends and hands its turns back")
)

// lease is the replica's own view of how long its turns are its own: ttl from the moment before the
// last beat that succeeded. Postgres's view ends later, never earlier, so nothing is written for a
// turn that another replica may hold. A paused process finds its lease over when it continues,
// because the clock went on.
type lease struct {
	ttl time.Duration

	mu    sync.Mutex
	until time.Time
}

func newLease(ttl time.Duration) *lease { return &lease{ttl: ttl} }

// renewed notes a beat that succeeded and was begun at the time given.
func (l *lease) renewed(began time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = began.Add(l.ttl)
}

// permit implements Permit.
func (l *lease) permit() error {
	if l.left() <= 0 {
		return errLeaseLost
	}
	return nil
}

func (l *lease) left() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	// The monotonic clock stands still while a machine is suspended, the wall clock can be set
	// back: the shorter answer is the safe one.
	return min(time.Until(l.until), l.until.Round(0).Sub(time.Now().Round(0)))
}

// beat renews the replica's lease until ctx ends, and gives all turns up whenever it runs out.
// Failures are logged once per outage.
func (s *Service) beat(ctx context.Context) {
	failing := false
	for {
		wait := s.pulse()
		if err := s.renew(ctx); err != nil && ctx.Err() == nil {
			if !failing {
				s.Logger.WarnContext(ctx, "lease not renewed", "replica", s.config.Replica, "left", s.lease.left().String(), "error", err)
			}
			failing, wait = true, min(wait, s.config.Beat/4)
			if s.lease.left() <= 0 {
				s.giveUp(errLeaseLost)
			}
		} else if failing && ctx.Err() == nil {
			failing = false
			s.Logger.InfoContext(ctx, "lease renewed again", "replica", s.config.Replica)
		}
		if sleep.For(ctx, wait) != nil {
			return
		}
	}
}

// pulse is the time until the next beat: twice as long while no turn could lose its lease.
func (s *Service) pulse() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.running) == 0 {
		return min(2*s.config.Beat, s.config.Lease/3)
	}
	return s.config.Beat
}

// renew beats once. The attempt is given up when the lease would be over anyway.
func (s *Service) renew(ctx context.Context) error {
	limit := s.config.Lease / 2
	if left := s.lease.left(); left > 0 {
		limit = min(limit, left)
	}
	return s.renewWithin(ctx, limit)
}

// renewWithin is renew with its own limit.
func (s *Service) renewWithin(ctx context.Context, limit time.Duration) error {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	work, err := s.Store.Beat(ctx, s.config.Replica, s.config.Lease)
	if err != nil {
		return err
	}
	if work || s.lease.left() <= 0 {
		defer s.Wake()
	}
	if s.lease.left() <= 0 {
		// The process was paused, or the database away, for longer than the lease: another replica
		// may hold the turns by now.
		s.giveUp(errLeaseLost)
	}
	s.lease.renewed(began)
	return nil
}

// giveUp ends all attempts that run, without an outcome.
func (s *Service) giveUp(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.running {
		a.cancel(cause)
	}
	if len(s.running) > 0 {
		s.unsure = true
	}
}
