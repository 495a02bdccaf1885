package answer

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/sleep"
)

// Causes with which the process itself cancels attempts, without a request by a person.
var (
	errLeaseLost = errors.New("the replica could not renew its leases in time")
	errHandBack  = errors.New("the replica ends and hands its turns back")
)

// lease records in memory how long this replica may work on its turns. It expires before the lease
// in the store, so that the replica stops writing before another replica takes over.
type lease struct {
	ttl time.Duration

	mu    sync.Mutex
	until time.Time
}

func newLease(ttl time.Duration) *lease { return &lease{ttl: ttl} }

func (l *lease) renewed(began time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = began.Add(l.ttl)
}

// permit implements [chat.Permit]. It returns errLeaseLost if the lease has expired.
func (l *lease) permit() error {
	if l.remaining() <= 0 {
		return errLeaseLost
	}
	return nil
}

func (l *lease) remaining() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	// The monotonic clock stops while a machine is suspended, and the wall clock can be set back.
	// Use the shorter of both.
	return min(time.Until(l.until), l.until.Round(0).Sub(time.Now().Round(0)))
}

// beat renews the replica's lease until ctx ends. If the lease expires, it cancels all attempts. It
// logs only the first failure of an outage.
func (s *Service) beat(ctx context.Context) {
	failing := false
	for {
		wait := s.beatInterval()
		if err := s.renew(ctx); err != nil && ctx.Err() == nil {
			if !failing {
				s.Logger.WarnContext(ctx, "lease not renewed", "replica", s.config.Replica, "left", s.lease.remaining().String(), "error", err)
			}
			failing, wait = true, min(wait, s.config.Beat/4)
			if s.lease.remaining() <= 0 {
				s.cancelAll(errLeaseLost)
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

// beatInterval returns the interval between renewals of the lease. It is Config.Beat while turns
// are running, and up to twice as long otherwise.
func (s *Service) beatInterval() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.running) == 0 {
		return min(2*s.config.Beat, s.config.Lease/3)
	}
	return s.config.Beat
}

// renew renews the replica's lease in the store. It fails after half the lease's duration, or when
// the current lease expires.
func (s *Service) renew(ctx context.Context) error {
	limit := s.config.Lease / 2
	if left := s.lease.remaining(); left > 0 {
		limit = min(limit, left)
	}
	return s.renewWithin(ctx, limit)
}

func (s *Service) renewWithin(ctx context.Context, limit time.Duration) error {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	work, err := s.Store.Beat(ctx, s.config.Replica, s.config.Lease)
	if err != nil {
		return err
	}
	if work || s.lease.remaining() <= 0 {
		defer s.Wake()
	}
	if s.lease.remaining() <= 0 {
		// The process was paused, or the database was unreachable, for longer than the lease.
		// Another replica may hold the turns now.
		s.cancelAll(errLeaseLost)
	}
	s.lease.renewed(began)
	return nil
}

func (s *Service) cancelAll(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.running {
		a.cancel(cause)
	}
	if len(s.running) > 0 {
		s.unsure = true
	}
}
