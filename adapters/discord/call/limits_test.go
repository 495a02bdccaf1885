package call

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func headers(left, after string) http.Header {
	return http.Header{"X-Ratelimit-Remaining": {left}, "X-Ratelimit-Reset-After": {after}}
}

// named is headers of a bucket that has a name and a limit.
func named(limit, left, after, name string) http.Header {
	h := headers(left, after)
	h.Set("X-RateLimit-Limit", limit)
	h.Set("X-RateLimit-Bucket", name)
	return h
}

// What there is of a bucket is not known before its first answer: one call finds out, and the
// others wait for it.
func TestFirstCallOfABucketFindsOutWhatThereIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		if !l.Try("a", BucketKept) {
			t.Fatal("the first call was not allowed")
		}
		if l.Try("a", 0) {
			t.Fatal("a second call was made before the first was answered")
		}
		l.answered("a", named("2", "1", "3", "x"))
		if !l.Try("a", 0) {
			t.Error("the call that is left was not allowed")
		}
		if l.Try("a", 0) {
			t.Error("more was allowed than the call that is left")
		}
		l.answered("a", named("2", "0", "3", "x"))
		time.Sleep(4 * time.Second)
		allowed := 0
		for l.Try("a", 0) {
			allowed++
		}
		if allowed != 2 {
			t.Errorf("a new window has %d calls, and Discord stated two", allowed)
		}
	})
}

// Routes of one channel that the platform names as one bucket are counted together; those of
// another channel are not.
func TestRoutesOfOneBucketAreCountedTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		for _, key := range []string{CreateBucket("1"), EditBucket("1"), CreateBucket("2")} {
			l.must(t, key)
			l.answered(key, named("5", "4", "5", "shared"))
		}
		l.must(t, CreateBucket("1"))
		l.answered(CreateBucket("1"), named("5", "0", "5", "shared"))
		if l.Try(EditBucket("1"), 0) {
			t.Error("an edit was allowed although the channel's bucket is empty")
		}
		if !l.Try(CreateBucket("2"), 0) {
			t.Error("another channel was held back")
		}
		time.Sleep(6 * time.Second)
		if !l.Try(EditBucket("1"), 0) {
			t.Error("an edit was held back in the next window")
		}
	})
}

// Where a limit names only the moment of the reset, that is heeded.
func TestResetByTheClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		l.must(t, "a")
		now := time.Now()
		l.answered("a", http.Header{
			"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {strconv.FormatInt(now.Add(4*time.Second).Unix(), 10)}, "Date": {now.UTC().Format(http.TimeFormat)},
		})
		l.must(t, "a")
		if waited := time.Since(now); waited < 3*time.Second || waited > 5*time.Second {
			t.Errorf("the next call was made after %s, want 4s", waited)
		}
	})
}

// The answer to a command takes its call before the command is acknowledged, which must not wait
// for that.
func TestFirstResponseWaitsForNoAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		l.must(t, ReplyBucket("token"))
		began := time.Now()
		l.must(t, CallbackBucket("1"))
		if time.Since(began) != 0 {
			t.Errorf("it waited %s", time.Since(began))
		}
	})
}

// What is stated of a reset is rounded, down as well: a call that comes at that very moment would
// be refused.
func TestResetIsNotTakenAtItsWord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		l.must(t, "a")
		l.answered("a", named("5", "0", "0.499", "x"))
		began := time.Now()
		l.must(t, "a")
		if waited := time.Since(began); waited <= 500*time.Millisecond || waited > time.Second {
			t.Errorf("the next call was made after %s", waited)
		}
	})
}

// A global refusal of an interaction's own call holds that interaction, and everything else.
func TestGlobalRefusalOfAnInteraction(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		l.must(t, ReplyBucket("token"))
		l.answered(ReplyBucket("token"), nil)
		l.refused(ReplyBucket("token"), 2*time.Second, true)
		began := time.Now()
		l.must(t, ReplyBucket("another"))
		if time.Since(began) != 0 {
			t.Errorf("another interaction waited %s", time.Since(began))
		}
		l.must(t, ReplyBucket("token"))
		if time.Since(began) < 2*time.Second {
			t.Errorf("it was called again after %s", time.Since(began))
		}
	})
}

func TestBucketFollowsTheHeaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		l.must(t, "a")
		l.answered("a", headers("1", "3.0"))
		if !l.Try("a", 0) {
			t.Fatal("one request is left and was not given")
		}
		l.answered("a", headers("0", "3.0"))
		began := time.Now()
		l.must(t, "a")
		if waited := time.Since(began); waited < 3*time.Second {
			t.Errorf("the next request was made after %s, want 3s", waited)
		}
		l.must(t, "b") // another bucket waits for nobody
		if waited := time.Since(began); waited > 4*time.Second {
			t.Errorf("another bucket waited %s", waited)
		}
	})
}

func (l *limits) must(t *testing.T, key string) {
	t.Helper()
	if err := l.Wait(t.Context(), key); err != nil {
		t.Fatal(err)
	}
}

func TestProgressLeavesARequestForTheFinalWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		l.must(t, "a")
		l.answered("a", headers("5", "5.0"))
		given := 0
		for l.Try("a", BucketKept) {
			given++
		}
		if given != assumedRequests-BucketKept {
			t.Errorf("progress got %d requests, want %d", given, assumedRequests-BucketKept)
		}
		began := time.Now()
		l.must(t, "a")
		if waited := time.Since(began); waited != 0 {
			t.Errorf("the final write waited %s", waited)
		}
	})
}

func TestRequestThatIsGivenBackCanBeUsed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		l.must(t, "a")
		l.answered("a", headers("1", "60"))
		l.must(t, "a")
		if l.Try("a", 0) {
			t.Fatal("more was given than there is")
		}
		l.GiveBack("a")
		if !l.Try("a", 0) {
			t.Error("what was given back is lost")
		}
	})
}

func TestGlobalPauseHoldsEverythingButInteractions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		l.refused("a", 2*time.Second, true)
		began := time.Now()
		if _, err := l.admit(t.Context(), ReplyBucket("token")); err != nil || time.Since(began) != 0 {
			t.Errorf("an interaction waited %s: %v", time.Since(began), err)
		}
		if l.Try("b", BucketKept) {
			t.Error("progress was allowed in the pause")
		}
		if _, err := l.admit(t.Context(), "b"); err != nil || time.Since(began) < 2*time.Second {
			t.Errorf("another call waited %s: %v", time.Since(began), err)
		}
	})
}

// However long calls take, and whatever they overtake, no second of the platform counts more than
// fifty.
func TestProcessKeepsWithinItsShare(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		var mu sync.Mutex
		var counted []time.Time
		var calls sync.WaitGroup
		for i := range 300 {
			ended, err := l.admit(t.Context(), "a")
			if err != nil {
				t.Fatal(err)
			}
			calls.Go(func() {
				time.Sleep(time.Duration(i*7919%900) * time.Millisecond) // on the way
				mu.Lock()
				counted = append(counted, time.Now())
				mu.Unlock()
				time.Sleep(time.Duration(i*104729%300) * time.Millisecond) // and back
				ended()
			})
		}
		calls.Wait()
		slices.SortFunc(counted, time.Time.Compare)
		for i := 50; i < len(counted); i++ {
			if within := counted[i].Sub(counted[i-50]); within < time.Second {
				t.Fatalf("51 calls were counted within %s", within)
			}
		}
		time.Sleep(2 * time.Second)
	})
}

func TestWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		l.refused("a", time.Hour, false)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Wait(ctx, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("wait = %v", err)
		}
	})
}

func TestUnusedBucketsAreForgotten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newLimits()
		for _, key := range []string{"a", "b", "c"} {
			l.must(t, key)
			l.answered(key, headers("4", "1"))
		}
		time.Sleep(2 * forgetAfter)
		l.must(t, "d")
		if len(l.buckets) != 1 {
			t.Errorf("%d buckets are remembered, want 1", len(l.buckets))
		}
	})
}

// Calls are counted in one order and answered in another: what an overtaken answer says was left
// when its call was counted is not left any more.
func TestAnswersThatOvertakeOneAnotherRaiseNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		said := func(left string, window time.Time) http.Header {
			h := named("5", left, "5", "x")
			h.Set("X-RateLimit-Reset", strconv.FormatFloat(float64(window.UnixMilli())/1000, 'f', 3, 64))
			return h
		}
		allowed := func(l *limits) (n int) {
			for l.Try("a", 0) {
				n++
			}
			return n
		}
		l, window := newLimits(), time.Now().Add(5*time.Second)
		l.must(t, "a")
		l.answered("a", said("4", window))
		l.must(t, "a")
		l.must(t, "a")
		l.answered("a", said("2", window)) // of the call that was counted last
		l.answered("a", said("3", window))
		if n := allowed(l); n > 2 {
			t.Errorf("%d more calls are made, and two are left", n)
		}

		l = newLimits()
		l.must(t, "a")
		l.answered("a", said("4", window))
		l.must(t, "a")
		time.Sleep(5 * time.Second) // the next window begins while the first call is still on its way
		l.must(t, "a")
		l.answered("a", said("4", window.Add(5*time.Second)))
		l.answered("a", said("3", window)) // counted in the window before
		n := allowed(l)
		if n > 4 {
			t.Errorf("%d more calls are made, and four are left in this window", n)
		}
		for range n {
			l.answered("a", said("0", window.Add(5*time.Second)))
		}
		time.Sleep(6 * time.Second)
		if !l.Try("a", 0) {
			t.Error("nothing is allowed in a new window")
		}
	})
}
