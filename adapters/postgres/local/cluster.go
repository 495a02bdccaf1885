// Package local runs a private PostgreSQL cluster, for tests and for operators who have not set
// DATABASE_URL.
//
// The cluster listens only on a Unix socket, in a directory that only its owner may enter. The
// operating system identifies each client (peer authentication), so there is no password. Any
// number of processes share one cluster. The first process starts the server, and the last one
// stops it. Membership is a file lock, so the kernel ends the membership of a killed process.
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

// Config sets where the PostgreSQL cluster is stored and how its server runs. The zero value is
// valid.
type Config struct {
	// Dir is the directory in which the cluster creates its directory "postgres". The default is
	// ${XDG_DATA_HOME:-~/.local/share}/footnote. For root, the default is /var/lib/footnote if the
	// user that runs the server cannot reach root's home.
	Dir string
	// Settings are added to the server's configuration, by name. They take effect only if this call
	// starts the server.
	Settings map[string]string
	// Logger logs starts and stops. The default is slog.Default().
	Logger *slog.Logger

	// search lists all directories to search for programs. Tests set it to hide the machine's
	// programs.
	search []string
	// fastStop limits a clean stop of the server. The default is the constant fastStop. Tests set
	// it.
	fastStop time.Duration
}

// Database is the name of the cluster's database. The role that owns the database has the same
// name.
const Database = "footnote"

// Cluster is a private PostgreSQL server that this process uses. Several processes may share the
// server. A Cluster is safe for concurrent use.
type Cluster struct {
	paths  paths
	server Server
	owner  account
	socket string
	logger *slog.Logger
	cfg    Config

	// settled is the directory of the socket if connections already use it, and "" otherwise.
	settled    string
	suspicions chan struct{} // calls of Suspect that Supervise has not handled

	closing sync.Once
	users   *fileLock
	err     error
}

// Start starts the cluster's server, or joins a running one. It creates the cluster if there is
// none. It returns when the server accepts connections and the database exists with pgvector.
//
// It waits while another process starts or stops the same cluster, and cleans up after a killed
// process. If ctx is cancelled, it stops a server that no process uses.
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

// up starts the server if necessary and adds this process to its users. The caller must hold the
// start lock.
func (c *Cluster) up(ctx context.Context, cfg Config) (err error) {
	if c.server, err = selectServer(ctx, cfg.search, c.paths); err != nil {
		return err
	}
	// If other processes use the server and it does not run, it crashed, which they may not
	// notice.
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

// bringUp starts the server if necessary. If it restarted a running server, it returns the reason.
// The caller must hold the start lock.
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

// URL returns the address of the cluster's database, for pgx and libpq. It contains no secret.
func (c *Cluster) URL() string { return socketURL(c.socket, Database) }

// Dir returns the cluster's directory, which contains the data, the socket, locks and the server's
// log.
func (c *Cluster) Dir() string { return c.paths.root }

// Server returns the server programs that run the cluster.
func (c *Cluster) Server() Server { return c.server }

// Close ends this process's use of the cluster, and stops the server if no other process uses it.
// Close all connections first. ctx limits how long Close waits, so it must not be cancelled
// already. Later calls return the first result.
func (c *Cluster) Close(ctx context.Context) error {
	c.closing.Do(func() {
		turn, err := lockExclusive(ctx, c.paths.startLock(), c.owner, c.logger)
		if err != nil {
			// Leaving must not depend on another process that hangs. The last process to leave
			// stops the server.
			c.users.release()
			c.err = fmt.Errorf("wait for the other processes that use %s: %w", c.paths.root, err)
			return
		}
		defer turn.release()
		c.err = c.leave(ctx)
	})
	return c.err
}

// leave stops the server if no other process uses it. The caller must hold the start lock.
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

type paths struct{ root string }

func (p paths) data() string      { return filepath.Join(p.root, "data") }
func (p paths) log() string       { return filepath.Join(p.root, "server.log") }
func (p paths) socket() string    { return filepath.Join(p.root, "socket") }
func (p paths) startLock() string { return filepath.Join(p.root, "start.lock") }
func (p paths) usersLock() string { return filepath.Join(p.root, "users.lock") }
func (p paths) overrides() string { return filepath.Join(p.root, "postgresql.conf") }
func (p paths) pidFile() string   { return filepath.Join(p.data(), "postmaster.pid") }

// mark returns a name that identifies the cluster on the server's command line, such as
// "footnote-0123456789ab".
func (p paths) mark() string {
	sum := sha256.Sum256([]byte(p.root))
	return "footnote-" + hex.EncodeToString(sum[:6])
}

// exists reports whether a file exists, even if it cannot be read.
func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
