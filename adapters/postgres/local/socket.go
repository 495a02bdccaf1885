package local

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

const (
	socketPort = "5432"
	socketName = "/.s.PGSQL." + socketPort
)

// maxSocketPath is the maximum length of a Unix socket's path: sun_path without its closing NUL
// (107 bytes on Linux, 103 on macOS).
const maxSocketPath = len(syscall.RawSockaddrUnix{}.Path) - 1

func socketURL(dir, database string) string {
	query := url.Values{"host": {dir}, "port": {socketPort}, "sslmode": {"disable"}}
	return (&url.URL{Scheme: "postgres", User: url.User(Database), Path: "/" + database, RawQuery: query.Encode(), Host: ""}).String()
}

// prepareSocketDir creates the directory of the server's socket and returns its path. If settled is
// set, it is the path. Otherwise the directory is in the cluster's directory or, if that path is
// too long for a socket, elsewhere.
func prepareSocketDir(p paths, owner account, settled string) (string, error) {
	dir := p.socket()
	switch {
	case settled != "":
		dir = settled
	case len(dir)+len(socketName) > maxSocketPath:
		dir = shortSocketDir(p, owner)
	}
	err := os.Mkdir(dir, 0o700)
	if err == nil {
		err = owner.own(dir)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%w: the directory for its socket cannot be made: %w", ErrStart, err)
	}
	// Check a directory that existed, too: the owner of a directory in /tmp could intercept
	// connections.
	return dir, owner.check(dir)
}

// shortSocketDir returns a path that depends on user and cluster, so that every process finds the
// same directory.
func shortSocketDir(p paths, owner account) string {
	name := p.mark() + "-" + strconv.Itoa(int(owner.uid))
	base := os.Getenv("XDG_RUNTIME_DIR")
	usable := filepath.IsAbs(base) && len(base)+1+len(name)+len(socketName) <= maxSocketPath
	if owner.drop || !usable || owner.check(base) != nil {
		base = "/tmp"
	}
	return filepath.Join(base, name)
}

func ownedByUs(info fs.FileInfo) bool {
	return int(info.Sys().(*syscall.Stat_t).Uid) == os.Geteuid()
}
