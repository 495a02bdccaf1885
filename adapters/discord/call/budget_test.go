package call

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/thread"
)

var testKey = globalKey("token")

// tiers are shared tiers in memory, which may be out of reach.
type tiers struct {
	mu     sync.Mutex
	bucket thread.Bucket
	gone   bool
}

func (t *tiers) reach(key string, tier thread.Tier) error {
	if t.gone || key != testKey {
		return errors.New("out of reach")
	}
	t.bucket.Burst, t.bucket.Every, t.bucket.Reserve = tier.Burst, tier.Every, tier.Reserve
	return nil
}

func (t *tiers) Take(_ context.Context, key string, tier thread.Tier, class thread.Class) (time.Duration, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.reach(key, tier); err != nil {
		return 0, err
	}
	wait := t.bucket.Wait(time.Now(), 1, class)
	if wait == 0 {
		t.bucket.Take(time.Now())
	}
	return wait, nil
}

func (t *tiers) Count(context.Context, string, thread.Tier) error { return nil }

func (t *tiers) Pause(_ context.Context, key string, d time.Duration) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.reach(key, globalTier); err != nil {
		return err
	}
	t.bucket.Pause(time.Now(), d)
	return nil
}

// most is the largest number of calls in any second.
func most(calls []time.Time) int {
	worst := 0
	for i, from := range calls {
		n := 0
		for _, at := range calls[i:] {
			if at.Sub(from) < time.Second {
				n++
			}
		}
		worst = max(worst, n)
	}
	return worst
}

// Three processes together keep within the bot's share, with tiers that they share and with a part
// each, and a global refusal that one of them meets holds them all.
func TestProcessesKeepWithinTheBotsShareTogether(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		shared thread.Tiers
	}{{"shared tiers", &tiers{}}, {"shared tiers that are out of reach", &tiers{gone: true}}, {"no shared tiers", nil}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				var calls []time.Time
				var processes []*budget
				var all sync.WaitGroup
				for range 3 {
					b := newBudget()
					b.share(3)
					b.use(tt.shared, testKey)
					processes = append(processes, b)
					if tt.shared != nil { // the first call of each finds out whether they are in reach
						_ = b.wait(t.Context(), true)
					}
				}
				time.Sleep(2 * time.Second)
				began := time.Now()
				for _, b := range processes {
					for range 100 {
						all.Go(func() {
							if err := b.wait(t.Context(), true); err != nil {
								t.Error(err)
							}
							mu.Lock()
							defer mu.Unlock()
							calls = append(calls, time.Now())
						})
					}
				}
				all.Wait()
				if n := most(calls); n > 50 {
					t.Errorf("%d calls were made within a second", n)
				}
				if took := time.Since(began); took > 9*time.Second {
					t.Errorf("300 calls took %s", took)
				}
			})
		})
	}
}

func TestGlobalRefusalHoldsOtherProcesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shared := &tiers{}
		one, other := newBudget(), newBudget()
		one.use(shared, testKey)
		other.use(shared, testKey)
		one.pause(t.Context(), 3*time.Second)
		began := time.Now()
		if err := other.wait(t.Context(), true); err != nil || time.Since(began) < 3*time.Second {
			t.Errorf("another process called after %s: %v", time.Since(began), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		one.pause(t.Context(), time.Hour)
		if err := other.wait(ctx, false); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("wait = %v", err)
		}
	})
}

// However many threads are to be opened, words that can be written do not wait for them.
func TestWritesComeFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBudget()
		var all sync.WaitGroup
		wait := func(urgent bool) {
			if err := b.wait(t.Context(), urgent); err != nil {
				t.Error(err)
			}
		}
		began := time.Now()
		for range 40 {
			all.Go(func() { wait(false) })
		}
		synctest.Wait()
		for range 3 {
			all.Go(func() {
				wait(true)
				if waited := time.Since(began); waited > 4*time.Second/globalRate {
					t.Errorf("a write waited %s", waited)
				}
			})
		}
		all.Wait()
		if took := time.Since(began); took > time.Second {
			t.Errorf("all calls took %s", took)
		}
	})
}

func TestBotsOnOneRedisHaveSharesOfTheirOwn(t *testing.T) {
	t.Parallel()
	if one, other := globalKey("one"), globalKey("other"); one == other || one != globalKey("one") || strings.Contains(one, "one") {
		t.Errorf("the keys are %q and %q", one, other)
	}
}
