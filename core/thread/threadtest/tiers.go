package threadtest

import (
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

// TiersSuite tests an implementation of thread.Tiers. open returns the same empty tiers twice, as
// two processes see them.
func TiersSuite(t *testing.T, open func(*testing.T) (one, other thread.Tiers)) {
	t.Helper()
	// so slow that no token is refilled while a test runs
	tier := thread.Tier{Burst: 5, Every: time.Minute, Reserve: 2}
	take := func(t *testing.T, of thread.Tiers, key string, class thread.Class) time.Duration {
		t.Helper()
		wait, err := of.Take(t.Context(), key, tier, class)
		if err != nil {
			t.Fatal(err)
		}
		return wait
	}
	near := func(t *testing.T, what string, got, want time.Duration) {
		t.Helper()
		if got > want || got < want-30*time.Second {
			t.Errorf("%s: wait %s, want about %s", what, got, want)
		}
	}
	t.Run("a burst is shared, and a part of it kept for final writes", func(t *testing.T) {
		t.Parallel()
		one, other := open(t)
		for i, of := range []thread.Tiers{one, other, one} {
			if wait := take(t, of, "k", thread.Progress); wait != 0 {
				t.Fatalf("call %d has to wait %s", i+1, wait)
			}
		}
		near(t, "the reserve is not for progress", take(t, other, "k", thread.Progress), time.Minute)
		near(t, "nor for first words", take(t, other, "k", thread.First), time.Minute)
		for i, of := range []thread.Tiers{one, other} {
			if wait := take(t, of, "k", thread.Final); wait != 0 {
				t.Fatalf("final write %d has to wait %s", i+1, wait)
			}
		}
		near(t, "an empty bucket", take(t, one, "k", thread.Final), time.Minute)
		near(t, "what only asks is not counted", take(t, one, "k", thread.Final), time.Minute)
	})
	t.Run("keys have nothing to do with each other", func(t *testing.T) {
		t.Parallel()
		one, other := open(t)
		for range 3 {
			take(t, one, "a", thread.Progress)
		}
		if wait := take(t, other, "b", thread.Progress); wait != 0 {
			t.Errorf("another key has to wait %s", wait)
		}
	})
	t.Run("calls that could not wait make others wait", func(t *testing.T) {
		t.Parallel()
		one, other := open(t)
		for range 7 {
			if err := one.Count(t.Context(), "k", tier); err != nil {
				t.Fatal(err)
			}
		}
		near(t, "a final write", take(t, other, "k", thread.Final), 3*time.Minute)
	})
	t.Run("a pause counts for everybody", func(t *testing.T) {
		t.Parallel()
		one, other := open(t)
		if err := one.Pause(t.Context(), "k", 10*time.Minute); err != nil {
			t.Fatal(err)
		}
		near(t, "after a refusal", take(t, other, "k", thread.Final), 10*time.Minute)
		if err := other.Pause(t.Context(), "k", time.Second); err != nil {
			t.Fatal(err)
		}
		near(t, "a shorter pause ends no longer one", take(t, one, "k", thread.Final), 10*time.Minute)
	})
	t.Run("tokens come back", func(t *testing.T) {
		t.Parallel()
		one, other := open(t)
		quick := thread.Tier{Burst: 1, Every: time.Microsecond}
		for range 50 {
			wait, err := one.Take(t.Context(), "k", quick, thread.Progress)
			for err == nil && wait > 0 { // the clock moves on by itself
				wait, err = other.Take(t.Context(), "k", quick, thread.Progress)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	t.Run("no more pass than the tier allows, however many ask", func(t *testing.T) {
		t.Parallel()
		one, other := open(t)
		var mu sync.Mutex
		passed := 0
		var all sync.WaitGroup
		for i := range 40 {
			of := one
			if i%2 == 1 {
				of = other
			}
			all.Go(func() {
				wait, err := of.Take(t.Context(), "k", tier, thread.Final)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				if wait == 0 {
					passed++
				}
			})
		}
		all.Wait()
		if passed != tier.Burst {
			t.Errorf("%d calls passed, want %d", passed, tier.Burst)
		}
	})
}
