// Package sleep waits for a duration, or until a context ends.
package sleep

import (
	"context"
	"time"
)

// For waits for d and returns nil. If ctx ends first, For returns the cause of ctx. It is safe for
// concurrent use.
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
