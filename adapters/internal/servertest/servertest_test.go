package servertest_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/servertest"
)

func TestUntilSeesWhatHappenedWhileItAsked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s servertest.Signal
		var mu sync.Mutex
		happened, asked := 0, 0
		for i := range 3 {
			go func() {
				time.Sleep(time.Duration(i) * time.Second)
				mu.Lock()
				happened++
				mu.Unlock()
				s.Notify()
			}()
		}
		err := s.Until(t.Context(), func() bool {
			mu.Lock()
			defer mu.Unlock()
			asked++
			return happened == 3
		})
		if err != nil || asked > 4 {
			t.Errorf("Until = %v after it asked %d times", err, asked)
		}
		ended, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Until(ended, func() bool { return false }); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Until = %v", err)
		}
		if err := s.Until(ended, func() bool { return true }); err != nil {
			t.Errorf("what holds already is waited for: %v", err)
		}
	})
}

func TestFaultsHappenInOrder(t *testing.T) {
	t.Parallel()
	var f servertest.Faults[string]
	f.Add("post 500", 0, 0)
	f.Add("post 503", 1, 2)
	f.Add("get 404", 0, 1)
	var got []string
	for _, call := range []string{"get", "post", "post", "post", "get", "post", "post"} {
		what, ok := f.Next(func(f string) bool { return strings.HasPrefix(f, call) })
		if !ok {
			what = "fine"
		}
		got = append(got, what)
	}
	want := []string{"get 404", "post 500", "fine", "post 503", "fine", "post 503", "fine"}
	if !slices.Equal(got, want) {
		t.Errorf("faults %q, want %q", got, want)
	}
	f.Add("post 500", 0, 9)
	f.Mend()
	if what, ok := f.Next(func(string) bool { return true }); ok {
		t.Errorf("%q happens after all was mended", what)
	}
}

func TestLimitTakesSoManyInASpan(t *testing.T) {
	t.Parallel()
	var l servertest.Limit
	now := time.Unix(1000, 0)
	for range 2 {
		if wait := l.Within("a", 2, time.Minute, now); wait != 0 {
			t.Fatalf("room is refused for %s", wait)
		}
		now = now.Add(10 * time.Second)
	}
	if wait := l.Within("a", 2, time.Minute, now); wait != 40*time.Second {
		t.Errorf("there is room in %s, want 40 s", wait)
	}
	if wait := l.Within("b", 2, time.Minute, now); wait != 0 {
		t.Errorf("another key waits %s", wait)
	}
	if wait := l.Within("a", 2, time.Minute, now.Add(40*time.Second)); wait != 0 {
		t.Errorf("when there is room it is refused for %s", wait)
	}
}

func TestLogIsACopy(t *testing.T) {
	t.Parallel()
	var l servertest.Log[int]
	l.Add(1)
	l.Add(2)
	l.All()[0] = 9
	if all := l.Where(func(n int) bool { return n != 2 }); !slices.Equal(all, []int{1}) {
		t.Errorf("log %v", all)
	}
}
