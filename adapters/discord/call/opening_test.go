package call

import (
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/thread/threadtest"
)

// window is a channel in which the platform lets five threads be opened in five seconds, the first
// of which begin the window.
type window struct {
	mu      sync.Mutex
	left    int
	resets  time.Time
	refused int
}

// open is a call that takes a while to get there and back.
func (w *window) open() http.Header {
	const travel = 40 * time.Millisecond
	time.Sleep(travel)
	defer time.Sleep(travel)
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if !w.resets.After(now) {
		w.left, w.resets = assumedRequests, now.Add(assumedWindow)
	}
	if w.left == 0 {
		w.refused++
	}
	w.left = max(0, w.left-1)
	h := http.Header{}
	h.Set("X-Ratelimit-Limit", strconv.Itoa(assumedRequests))
	h.Set("X-Ratelimit-Remaining", strconv.Itoa(w.left))
	h.Set("X-Ratelimit-Reset-After", strconv.FormatFloat(w.resets.Sub(now).Seconds(), 'f', 3, 64))
	return h
}

// Three processes open twelve threads in one channel as fast as Discord lets them, and none is
// refused; but where a window had begun slowly the tier has filled up meanwhile, and the window has
// not.
func TestProcessesShareOpeningsOfThreads(t *testing.T) {
	t.Parallel()
	for before, most := range map[int]int{0: 0, 1: 0, 3: 1, 5: 0} {
		t.Run(strconv.Itoa(before)+" before", func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				shared, channel, key := &threadtest.Tiers{}, &window{}, openBucket("1")
				var processes []*limits
				for range 3 {
					l := newLimits()
					l.budget.use(shared, testKey)
					processes = append(processes, l)
				}
				open := func(l *limits) {
					if err := l.Wait(t.Context(), key); err != nil {
						t.Error(err)
						return
					}
					h := channel.open()
					l.answered(key, h)
					l.budget.opened(t.Context(), key, h)
				}
				for range before {
					open(processes[0])
					time.Sleep(500 * time.Millisecond)
				}
				began := time.Now()
				var all sync.WaitGroup
				for _, l := range processes {
					for range 4 {
						all.Go(func() { open(l) })
					}
				}
				all.Wait()
				if channel.refused > most {
					t.Errorf("%d openings were refused, want %d at most", channel.refused, most)
				}
				if took := time.Since(began); took > 3*assumedWindow+time.Second {
					t.Errorf("12 threads were opened in %s", took)
				}
			})
		})
	}
}

// Tiers that cannot be asked hold nothing up, and each channel has a tier of its own.
func TestOpeningsWithoutSharedTiers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, shared := range []thread.Tiers{nil, &tiers{gone: true}} {
			l := newLimits()
			l.budget.use(shared, testKey)
			began := time.Now()
			if err := l.Wait(t.Context(), openBucket("1")); err != nil || time.Since(began) > 0 {
				t.Errorf("a thread may be opened after %s: %v", time.Since(began), err)
			}
		}
	})
	if one, other := openKey(testKey, openBucket("1")), openKey(testKey, openBucket("2")); one == other || one == testKey {
		t.Errorf("two channels are counted as %q and %q", one, other)
	}
}
