package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/sleep"
)

// A starting server waits up to busyFor for a free database connection, and tries again after
// busyWait to busyLast.
const (
	busyFor  = 3 * time.Minute
	busyWait = 500 * time.Millisecond
	busyLast = 5 * time.Second
)

type opener func(context.Context, *config.Config, *slog.Logger) (*wire.Base, error)

// patiently waits if the database has no free connection, because processes of the previous version
// may soon end.
func (env *environment) patiently(ctx context.Context, connect opener) (*wire.Base, error) {
	begun := time.Now()
	for wait := busyWait; ; wait = min(2*wait, busyLast) {
		base, err := connect(ctx, env.config, env.logger)
		if err == nil || !errors.Is(err, postgres.ErrBusy) || time.Since(begun) > busyFor {
			return base, err
		}
		if wait == busyWait {
			env.logger.WarnContext(ctx, "waiting for a connection of the database", "error", err)
		}
		if ended := sleep.For(ctx, wait); ended != nil {
			return nil, ended
		}
	}
}
