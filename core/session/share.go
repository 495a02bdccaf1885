package session

import (
	"context"
	"log/slog"
	"time"
)

const shareInterval = 5 * time.Second

// Replicas counts the live replicas, which are processes of this program.
type Replicas interface {
	Live(ctx context.Context) (int, error)
}

// Share calls f with the number of live replicas, now and every five seconds until ctx is done.
// Callers use the number to divide a platform's rate limit between replicas. If counting fails,
// Share logs the error and keeps the last number. If replicas is nil, this process is the only one
// and f is never called.
func Share(ctx context.Context, replicas Replicas, logger *slog.Logger, f func(processes int)) {
	if replicas == nil {
		return
	}
	ticker := time.NewTicker(shareInterval)
	defer ticker.Stop()
	for {
		n, err := replicas.Live(ctx)
		switch {
		case err == nil:
			f(n)
		case ctx.Err() == nil:
			logger.WarnContext(ctx, "counting replicas failed; keeping the current rates", "error", err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
