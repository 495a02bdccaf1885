package call

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A scan of 300 channels holds up neither what writes answers nor what looks something up for them.
func TestIdleCallsComeAfterOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		var calls sync.WaitGroup
		for range 300 {
			calls.Go(func() {
				ended, err := l.admit(Idle(t.Context(), nil), "GET messages 1")
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(100 * time.Millisecond)
				ended()
			})
		}
		time.Sleep(1500 * time.Millisecond)
		for _, key := range []string{CreateBucket("2"), EditBucket("2"), "GET channel 2"} {
			began := time.Now()
			ended, err := l.admit(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			if waited := time.Since(began); waited > 100*time.Millisecond {
				t.Errorf("%s waited %s behind idle calls", key, waited)
			}
			ended()
		}
		calls.Wait()
		time.Sleep(2 * time.Second)
		if len(l.idle) != 0 || len(l.window) != 0 {
			t.Errorf("%d idle calls and %d calls are still counted", len(l.idle), len(l.window))
		}
	})
}

func TestHurriedCallsAreNotIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		for range idleWindow {
			if _, err := l.admit(Idle(t.Context(), nil), "a"); err != nil {
				t.Fatal(err)
			}
		}
		hurry, admitted := make(chan struct{}), make(chan error)
		go func() {
			_, err := l.admit(Idle(t.Context(), hurry), "b")
			admitted <- err
		}()
		time.Sleep(time.Minute)
		select {
		case err := <-admitted:
			t.Errorf("an idle call was admitted beyond its share: %v", err)
		default:
		}
		began := time.Now()
		close(hurry)
		if err := <-admitted; err != nil || time.Since(began) > 0 {
			t.Errorf("a hurried call waited %s: %v", time.Since(began), err)
		}
	})
}
