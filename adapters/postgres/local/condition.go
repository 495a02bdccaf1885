package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sys/unix"
)

// SQLSTATEs with which a server refuses a connection or a statement.
const (
	// LibraryLost is the SQLSTATE undefined_file, which the server returns if a library does not
	// load.
	LibraryLost     = "58P01"
	databaseMissing = "3D000"
	stillStarting   = "57P03" // cannot_connect_now
)

type condition struct {
	alive     bool      // its process runs
	answers   bool      // it accepted a connection
	ready     bool      // it reports that it accepts connections
	socket    bool      // its socket exists
	state     string    // the SQLSTATE of its refusal to connect or to load its libraries
	running   string    // version of the running server
	installed string    // the version of the program that it was started from
	began     time.Time // when it was started
	replaced  time.Time // when its programs or libraries were last replaced
}

type action int

const (
	use action = iota
	wait
	start   // no server runs
	restart // a running server is unusable
	giveUp  // a running server refuses connections for another reason
)

// action returns what to do with a server in this condition, such as restarting it. why is the
// reason of a restart, and empty otherwise.
func (c condition) action() (do action, why string) {
	upgraded := !c.began.IsZero() && !c.replaced.Before(c.began)
	switch {
	case !c.answers && !c.alive:
		return start, ""
	case !c.answers && c.ready && !c.socket:
		return restart, "it had lost its socket"
	case c.state == LibraryLost && upgraded:
		return restart, "its package was upgraded under it, and libraries no longer loaded"
	case c.running != "" && c.installed != "" && c.running != c.installed && upgraded:
		return restart, fmt.Sprintf("version %s is installed, and %s ran", c.installed, c.running)
	case c.answers:
		return use, ""
	case c.state != "" && c.state != stillStarting:
		return giveUp, ""
	}
	return wait, ""
}

// libraries is an SQL statement that makes the server load the libraries of plpgsql and pgvector.
// It skips pgvector if the database does not have it.
const libraries = `do $$ begin
	perform '[1]'::vector <-> '[2]'::vector;
exception when undefined_object then null; -- no pgvector yet
end $$`

// examine checks a running server through a new connection. An old connection would not show a
// missing library, because it has already loaded its libraries. err says why the server cannot be
// used.
func (c *Cluster) examine(ctx context.Context, m *postmaster) (found condition, err error) {
	found = condition{ready: m.ready, socket: exists(m.socket + socketName)}
	if found.running, err = c.tryLibraries(ctx, m.socket); err != nil {
		var refusal *pgconn.PgError
		if errors.As(err, &refusal) {
			found.state = refusal.Code
		}
	}
	found.answers = found.running != ""
	found.alive = found.answers || m.alive(ctx, c.paths)
	var program string
	program, found.began = startedFrom(c.paths)
	if found.replaced = lastReplaced(program); !found.replaced.Before(found.began) {
		if server, err := inspect(ctx, filepath.Dir(program)); err == nil { // else it is being replaced
			found.installed = server.build
		}
	}
	return found, err
}

// tryLibraries connects to the server and loads the libraries of plpgsql and pgvector. It returns
// the server's version even if a library does not load.
func (c *Cluster) tryLibraries(ctx context.Context, socket string) (version string, err error) {
	if socket == "" {
		return "", os.ErrNotExist // the server has not opened it yet
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, socketURL(socket, Database))
	if hasCode(err, databaseMissing) {
		conn, err = pgx.Connect(ctx, socketURL(socket, "postgres"))
	}
	if err != nil {
		return "", err
	}
	version = conn.PgConn().ParameterStatus("server_version")
	_, err = conn.Exec(ctx, libraries)
	return version, errors.Join(err, conn.Close(ctx))
}

// startedFrom returns the path of the last server's program and the time of its start. PostgreSQL
// writes the path and quoted arguments to a file at each start.
func startedFrom(p paths) (program string, at time.Time) {
	name := filepath.Join(p.data(), "postmaster.opts")
	info, err := os.Stat(name)
	if err != nil {
		return "", time.Time{}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", time.Time{}
	}
	program, _, _ = strings.Cut(strings.TrimSpace(string(text)), ` "`)
	return program, info.ModTime()
}

// lastReplaced returns when a server's program or one of its libraries was last replaced. It uses
// the inode change time, because packages preserve modification times from the build.
func lastReplaced(program string) time.Time {
	names := []string{program}
	prefix := filepath.Dir(filepath.Dir(program))
	for _, folder := range []string{filepath.Join(prefix, "lib"), filepath.Join(prefix, "lib", "postgresql")} {
		names = append(names, folder) // a folder changes when a file is added or removed
		for _, library := range []string{"plpgsql.*", "vector.*"} {
			found, _ := filepath.Glob(filepath.Join(folder, library)) // fails on a bad pattern only
			names = append(names, found...)
		}
	}
	var last time.Time
	for _, name := range names {
		var stat unix.Stat_t
		if unix.Stat(name, &stat) != nil { // not every installation has all of them
			continue
		}
		if at := time.Unix(stat.Ctim.Unix()); at.After(last) {
			last = at
		}
	}
	return last
}
