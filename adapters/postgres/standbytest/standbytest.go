// Package standbytest gives tests two real PostgreSQL servers, of which one replicates the other by streaming.
package standbytest

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/local"
	"github.com/jackc/pgx/v5"
)

// Pair is a primary with an empty database that has the extension vector, and its replica.
type Pair struct {
	tb               testing.TB
	bins             string
	primary, standby *server
}

type server struct {
	dir, data string // of the socket, and of its files
	cmd       *exec.Cmd
	log       bytes.Buffer
}

const (
	role  = "footnote"
	limit = 2 * time.Minute // for any one step, on a machine that has much else to do
)

// Start starts both servers and stops them when the test ends. The test fails when PostgreSQL is not installed ("make deps").
func Start(tb testing.TB) *Pair {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	found, err := local.Find(ctx)
	if err != nil {
		tb.Fatal(err)
	}
	p := &Pair{tb: tb, bins: found.Dir, primary: place(tb), standby: place(tb)}
	p.run(ctx, "initdb", "-D", p.primary.data, "-U", role, "--auth=trust", "--no-sync", "--locale=C", "--encoding=UTF8")
	p.launch(p.primary)
	p.tell(p.url(p.primary, "postgres"), "create database footnote")
	p.tell(p.Primary(), "create extension vector")
	p.run(ctx, "pg_basebackup", "-D", p.standby.data, "-h", p.primary.dir, "-U", role, "-R", "-X", "stream", "--checkpoint=fast", "--no-sync")
	p.launch(p.standby)
	return p
}

// Primary is the address of the database.
func (p *Pair) Primary() string { return p.url(p.primary, "footnote") }

// Standby is the address of its replica.
func (p *Pair) Standby() string { return p.url(p.standby, "footnote") }

// Pause holds the replica where it is, or lets it go on.
func (p *Pair) Pause(yes bool) {
	p.tb.Helper()
	p.tell(p.Standby(), map[bool]string{true: "select pg_wal_replay_pause()", false: "select pg_wal_replay_resume()"}[yes])
}

// Promote makes the replica a server of its own.
func (p *Pair) Promote() {
	p.tb.Helper()
	p.tell(p.Standby(), "select pg_promote(wait => true)")
}

// Kill ends the replica as a crash would.
func (p *Pair) Kill() {
	p.tb.Helper()
	p.standby.kill(p.tb)
}

// Restart starts the replica again.
func (p *Pair) Restart() {
	p.tb.Helper()
	p.launch(p.standby)
}

func (p *Pair) url(s *server, database string) string {
	address := url.URL{Scheme: "postgres", User: url.User(role), Path: "/" + database, RawQuery: url.Values{"host": {s.dir}, "sslmode": {"disable"}}.Encode()}
	return address.String()
}

// place makes the directories of a server, which belong to the user that it runs as.
func place(tb testing.TB) *server {
	tb.Helper()
	dir, err := os.MkdirTemp("", "pair") // a short path: sockets allow about 100 bytes, which test names can exceed
	if err != nil {
		tb.Fatal(err)
	}
	s := &server{dir: dir, data: filepath.Join(dir, "data")}
	tb.Cleanup(func() {
		if s.cmd != nil {
			s.kill(tb)
		}
		if tb.Failed() {
			tb.Logf("the server in %s said:\n%s", dir, s.log.String())
		}
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	if who := identity(tb); who != nil {
		if err := os.Chown(dir, int(who.Uid), int(who.Gid)); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}

// identity is whom the servers run as; nil is whoever runs the test. PostgreSQL refuses to run as root.
func identity(tb testing.TB) *syscall.Credential {
	tb.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, uidErr := strconv.ParseUint(found.Uid, 10, 32)
		gid, gidErr := strconv.ParseUint(found.Gid, 10, 32)
		if err := errors.Join(uidErr, gidErr); err != nil {
			tb.Fatal(err)
		}
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	tb.Fatal("PostgreSQL does not run as root, and there is no other user to run it")
	return nil
}

func (p *Pair) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	p.tb.Helper()
	cmd := exec.CommandContext(ctx, filepath.Join(p.bins, program), args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: identity(p.tb)}
	return cmd
}

func (p *Pair) run(ctx context.Context, program string, args ...string) {
	p.tb.Helper()
	if out, err := p.command(ctx, program, args...).CombinedOutput(); err != nil {
		p.tb.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// launch starts a server and returns when it takes statements.
func (p *Pair) launch(s *server) {
	p.tb.Helper()
	args := []string{"-D", s.data, "-k", s.dir}
	for _, setting := range []string{
		"listen_addresses=", "wal_level=replica", "max_wal_senders=4", "hot_standby=on", "fsync=off", "full_page_writes=off", "shared_buffers=32MB",
		"max_connections=40", "dynamic_shared_memory_type=mmap", "wal_receiver_status_interval=1s", "wal_retrieve_retry_interval=100ms",
	} {
		args = append(args, "-c", setting)
	}
	s.cmd = p.command(context.Background(), "postgres", args...)
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	if err := s.cmd.Start(); err != nil {
		p.tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for {
		conn, err := pgx.Connect(ctx, p.url(s, "postgres"))
		if err == nil {
			_ = conn.Close(ctx) // it has answered
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			p.tb.Fatalf("a server does not answer: %v", err)
		}
	}
}

// kill ends a server at once; its children notice that and end too.
func (s *server) kill(tb testing.TB) {
	tb.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGQUIT); err != nil && !errors.Is(err, os.ErrProcessDone) {
		tb.Error(err)
	}
	_ = s.cmd.Wait() // says that it was ended
	s.cmd = nil
}

func (p *Pair) tell(address, statement string) {
	p.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		p.tb.Fatalf("%s: %v", statement, err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, statement); err != nil {
		p.tb.Fatalf("%s: %v", statement, err)
	}
}
