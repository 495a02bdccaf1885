package footprint_test

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/footnotehq/footnote/core/footprint"
	"golang.org/x/sync/errgroup"
)

func TestCostOf(t *testing.T) {
	t.Parallel()
	c := footprint.Cost{Fixed: 10, PerByte: 3, Max: 100}
	for n, want := range map[int64]int64{0: 10, 1: 13, 30: 100, 31: 100, math.MaxInt64: 100} {
		if got := c.Of(n); got != want {
			t.Errorf("%d bytes cost %d, want %d", n, got, want)
		}
	}
}

func TestPoolNeverGrantsMoreThanItsSize(t *testing.T) {
	t.Parallel()
	p := footprint.NewPool(100)
	var used, most atomic.Int64
	var group errgroup.Group
	for i := range 200 {
		n := int64(1 + i%60)
		group.Go(func() error {
			_, release, err := p.Acquire(context.Background(), n)
			if err != nil {
				return err
			}
			if now := used.Add(n); now > most.Load() {
				most.Store(now)
			}
			used.Add(-n)
			release()
			release()
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if most.Load() > p.Size() {
		t.Errorf("%d bytes were granted of %d", most.Load(), p.Size())
	}
}

func TestPoolAcquire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := footprint.NewPool(100)
		inside, release, err := p.Acquire(t.Context(), 1000)
		if err != nil {
			t.Fatal("a reader larger than the pool works alone:", err)
		}
		if _, _, err := p.Acquire(inside, 1000); err != nil {
			t.Fatal("a reader inside another one is covered by its grant:", err)
		}
		stopped := errors.New("stopped")
		ctx, stop := context.WithCancelCause(t.Context())
		waited := make(chan error)
		go func() {
			_, _, err := p.Acquire(ctx, 1)
			waited <- err
		}()
		synctest.Wait()
		stop(stopped)
		if err := <-waited; !errors.Is(err, stopped) || !errors.Is(err, footprint.ErrWaiting) {
			t.Errorf("a reader that is stopped while it waits gets %v", err)
		}
		release()
		if _, _, err := p.Acquire(ctx, 1); !errors.Is(err, stopped) || errors.Is(err, footprint.ErrWaiting) {
			t.Errorf("a reader that did not wait gets %v", err)
		}
		if _, _, err := p.Acquire(t.Context(), 100); err != nil {
			t.Error(err)
		}
	})
}
