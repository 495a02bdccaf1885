// Package sleep waits as time.Sleep does, and no longer than a context lasts.
package sleep

import (
	"context"
	"time"
)

// For returns after d, or as soon as ctx ends, with its cause. It is safe for concurrent use.
func For(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
