package main

import (
	"context"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
)

// hangups should be called first, because an unhandled SIGHUP ends the process.
func hangups() (requests chan os.Signal, end func()) {
	requests = make(chan os.Signal, 1)
	signal.Notify(requests, syscall.SIGHUP)
	return requests, func() { signal.Stop(requests) }
}

// reloading reads the configuration file again at each request, until ctx is done. A file that has
// faults or is gone changes nothing.
func (env *environment) reloading(ctx context.Context, base *wire.Base, requests <-chan os.Signal) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-requests:
			env.reload(ctx, base)
		}
	}
}

func (env *environment) reload(ctx context.Context, base *wire.Base) {
	file, err := config.ReadAgain(env.config.FilePath, base.File())
	if err == nil {
		err = base.Reload(ctx, file)
	}
	if err != nil {
		for fault := range strings.SplitSeq(err.Error(), "\n") {
			env.logger.ErrorContext(ctx, "configuration not read again; the old one stays", "fault", fault)
		}
		return
	}
	hash, err := base.Hash(ctx)
	if err != nil {
		env.logger.WarnContext(ctx, "the configuration has no hash at the moment", "error", err)
	}
	env.logger.InfoContext(ctx, "configuration read again", "file", file.Path, "configuration", hash)
}
