package sleep_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/sleep"
)

func TestFor(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	for name, tt := range map[string]struct {
		sleep, lasts time.Duration // lasts: of the context; negative: it has ended
		took         time.Duration
		want         error
	}{
		"as long as was asked for":                 {time.Minute, time.Hour, time.Minute, nil},
		"until the context ends":                   {time.Hour, time.Minute, time.Minute, stopped},
		"not at all":                               {0, time.Hour, 0, nil},
		"not at all, less than none":               {-time.Hour, time.Hour, 0, nil},
		"in a context that has ended, for a while": {time.Hour, -1, 0, stopped},
		"in a context that has ended, not at all":  {0, -1, 0, stopped},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancelCause(t.Context())
				defer end(nil)
				if tt.lasts < 0 {
					end(stopped)
				} else {
					time.AfterFunc(tt.lasts, func() { end(stopped) })
				}
				began := time.Now()
				err := sleep.For(ctx, tt.sleep)
				if took := time.Since(began); !errors.Is(err, tt.want) || took != tt.took {
					t.Errorf("For() = %v after %s, want %v after %s", err, took, tt.want, tt.took)
				}
			})
		})
	}
}
