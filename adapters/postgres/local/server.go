package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// patience is the time limit for starting and for stopping a server. It is long enough for a
// recovery after a crash.
const patience = 3 * time.Minute

// fastStop is the time limit for a clean stop. A server that recovers on a full disk may never stop
// cleanly.
const fastStop = 20 * time.Second

// adopt joins a server that another process started. It waits for a server that is starting or
// stopping, and cleans up after a dead server. If a server must be restarted, adopt stops it and
// returns the reason.
func (c *Cluster) adopt(ctx context.Context) (adopted bool, restarted string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience,
		fmt.Errorf("%w: the server of %s runs but does not answer; its log is %s; stop the process named in %s, then try again",
			ErrStart, c.paths.root, c.paths.log(), c.paths.pidFile()))
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		running, err := readPostmaster(c.paths)
		if err != nil || running == nil {
			return false, "", err
		}
		c.socket = running.socket
		found, refusal := c.examine(ctx, running)
		switch do, why := found.action(); do {
		case use:
			c.logger.DebugContext(ctx, "using the private PostgreSQL that is running", "dir", c.paths.root, "pid", running.pid)
			return true, "", nil
		case start:
			return false, "", running.forget(c.paths)
		case restart:
			return false, why, c.stop(ctx)
		case giveUp:
			return false, "", fmt.Errorf("%w: the server of %s (process %d) runs but refuses us: %w; stop it with \"kill -INT %d\", then try again",
				ErrStart, c.paths.root, running.pid, refusal, running.pid)
		case wait:
		}
		select {
		case <-ctx.Done():
			return false, "", fmt.Errorf("wait for the private PostgreSQL: %w", context.Cause(ctx))
		case <-tick.C:
		}
	}
}

// launch starts the server. The caller must make sure that no server runs.
func (c *Cluster) launch(ctx context.Context, settings map[string]string) (err error) {
	if c.socket, err = prepareSocketDir(c.paths, c.owner, c.settled); err != nil {
		return err
	}
	// No process listens. A socket and its lock file belong to a server that was killed. The
	// process id in the lock file may belong to another process by now.
	for _, name := range []string{c.socket + socketName, c.socket + socketName + ".lock"} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a stale socket: %w", err)
		}
	}
	if err := c.configure(settings); err != nil {
		return fmt.Errorf("%w: its configuration cannot be written: %w. %s", ErrStart, err, remedy(err.Error()))
	}
	if err := closeDescriptorsOnExec(); err != nil {
		return err
	}
	since, err := rotateLog(c.paths.log())
	if err != nil {
		return err
	}
	began := time.Now()
	for {
		out, err := c.control(ctx, patience, "start", "-l", filepath.Base(c.paths.log()), "-o", "-c cluster_name="+c.paths.mark())
		if err == nil {
			c.logger.InfoContext(ctx, "started the private PostgreSQL", "dir", c.paths.root, "version", c.server.Version, "took", time.Since(began))
			return nil
		}
		if ctx.Err() != nil {
			return fmt.Errorf("start the private PostgreSQL: %w", context.Cause(ctx))
		}
		log := readFrom(c.paths.log(), since)
		// The workers of a server that was killed notice it within moments.
		if strings.Contains(log, "pre-existing shared memory block") && time.Since(began) < 15*time.Second {
			continue
		}
		return fmt.Errorf("%w in %s (%w)%s\nIts whole log is %s", ErrStart, c.paths.root, err, explain(out+"\n"+log), c.paths.log())
	}
}

// stop stops the server if it runs. If a clean stop takes too long, it stops the server
// immediately.
func (c *Cluster) stop(ctx context.Context) error {
	running, err := readPostmaster(c.paths)
	if err != nil || running == nil || !running.alive(ctx, c.paths) {
		return err
	}
	out, err := c.control(ctx, c.cfg.fastStop, "stop", "-m", "fast")
	if err != nil && running.alive(ctx, c.paths) && ctx.Err() == nil {
		// No data is lost: the next start replays what was committed.
		c.logger.WarnContext(ctx, "the private PostgreSQL does not stop; it is ended at once", "dir", c.paths.root, "after", c.cfg.fastStop)
		out, err = c.control(ctx, patience, "stop", "-m", "immediate")
	}
	if err != nil && running.alive(ctx, c.paths) {
		return fmt.Errorf("stop the private PostgreSQL of %s: %w%s", c.paths.root, err, explain(out))
	}
	c.logger.DebugContext(ctx, "stopped the private PostgreSQL", "dir", c.paths.root)
	return nil
}

// control runs pg_ctl and waits for it. It runs pg_ctl in the cluster's directory with relative
// names, because pg_ctl inserts names into a shell command.
func (c *Cluster) control(ctx context.Context, limit time.Duration, verb string, more ...string) (string, error) {
	arguments := append([]string{verb, "-D", filepath.Base(c.paths.data()), "-s", "-w", "-t", fmt.Sprint(int(limit.Seconds()))}, more...)
	out, err := c.program(ctx, "pg_ctl", arguments...).CombinedOutput()
	return string(out), err
}

// rotateLog renames the log if it is large, and keeps one old log. It returns the offset at which
// new lines begin.
func rotateLog(name string) (int64, error) {
	const large = 10 << 20
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil
	case err != nil:
		return 0, fmt.Errorf("look at the log of the private PostgreSQL: %w", err)
	case info.Size() < large:
		return info.Size(), nil
	}
	if err := os.Rename(name, filepath.Join(filepath.Dir(name), "server.old.log")); err != nil {
		return 0, fmt.Errorf("rotate the log of the private PostgreSQL: %w", err)
	}
	return 0, nil
}
