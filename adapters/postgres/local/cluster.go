// Package local runs a private PostgreSQL cluster, for an operator who has not set
// DATABASE_URL and for tests.
//
// The cluster listens on a Unix socket in a directory that only its owner may enter
// and on nothing else; whoever connects is known by the operating system (peer
// authentication), so there is no password to keep. Any number of processes share one
// cluster: the first one starts the server, the last one to leave stops it. A process
// that is killed leaves by being killed, because its membership is a file lock.
package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Config says where the cluster lives. The zero value is the operator's cluster.
type Config struct {
	// Dir is the directory in which the cluster makes its own, "postgres". Default:
	// ${XDG_DATA_HOME:-~/.local/share}/footnote, and /var/lib/footnote for root when
	// the unprivileged user who runs the server cannot reach root's home.
	Dir string
	// Settings are added to the server's configuration, by name. They take effect
	// when this call is the one that starts the server.
	Settings map[string]string
	// Logger receives what happens at start and stop. Default: slog.Default().
	Logger *slog.Logger

	// search is every place to look for programs; tests hide the machine's own with it.
	search []string
	// fastStop is fastStop, or what a test sets.
	fastStop time.Duration
}

// Database is the name of the cluster's database and of the role that owns it.
const Database = "footnote"

// Cluster is this process's share in a running server. It is safe for concurrent use.
type Cluster struct {
	paths  paths
	server Server
	owner  account
	socket string
	logger *slog.Logger
	cfg    Config

	// settled is the directory of the socket that connections are made to already.
	settled    string
	suspicions chan struct{} // of Suspect

	closing sync.Once
	users   *fileLock
	err     error
}

// Start returns when the server accepts connections and its database exists with pgvector in it. It
// creates the cluster if there is none, adopts a running server, and cleans up after a killed
// process. It waits while another process starts or stops the same cluster. If ctx is cancelled, it
// stops a server that is not used.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	if cfg.search == nil {
		cfg.search = searchDirs(ctx)
	}
	if cfg.fastStop == 0 {
		cfg.fastStop = fastStop
	}
	place, err := choosePlace(ctx, cfg)
	if cause := context.Cause(ctx); cause != nil {
		return nil, fmt.Errorf("start the private PostgreSQL: %w", cause)
	}
	if err != nil {
		return nil, err
	}
	if err := place.prepare(); err != nil {
		return nil, err
	}
	c := &Cluster{paths: place.paths, owner: place.owner, logger: cfg.Logger, cfg: cfg, suspicions: make(chan struct{}, 1)}

	turn, err := lockExclusive(ctx, c.paths.startLock(), c.owner, cfg.Logger)
	if err != nil {
		return nil, fmt.Errorf("wait for the other processes that use %s: %w", c.paths.root, err)
	}
	defer turn.release()

	if err := c.up(ctx, cfg); err != nil {
		return nil, err
	}
	return c, nil
}

// up brings the server up and joins its users; the caller holds the start lock.
func (c *Cluster) up(ctx context.Context, cfg Config) (err error) {
	if c.server, err = selectServer(ctx, cfg.search, c.paths); err != nil {
		return err
	}
	// A server that others use and that does not run was lost, which they may not see.
	unused, err := tryExclusive(c.paths.usersLock(), c.owner)
	if err != nil {
		return fmt.Errorf("look for other users of %s: %w", c.paths.root, err)
	}
	unused.release()
	if c.users, err = lockShared(c.paths.usersLock(), c.owner); err != nil {
		return fmt.Errorf("join the users of %s: %w", c.paths.root, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.leave(context.WithoutCancel(ctx)))
		}
	}()
	if unused == nil && c.lost(ctx) {
		c.logger.WarnContext(ctx, "the private PostgreSQL had ended although other processes use it; it is started again",
			"dir", c.paths.root, "log", c.paths.log())
	}
	restarted, err := c.bringUp(ctx, cfg)
	if err == nil && restarted != "" {
		c.logger.WarnContext(ctx, "the private PostgreSQL was restarted: "+restarted, "dir", c.paths.root)
	}
	return err
}

// bringUp starts the server if necessary, and returns the reason if it restarted one. The caller
// must hold the start lock.
func (c *Cluster) bringUp(ctx context.Context, cfg Config) (restarted string, err error) {
	if err := c.checkDisk(); err != nil {
		return "", err
	}
	adopted, restarted, err := c.adopt(ctx)
	if err != nil {
		return "", err
	}
	if !adopted {
		if err := c.initialise(ctx, cfg); err != nil {
			return "", err
		}
		if err := c.launch(ctx, cfg.Settings); err != nil {
			return "", err
		}
	}
	return restarted, c.ensureDatabase(ctx)
}

// URL is the address of the cluster's database, for pgx and libpq. It holds no secret.
func (c *Cluster) URL() string { return socketURL(c.socket, Database) }

// Dir is the directory that holds the cluster: data, socket, locks and the server's log.
func (c *Cluster) Dir() string { return c.paths.root }

// Server returns the server programs that run the cluster.
func (c *Cluster) Server() Server { return c.server }

// Close leaves the cluster, and stops the server if no other process uses it. Close the connections
// first, since a stopping server ends them. ctx limits the wait for both, so it must not be the
// context whose end began the shutdown. Later calls return the first result.
func (c *Cluster) Close(ctx context.Context) error {
	c.closing.Do(func() {
		turn, err := lockExclusive(ctx, c.paths.startLock(), c.owner, c.logger)
		if err != nil {
			// Leaving must not depend on another process that hangs; it, or the next
			// one, will be the last.
			c.users.release()
			c.err = fmt.Errorf("wait for the other processes that use %s: %w", c.paths.root, err)
			return
		}
		defer turn.release()
		c.err = c.leave(ctx)
	})
	return c.err
}

// leave gives up the membership and stops the server if it was the last one; the
// caller holds the start lock.
func (c *Cluster) leave(ctx context.Context) error {
	c.users.release()
	last, err := tryExclusive(c.paths.usersLock(), c.owner)
	if err != nil {
		return fmt.Errorf("look for other users of %s: %w", c.paths.root, err)
	}
	if last == nil {
		return nil
	}
	defer last.release()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return c.stop(ctx)
}

// paths are the places inside the cluster's directory.
type paths struct{ root string }

func (p paths) data() string      { return filepath.Join(p.root, "data") }
func (p paths) log() string       { return filepath.Join(p.root, "server.log") }
func (p paths) socket() string    { return filepath.Join(p.root, "socket") }
func (p paths) startLock() string { return filepath.Join(p.root, "start.lock") }
func (p paths) usersLock() string { return filepath.Join(p.root, "users.lock") }
func (p paths) overrides() string { return filepath.Join(p.root, "postgresql.conf") }
func (p paths) pidFile() string   { return filepath.Join(p.data(), "postmaster.pid") }

// mark names the cluster on its server's command line, in letters that no shell changes.
func (p paths) mark() string {
	sum := sha256.Sum256([]byte(p.root))
	return "footnote-" + hex.EncodeToString(sum[:6])
}

// exists reports whether a name is there at all, readable or not.
func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
