package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
)

const (
	// glanceEvery is the interval at which Supervise checks that the server's process runs.
	glanceEvery = time.Second
	// examineEvery is the interval at which Supervise checks connections and looks for an upgrade.
	examineEvery = 15 * time.Second
	// reportEvery is the number of failed starts between two log messages about them.
	reportEvery = 10
)

func backoff(failed int) time.Duration {
	const most = time.Minute
	if failed > 6 {
		return most
	}
	return min(time.Second<<max(failed-1, 0), most)
}

// reported returns true for the first failed start and then for every tenth, so that an outage does
// not fill the log.
func reported(failed int) bool { return failed%reportEvery == 1 }

// Suspect asks Supervise to examine the server at once. It does not block.
func (c *Cluster) Suspect() {
	select {
	case c.suspicions <- struct{}{}:
	default: // a call is pending already
	}
}

// Supervise keeps the server running until ctx is done. It restarts a lost server, with back-off.
// It also restarts a server whose package was upgraded. Supervise must return before Close is
// called.
func (c *Cluster) Supervise(ctx context.Context) {
	tick := time.NewTicker(glanceEvery)
	defer tick.Stop()
	for examined := time.Now(); ; {
		suspected := false
		select {
		case <-ctx.Done():
			return
		case <-c.suspicions:
			suspected = true
		case <-tick.C:
		}
		thorough := suspected || time.Since(examined) >= examineEvery
		if thorough {
			examined = time.Now()
		}
		if c.lost(ctx) || thorough && c.outdated(ctx) {
			c.heal(ctx)
		}
	}
}

// lost reports whether the server's process has ended or its socket is missing. It opens no
// connection.
func (c *Cluster) lost(ctx context.Context) bool {
	running, err := readPostmaster(c.paths)
	if err != nil || running == nil {
		return true
	}
	alive := running.alive(ctx, c.paths)
	return !alive || running.ready && !exists(running.socket+socketName)
}

// outdated reports whether the server must be restarted. It opens a connection to find out.
func (c *Cluster) outdated(ctx context.Context) bool {
	running, err := readPostmaster(c.paths)
	if err != nil || running == nil {
		return false // lost reports this case
	}
	found, _ := c.examine(ctx, running) // a refused connection is part of the result
	do, _ := found.action()
	return do == restart
}

// heal starts a lost or upgraded server again. It retries until a start succeeds or ctx is done.
func (c *Cluster) heal(ctx context.Context) {
	began, lost := time.Now(), false
	for failed := 1; ; failed++ {
		if !lost {
			if running, err := readPostmaster(c.paths); err == nil && (running == nil || !running.alive(ctx, c.paths)) {
				lost = true
				c.logger.WarnContext(ctx, "the private PostgreSQL has ended; it is started again", "dir", c.paths.root, "log", c.paths.log())
			}
		}
		why, err := c.bringUpAgain(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && lost:
			c.logger.InfoContext(ctx, "the private PostgreSQL runs again", "dir", c.paths.root, "took", time.Since(began))
			return
		case err == nil && why != "":
			c.logger.WarnContext(ctx, "the private PostgreSQL was restarted: "+why, "dir", c.paths.root, "took", time.Since(began))
			return
		case err == nil:
			return
		case reported(failed):
			c.logger.ErrorContext(ctx, "the private PostgreSQL cannot be used; it is tried again", "tries", failed, "error", err)
		}
		wait := backoff(failed)
		if errors.Is(err, ErrDiskFull) { // looking costs little, and questions wait
			wait = glanceEvery
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// bringUpAgain repeats the steps of [Start] for the cluster of this process. restarted is the
// reason if it restarted a running server.
func (c *Cluster) bringUpAgain(ctx context.Context) (restarted string, err error) {
	turn, err := lockExclusive(ctx, c.paths.startLock(), c.owner, c.logger)
	if err != nil {
		return "", fmt.Errorf("wait for the other processes that use %s: %w", c.paths.root, err)
	}
	defer turn.release()
	again := &Cluster{paths: c.paths, owner: c.owner, logger: slog.New(slog.DiscardHandler), cfg: c.cfg, settled: c.socket}
	if again.server, err = selectServer(ctx, c.cfg.search, c.paths); err != nil {
		return "", err
	}
	return again.bringUp(ctx, c.cfg)
}
