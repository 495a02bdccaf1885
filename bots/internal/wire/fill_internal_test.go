package wire

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/index"
)

// A database that restarts, or another process at work, does not end the filling.
func TestFillingContinuesAfterFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		ends := []error{index.ErrClaimed, errors.New("the database is away"), errors.New("the database is away"), nil}
		keepFilling(t.Context(), func(context.Context) error {
			err := ends[0]
			ends = ends[1:]
			return err
		}, slog.New(slog.NewTextHandler(&logged, nil)))
		if len(ends) != 0 || strings.Count(logged.String(), "level=WARN") != 1 {
			t.Errorf("%d calls were not made; logged:\n%s", len(ends), logged.String())
		}
	})
}

func TestFillingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		time.AfterFunc(claimedAgain+time.Second, cancel)
		keepFilling(ctx, func(context.Context) error { calls++; return index.ErrClaimed }, slog.New(slog.DiscardHandler))
		if calls != 2 {
			t.Errorf("filled %d times, 2 expected", calls)
		}
	})
}

func TestEmbeddingSaysHowFarItIs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		done, total int64
		elapsed     time.Duration
		want        string
	}{
		{64, 256, 2 * time.Second, "Embedding: 64 of 256 chunks, 32/s, 6s left"},
		{256, 256, 8 * time.Second, "Embedding: 256 of 256 chunks, 32/s"},
		{300, 256, 10 * time.Second, "Embedding: 300 of 300 chunks, 30/s"}, // chunks came meanwhile
		{64, 256, 0, "Embedding: 64 of 256 chunks"},
	} {
		if got := embedding(tt.done, tt.total, tt.elapsed); got != tt.want {
			t.Errorf("after %d of %d in %s: %q, want %q", tt.done, tt.total, tt.elapsed, got, tt.want)
		}
	}
}
