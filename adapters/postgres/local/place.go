package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

type place struct {
	paths paths
	owner account
}

// rootsPlace is the default directory of root's cluster. It is used if the server's user cannot
// enter root's home directory.
const rootsPlace = "/var/lib/footnote"

func choosePlace(ctx context.Context, cfg Config) (place, error) {
	dir, named := cfg.Dir, "FOOTNOTE_DATA"
	if dir == "" {
		var err error
		if dir, err = DefaultDir(); err != nil {
			return place{}, err
		}
		if named = ""; xdgBase() != "" {
			named = "XDG_DATA_HOME"
		}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return place{}, fmt.Errorf("find the data directory: %w", err)
	}
	p, err := placeAt(dir)
	if err != nil || !p.owner.drop || p.reachable(ctx) {
		return p, err
	}
	if named != "" { // another directory may belong to another installation
		return place{}, fmt.Errorf("%w: the user %s, who runs PostgreSQL for root, cannot enter %s, which %s leads to; "+
			"let everyone pass through it (chmod o+x), or set FOOTNOTE_DATA to a directory where they may, such as %s", ErrNotOurs, p.owner.name,
			existingParent(dir), named, rootsPlace)
	}
	cfg.Logger.InfoContext(ctx, "the private PostgreSQL keeps its data outside of root's home, which its user cannot enter",
		"user", p.owner.name, "home", dir, "data", rootsPlace)
	return placeAt(rootsPlace)
}

// DefaultDir returns the directory that is used if Config.Dir is empty: footnote's data directory.
func DefaultDir() (string, error) {
	if base := xdgBase(); base != "" {
		return filepath.Join(base, "footnote"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		if os.Geteuid() == 0 {
			return rootsPlace, nil
		}
		return "", fmt.Errorf("%w: there is no home directory to keep the private PostgreSQL in; set HOME or FOOTNOTE_DATA, or set DATABASE_URL", ErrStart)
	}
	return filepath.Join(home, ".local", "share", "footnote"), nil
}

// xdgBase returns the value of XDG_DATA_HOME, or "". It ignores a relative path, as the XDG
// specification requires.
func xdgBase() string {
	if base := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(base) {
		return base
	}
	return ""
}

func placeAt(dir string) (place, error) {
	p := place{paths: paths{root: filepath.Join(dir, "postgres")}}
	var err error
	p.owner, err = chooseAccount(p.paths.root)
	return p, err
}

// reachable reports whether the owner can enter the parent of the cluster's directory. If the
// parent does not exist, it checks the nearest directory above that does.
func (p place) reachable(ctx context.Context) bool {
	near := existingParent(filepath.Dir(p.paths.root))
	if info, err := os.Stat(near); err == nil && !info.IsDir() {
		return true // making the directory will fail, with the better message
	}
	return p.owner.canEnter(ctx, near)
}

func existingParent(dir string) string {
	for !exists(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	return dir
}

// prepare creates the cluster's directory, readable only by its owner. It resolves symbolic links
// in the path, so that every process puts the same path on the server's command line.
func (p *place) prepare() error {
	root := p.paths.root
	if err := os.MkdirAll(filepath.Dir(root), 0o755); err != nil {
		return notMade(root, err)
	}
	switch err := os.Mkdir(root, 0o700); {
	case err == nil:
		if err := p.owner.own(root); err != nil {
			return notMade(root, err)
		}
	case !errors.Is(err, fs.ErrExist):
		return notMade(root, err)
	}
	// Another root process may be between its Mkdir and its chown.
	if info, err := os.Lstat(root); err == nil && info.IsDir() && ownedByUs(info) {
		if err := p.owner.own(root); err != nil {
			return notMade(root, err)
		}
	}
	if err := p.owner.check(root); err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return notMade(root, err)
	}
	p.paths.root = real
	return nil
}

func notMade(dir string, err error) error {
	return fmt.Errorf("%w: the directory for the private PostgreSQL, %s, cannot be made: %w; make room for it, set FOOTNOTE_DATA to another place, or set DATABASE_URL",
		ErrStart, dir, err)
}
