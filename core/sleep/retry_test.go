package sleep_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/sleep"
)

func TestRetry(t *testing.T) {
	t.Parallel()
	down, refused := errors.New("down"), errors.New("refused")
	seconds := func(at ...int) (all []time.Duration) {
		for _, s := range at {
			all = append(all, time.Duration(s)*time.Second)
		}
		return all
	}
	for name, tt := range map[string]struct {
		backoff sleep.Backoff
		ends    time.Duration // deadline of the context; 0: none
		stops   time.Duration // cancellation of the context; 0: none
		fails   []error       // results of the calls; then nil
		least   time.Duration
		calls   []time.Duration // since the first call
		want    error
		at      time.Duration // of the return, if it is not that of the last call
	}{
		"a success":                  {calls: seconds(0)},
		"two failures":               {fails: []error{down, down}, calls: seconds(0, 1, 3)},
		"waits up to the longest":    {backoff: sleep.Backoff{Most: 2 * time.Second}, fails: []error{down, down, down, down}, calls: seconds(0, 1, 3, 5, 7)},
		"a refusal":                  {fails: []error{down, refused}, calls: seconds(0, 1), want: refused},
		"as many tries as wanted":    {backoff: sleep.Backoff{Tries: 2}, fails: []error{down, down, down}, calls: seconds(0, 1), want: down},
		"until the time is over":     {backoff: sleep.Backoff{Within: 4 * time.Second}, fails: []error{down, down, down, down}, calls: seconds(0, 1, 3), want: down},
		"the wait that is asked for": {fails: []error{down}, least: time.Minute, calls: seconds(0, 60)},
		"a longer wait than asked":   {fails: []error{down}, least: time.Millisecond, calls: seconds(0, 1)},
		"a wait beyond the deadline": {ends: 5 * time.Second, fails: []error{down, down, down}, calls: seconds(0, 1, 3), want: down},
		"a context that is canceled": {stops: 5 * time.Second, fails: []error{down, down, down}, calls: seconds(0, 1, 3), want: down, at: 5 * time.Second},
		"varied waits": {
			backoff: sleep.Backoff{Vary: func(d time.Duration) time.Duration { return 10 * d }}, fails: []error{down, down}, calls: seconds(0, 10, 30),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.ends > 0 {
					ctx, cancel = context.WithTimeout(ctx, tt.ends)
					defer cancel()
				}
				if tt.stops > 0 {
					time.AfterFunc(tt.stops, cancel)
				}
				tt.backoff.First = time.Second
				began := time.Now()
				var calls []time.Duration
				err := tt.backoff.Retry(ctx, func() error {
					calls = append(calls, time.Since(began))
					if len(calls) <= len(tt.fails) {
						return tt.fails[len(calls)-1]
					}
					return nil
				}, func(err error) time.Duration {
					if errors.Is(err, refused) {
						return sleep.Never
					}
					return tt.least
				})
				if tt.at > 0 && !errors.Is(err, context.Canceled) {
					t.Errorf("the error %v does not say that the context ended", err)
				}
				if !slices.Equal(calls, tt.calls) || !errors.Is(err, tt.want) {
					t.Errorf("calls after %v with error %v, want %v and %v", calls, err, tt.calls, tt.want)
				}
				if at := max(tt.at, tt.calls[len(tt.calls)-1]); time.Since(began) != at {
					t.Errorf("it returned after %v, want %v", time.Since(began), at)
				}
			})
		})
	}
}
