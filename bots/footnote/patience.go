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

// busy is the schedule for a starting server that waits for a free database connection.
var busy = sleep.Backoff{First: 500 * time.Millisecond, Most: 5 * time.Second, Within: 3 * time.Minute}

type opener func(context.Context, *config.Config, *slog.Logger) (*wire.Base, error)

// patiently waits if the database has no free connection, because processes of the previous version
// may soon end.
func (env *environment) patiently(ctx context.Context, connect opener) (*wire.Base, error) {
	var base *wire.Base
	logged := false
	err := busy.Retry(ctx, func() (err error) {
		base, err = connect(ctx, env.config, env.logger)
		return err
	}, func(err error) time.Duration {
		if !errors.Is(err, postgres.ErrBusy) {
			return sleep.Never
		}
		if !logged {
			logged = true
			env.logger.WarnContext(ctx, "waiting for a connection of the database", "error", err)
		}
		return 0
	})
	return base, err
}
