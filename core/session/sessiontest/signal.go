package sessiontest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/session"
)

// SignalSuite tests a session.Signal. open returns two signals that stand for two processes: what
// one raises, both must notify. They must be reliable. An implementation for one process may return
// the same signal twice.
func SignalSuite(t *testing.T, open func(*testing.T) (raise, watch session.Signal)) {
	t.Helper()
	t.Run("a stop is heard in both processes", func(t *testing.T) {
		t.Parallel()
		raise, watch := open(t)
		here, there := raise.Watch(t.Context(), "t1"), watch.Watch(t.Context(), "t1")
		again := watch.Watch(t.Context(), "t1")
		if err := raise.Raise(t.Context(), "t1"); err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]<-chan struct{}{"here": here, "there": there, "there again": again} {
			heard(t, name, c)
		}
	})
	t.Run("only the turn's own watchers hear it", func(t *testing.T) {
		t.Parallel()
		raise, watch := open(t)
		other, mine := watch.Watch(t.Context(), "t2"), watch.Watch(t.Context(), "t1")
		if err := raise.Raise(t.Context(), "t1"); err != nil {
			t.Fatal(err)
		}
		heard(t, "t1", mine)
		unheard(t, other)
	})
	t.Run("a stop before the watch is not heard", func(t *testing.T) {
		t.Parallel()
		raise, watch := open(t)
		first := watch.Watch(t.Context(), "t1")
		if err := raise.Raise(t.Context(), "t1"); err != nil {
			t.Fatal(err)
		}
		heard(t, "t1", first)
		unheard(t, watch.Watch(t.Context(), "t1"))
	})
	t.Run("a watch given up hears nothing", func(t *testing.T) {
		t.Parallel()
		raise, watch := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		gone, kept := watch.Watch(ctx, "t1"), watch.Watch(t.Context(), "t2")
		cancel()
		if counted, ok := watch.(interface{ Watching() int }); ok {
			deadline := time.Now().Add(10 * time.Second)
			for counted.Watching() != 1 {
				if time.Now().After(deadline) {
					t.Fatalf("%d turns are still watched", counted.Watching())
				}
			}
		}
		for _, id := range []session.TurnID{"t1", "t2"} {
			if err := raise.Raise(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		}
		heard(t, "t2", kept)
		unheard(t, gone)
	})
	t.Run("many at once", func(t *testing.T) {
		t.Parallel()
		raise, watch := open(t)
		var wg sync.WaitGroup
		for n := range 100 {
			id := session.TurnID(fmt.Sprint("t", n))
			c := watch.Watch(t.Context(), id)
			wg.Go(func() { heard(t, string(id), c) })
			wg.Go(func() {
				if err := raise.Raise(t.Context(), id); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if !watch.Reliable() || !raise.Reliable() {
			t.Error("the signal lost its reliability")
		}
	})
}

func heard(t *testing.T, name string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(10 * time.Second):
		t.Errorf("%s: the stop was not heard", name)
	}
}

func unheard(t *testing.T, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
		t.Error("a stop was heard that was not meant")
	default:
	}
}
