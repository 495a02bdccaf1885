package wire

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestCheckOfASilentPartSaysWhatToDo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		waits := withTimeout(time.Minute, func(ctx context.Context) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		if _, err := waits(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "it did not answer within 1m0s: see that it runs") {
			t.Errorf("a silent part: %v", err)
		}
		stopped, stop := context.WithCancel(t.Context())
		stop()
		if _, err := waits(stopped); !errors.Is(err, context.Canceled) {
			t.Errorf("a doctor that was stopped: %v", err)
		}
	})
	refused := errors.New("refused")
	for _, want := range []error{nil, refused} {
		if state, err := withTimeout(time.Minute, func(context.Context) (string, error) { return "fine", want })(t.Context()); state != "fine" || !errors.Is(err, want) {
			t.Errorf("a part that answers: %q, %v", state, err)
		}
	}
}
