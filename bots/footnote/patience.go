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

// Time limit and pauses for a starting server that waits for a free database connection.
const (
	busyFor  = 3 * time.Minute
	busyWait = 500 * time.Millisecond
	busyLast = 5 * time.Second
)

// opener connects to the database.
type opener func(context.Context, *config.Config, *slog.Logger) (*wire.Base, error)

// patiently connects to the database. If the server has no free connection, it waits, because
// processes of the previous version may soon end.
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
