package pace_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/pace"
	"github.com/footnotehq/footnote/core/thread"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 500_000_000, time.UTC)
	for _, tt := range []struct {
		value string
		wait  time.Duration
		said  bool
	}{
		{"7", 7 * time.Second, true},
		{" 0.25 ", 250 * time.Millisecond, true},
		{"0", 0, true},
		{"1e300", pace.Forever, true},
		{"+Inf", pace.Forever, true},
		{"NaN", 0, false},
		{"-4", 0, false},
		{"soon", 0, false},
		{"", 0, false},
		{"Sat, 21 Nov 2026 12:00:20 GMT", 20 * time.Second, true},
		{"Sat, 21 Nov 2026 11:00:00 GMT", time.Second, true},
		{"Sun, 21 Nov 9999 11:00:00 GMT", pace.Forever, true},
	} {
		wait, said := pace.RetryAfter(http.Header{"Retry-After": {tt.value}}, now)
		if said != tt.said || wait != tt.wait {
			t.Errorf("%q is %s, %v; want %s, %v", tt.value, wait, said, tt.wait, tt.said)
		}
	}
	if wait, said := pace.RetryAfter(http.Header{}, now); wait != 0 || said {
		t.Errorf("no header is %s, %v", wait, said)
	}
}

func TestRestEndsWhenItsTimeIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r pace.Rest
		if !r.Empty() || r.Left("a") != 0 {
			t.Error("there is something to be left alone before anything was said")
		}
		r.For("a", time.Minute)
		r.For("a", time.Second)
		if left := r.Left("a"); left != time.Minute {
			t.Errorf("a shorter rest made it %s", left)
		}
		if left := r.Left("b"); left > 0 || r.Empty() {
			t.Errorf("another key is left alone for %s", left)
		}
		begin := time.Now()
		time.AfterFunc(30*time.Second, func() { r.For("a", time.Minute) })
		if err := r.Wait(t.Context(), "a"); err != nil || time.Since(begin) != 90*time.Second {
			t.Errorf("waited %s, %v", time.Since(begin), err)
		}
		for i := range 5000 { // of keys that are over, few are remembered
			r.For(strconv.Itoa(i), time.Nanosecond)
			time.Sleep(time.Microsecond)
		}
		r.For("a", time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := r.Wait(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a wait that was given up ended with %v", err)
		}
	})
}

func TestPartOfAQuotaGrowsForThoseWhoWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pace.Quota{Every: time.Second, Burst: 4}.Part()
		p.Share(2)
		for range 2 {
			if !p.Allow() {
				t.Fatal("the burst is less than its part")
			}
		}
		if p.Allow() || p.Spare() || p.Room(0) {
			t.Fatal("the burst is more than its part")
		}
		p.Share(1000)
		begin := time.Now()
		time.AfterFunc(time.Minute, func() { p.Share(1) })
		if err := p.Wait(t.Context()); err != nil || time.Since(begin) > 62*time.Second {
			t.Errorf("waited %s, %v", time.Since(begin), err)
		}
		short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		begin = time.Now()
		if err := p.Wait(short); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 0 {
			t.Errorf("a wait in vain took %s and ended with %v", time.Since(begin), err)
		}
	})
}

// slow is a store that answers when it is let, or never.
type slow struct {
	asked  chan struct{}
	answer chan error
}

func (s slow) Take(ctx context.Context, _ string, _ thread.Tier, _ thread.Class) (time.Duration, error) {
	s.asked <- struct{}{}
	select {
	case err := <-s.answer:
		return time.Second, err
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}
func (s slow) Count(context.Context, string, thread.Tier) error   { return nil }
func (s slow) Pause(context.Context, string, time.Duration) error { return errors.New("away") }

// Nobody waits for a question to the shared tiers but who asks it, and while they do not answer
// they are left alone.
func TestSharedTiersAreAskedWithoutALock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tiers := slow{asked: make(chan struct{}), answer: make(chan error)}
		var s pace.Shared
		if _, ok := s.Take(t.Context(), "a", thread.Tier{}, thread.Final); ok || s.InReach() {
			t.Error("there are shared tiers where there are none")
		}
		s.Use(tiers)
		done := make(chan bool)
		go func() {
			_, ok := s.Take(t.Context(), "a", thread.Tier{}, thread.Final)
			done <- ok
		}()
		<-tiers.asked
		begin := time.Now()
		if !s.InReach() || time.Since(begin) != 0 {
			t.Error("who asks whether they are in reach waits for them")
		}
		tiers.answer <- nil
		if !<-done {
			t.Error("they answered, and it is said that they did not")
		}
		go func() {
			_, ok := s.Take(t.Context(), "a", thread.Tier{}, thread.Final)
			done <- ok
		}()
		<-tiers.asked
		if <-done || time.Since(begin) > time.Second {
			t.Errorf("a store that is silent is waited for %s", time.Since(begin))
		}
		if s.InReach() {
			t.Error("they are asked again at once")
		}
		time.Sleep(5 * time.Second)
		if !s.InReach() {
			t.Error("they are never asked again")
		}
		s.Pause(t.Context(), "a", time.Second)
		if s.InReach() {
			t.Error("they are asked again after they failed")
		}
	})
}
