package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// unfinished is the name prefix of a data directory that initdb is still writing.
const unfinished = "data.new-"

// dataMajor returns the major version of the data directory, or 0 if there is none.
func dataMajor(p paths) (int, error) {
	name := filepath.Join(p.data(), "PG_VERSION")
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the version of the data directory: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%w: %s reads %q, which is no version; move %s away to start with an empty database", ErrStart, name, text, p.data())
	}
	return major, nil
}

// initialise creates the data directory if there is none. initdb works under another name, so a
// directory named "data" is always complete. The caller must hold the start lock. Every unfinished
// directory therefore comes from a killed process and is deleted.
func (c *Cluster) initialise(ctx context.Context, cfg Config) error {
	major, err := dataMajor(c.paths)
	if err != nil || major != 0 {
		return err
	}
	if err := os.Remove(c.paths.data()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s is in the way, it holds something that is not a PostgreSQL data directory; move it away", ErrStart, c.paths.data())
	}
	// fails on a bad pattern only
	leftovers, _ := filepath.Glob(filepath.Join(c.paths.root, unfinished+"*"))
	for _, name := range leftovers {
		c.logger.InfoContext(ctx, "removing an unfinished data directory", "dir", name)
		if err := os.RemoveAll(name); err != nil {
			return fmt.Errorf("remove an unfinished data directory: %w", err)
		}
	}

	c.logger.InfoContext(ctx, "making a private PostgreSQL", "dir", c.paths.root, "version", c.server.Version)
	dir, err := os.MkdirTemp(c.paths.root, unfinished+"*")
	if err != nil {
		return notMade(c.paths.root, err)
	}
	if err := c.initdb(ctx, dir, cfg.Settings["fsync"] != "off"); err != nil {
		return errors.Join(err, os.RemoveAll(dir))
	}
	if err := os.Rename(dir, c.paths.data()); err != nil {
		return fmt.Errorf("put the new data directory in its place: %w", err)
	}
	return syncDir(c.paths.root)
}

// initdb creates a cluster with byte-order collation and UTF-8 character rules, which are the same
// on every machine. On a system without C.UTF-8 it uses "C".
func (c *Cluster) initdb(ctx context.Context, dir string, sync bool) error {
	if err := c.owner.own(dir); err != nil {
		return notMade(dir, err)
	}
	var out []byte
	var err error
	for _, locale := range []string{"C.UTF-8", "C"} {
		arguments := []string{
			"-D", dir, "--username=" + Database, "--encoding=UTF8", "--locale=" + locale, "--lc-messages=C",
			"--auth-local=peer", "--auth-host=reject", "--data-checksums", "--no-instructions",
		}
		if !sync {
			arguments = append(arguments, "--no-sync")
		}
		if out, err = c.program(ctx, "initdb", arguments...).CombinedOutput(); err == nil {
			return nil
		}
		if !strings.Contains(string(out), "invalid locale") {
			break
		}
	}
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("make the data directory %s: %w", c.paths.data(), cause)
	}
	return fmt.Errorf("%w: initdb could not make the data directory %s (%w)%s", ErrStart, c.paths.data(), err, explain(string(out)))
}

func (c *Cluster) program(ctx context.Context, name string, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(c.server.Dir, name), arguments...)
	c.owner.apply(cmd, c.paths.root)
	return cmd
}

// replaceFile writes a file atomically. The file belongs to the user that runs the server.
func (c *Cluster) replaceFile(name, text string) error {
	fresh := name + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(fresh, []byte(text), 0o600); err != nil {
		return err
	}
	if err := c.owner.own(fresh); err != nil {
		return err
	}
	return os.Rename(fresh, name)
}

func syncDir(name string) error {
	dir, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
