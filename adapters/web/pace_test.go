package web

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestOneHostHasOnePace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := new(Politeness)
		one, other := p.of("docs.example.org", time.Second), p.of("docs.example.org", 2*time.Second)
		elsewhere := p.of("wiki.example.org", time.Second)
		begin := time.Now()
		wait := func(s *hostPace, want time.Duration) {
			t.Helper()
			if err := s.wait(t.Context()); err != nil || time.Since(begin) != want {
				t.Errorf("passed after %v, %v, want %v", time.Since(begin), err, want)
			}
		}
		wait(one, 0)
		wait(elsewhere, 0)
		wait(other, 2*time.Second)
		one.slow(time.Second) // no faster than anybody asked for
		wait(one, 4*time.Second)
		other.rest(time.Minute)
		other.rest(time.Second)
		wait(elsewhere, 4*time.Second)
		wait(one, 64*time.Second)
		other.rest(longestWait)
		stopped := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stopped) })
		if err := one.wait(ctx); !errors.Is(err, stopped) {
			t.Errorf("error %v, want the cause", err)
		}
		other.rest(time.Hour)
		var busy *busyError
		if err := one.wait(t.Context()); !errors.As(err, &busy) {
			t.Errorf("for an hour: %v", err)
		}
	})
}
