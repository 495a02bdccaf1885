package call_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/thread/threadtest"
)

func TestPacingStaysWithinEveryTier(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		call thread.Call
		tier int // calls in any minute
	}{
		{"chat.postMessage in one channel", thread.Create, 60},
		{"chat.update", thread.Edit, 50},
		{"chat.startStream", thread.StreamStart, 20},
		{"chat.appendStream", thread.StreamAppend, 100},
		{"chat.stopStream", thread.StreamStop, 20},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var pacing call.Pacing
				to := thread.Ref{Workspace: "T1", Channel: "C1", Thread: "1.1"}
				var passed []time.Time
				for end := time.Now().Add(10 * time.Minute); time.Now().Before(end); {
					class := thread.Progress
					if time.Now().Second()%7 == 0 {
						class = thread.Final
					}
					if err := pacing.Reserve(t.Context(), to, tt.call, class); err == nil {
						passed = append(passed, time.Now())
					}
					time.Sleep(50 * time.Millisecond)
				}
				first := 0
				for i, at := range passed {
					for at.Sub(passed[first]) >= time.Minute {
						first++
					}
					if n := i - first + 1; n > tt.tier {
						t.Fatalf("%d calls within a minute, the tier is %d", n, tt.tier)
					}
				}
				if least := tt.tier * 10 / 3; len(passed) < least {
					t.Errorf("%d calls in ten minutes, want at least %d", len(passed), least)
				}
			})
		})
	}
}

func TestPacingServesFinalWritesFirstAndOthersInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var pacing call.Pacing
		to := thread.Ref{Workspace: "T1", Channel: "C1"}
		reserve := func(ctx context.Context, class thread.Class) error {
			return pacing.Reserve(ctx, to, thread.Create, class)
		}
		if err := reserve(t.Context(), thread.First); err != nil {
			t.Fatal(err)
		}
		served := make(chan string, 3)
		wait := func(name string, class thread.Class) {
			go func() {
				if reserve(t.Context(), class) == nil {
					served <- name
				}
			}()
			synctest.Wait()
		}
		wait("first", thread.First)
		wait("second", thread.First)
		gone, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() { left <- reserve(gone, thread.First) }()
		synctest.Wait()
		wait("final", thread.Final)
		if err := reserve(t.Context(), thread.Progress); !errors.Is(err, thread.ErrNoRoom) {
			t.Errorf("a progress write among waiting ones = %v, want ErrNoRoom", err)
		}
		leave()
		time.Sleep(10 * time.Second)
		for _, want := range []string{"final", "first", "second"} {
			if got := <-served; got != want {
				t.Errorf("served %s, want %s", got, want)
			}
		}
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("who left got %v", err)
		}
	})
}

func TestPacingPausesAfterARefusal(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var pacing call.Pacing
		to := thread.Ref{Workspace: "T1", Channel: "C1"}
		pacing.Pause(t.Context(), to, thread.Edit, 30*time.Second)
		begin := time.Now()
		if err := pacing.Reserve(t.Context(), to, thread.Edit, thread.Final); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begin); waited < 30*time.Second {
			t.Errorf("it waited %s, Slack asked for 30s", waited)
		}
		if err := pacing.Reserve(t.Context(), thread.Ref{Workspace: "T2"}, thread.Edit, thread.Progress); err != nil {
			t.Errorf("another workspace is held up: %v", err)
		}
	})
}

func TestFewAnswersAreShownBeforeTheyAreComplete(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var pacing call.Pacing
		answer := func(n int) thread.Ref {
			return thread.Ref{Workspace: "T1", Channel: fmt.Sprint("C", n), Thread: "1.1"}
		}
		for n := range 10 {
			if err := pacing.Reserve(t.Context(), answer(n), thread.Create, thread.First); err != nil {
				t.Fatal(err)
			}
		}
		begun := time.Now()
		next := make(chan error, 1)
		go func() { next <- pacing.Reserve(t.Context(), answer(10), thread.Create, thread.First) }()
		time.Sleep(10 * time.Second)
		if err := pacing.Reserve(t.Context(), answer(11), thread.Create, thread.Final); err != nil {
			t.Errorf("a complete answer: %v", err)
		}
		if err := pacing.Reserve(t.Context(), answer(3), thread.Edit, thread.Final); err != nil {
			t.Errorf("a final edit: %v", err)
		}
		if err := <-next; err != nil || time.Since(begun) > 11*time.Second {
			t.Errorf("the next answer was begun after %s, %v", time.Since(begun), err)
		}
	})
}

func TestWaitThatWouldBeInVainIsNotBegun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var pacing call.Pacing
		to, begin := thread.Ref{Workspace: "T1", Channel: "C1"}, time.Now()
		begun, refused := 0, 0
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			switch err := pacing.Reserve(ctx, to, thread.StreamStart, thread.First); {
			case err == nil:
				begun++
			case errors.Is(err, thread.ErrNoRoom):
				refused++
			}
			cancel()
		}
		if begun != 8 || refused != 2 || time.Since(begin) != 0 {
			t.Errorf("%d streams begun, %d refused, after %s", begun, refused, time.Since(begin))
		}
	})
}

// down are tiers that cannot be asked.
type down struct{ asked atomic.Int32 }

func (d *down) Take(context.Context, string, thread.Tier, thread.Class) (time.Duration, error) {
	d.asked.Add(1)
	return 0, errors.New("the server is down")
}
func (d *down) Count(context.Context, string, thread.Tier) error {
	return errors.New("the server is down")
}
func (d *down) Pause(context.Context, string, time.Duration) error {
	return errors.New("the server is down")
}

// Two processes together stay within a tier: through tiers that they share, and with half of it
// each while those are down.
func TestProcessesShareTheTiers(t *testing.T) {
	t.Parallel()
	for name, tiers := range map[string]thread.Tiers{"shared": &threadtest.Tiers{}, "none": nil, "down": &down{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var both [2]call.Pacing
				for i := range both {
					both[i].Share(2)
					if tiers != nil {
						both[i].Use(tiers)
					}
				}
				var passed []time.Time
				for range 3 * 60 * 4 { // three minutes in quarters of a second
					for i := range both {
						if both[i].Reserve(t.Context(), thread.Ref{Workspace: "T1", Channel: "C1"}, thread.Edit, thread.Progress) == nil {
							passed = append(passed, time.Now())
						}
					}
					time.Sleep(250 * time.Millisecond)
				}
				most := 0
				for i := range passed {
					n := 0
					for _, at := range passed[i:] {
						if at.Sub(passed[i]) < time.Minute {
							n++
						}
					}
					most = max(most, n)
				}
				if most > 50 || most < 35 { // ten of them are kept for final edits
					t.Errorf("%d progress edits within a minute, want at most 50, and 40 but for rounding", most)
				}
				if d, ok := tiers.(*down); ok && d.asked.Load() > 80 {
					t.Errorf("tiers that are down were asked %d times within three minutes", d.asked.Load())
				}
			})
		})
	}
}

func TestRefusalAndUncountedCallsAreToldToOtherProcesses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tiers := &threadtest.Tiers{}
		var one, other call.Pacing
		one.Use(tiers)
		other.Use(tiers)
		to := thread.Ref{Workspace: "T1", Channel: "C1"}
		one.Pause(t.Context(), to, thread.Edit, 10*time.Second)
		one.Count(t.Context(), to, thread.Create)
		for _, call := range []thread.Call{thread.Edit, thread.Create} {
			if err := other.Reserve(t.Context(), to, call, thread.Progress); !errors.Is(err, thread.ErrNoRoom) {
				t.Errorf("call %d passes: %v", call, err)
			}
		}
		begin := time.Now()
		if err := other.Reserve(t.Context(), to, thread.Edit, thread.Final); err != nil || time.Since(begin) < 10*time.Second {
			t.Errorf("a final write passes after %s: %v", time.Since(begin), err)
		}
	})
}
