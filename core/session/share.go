package session

import (
	"context"
	"log/slog"
	"time"
)

// shareEvery is how often the replicas that are alive are counted.
const shareEvery = 5 * time.Second

// Replicas counts the processes that are alive.
type Replicas interface {
	Live(ctx context.Context) (int, error)
}

// Share tells f how many replicas are alive, now and every five seconds until ctx ends, so that
// what a platform allows all of them can be divided. While they cannot be counted it stays as it
// was, and the log says so. Nil replicas are this process alone: f is not called.
func Share(ctx context.Context, replicas Replicas, logger *slog.Logger, f func(processes int)) {
	if replicas == nil {
		return
	}
	ticker := time.NewTicker(shareEvery)
	defer ticker.Stop()
	for {
		n, err := replicas.Live(ctx)
		switch {
		case err == nil:
			f(n)
		case ctx.Err() == nil:
			logger.WarnContext(ctx, "replicas not counted; rates stay divided as they were", "error", err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}
