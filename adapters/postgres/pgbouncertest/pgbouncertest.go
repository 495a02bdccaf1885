// Package pgbouncertest runs a real PgBouncer, in transaction mode, in front of a test's database.
package pgbouncertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// pool is the number of connections from the pooler to the server. It is small, so that clients
// share connections.
const pool = 4

// Pooler is a PgBouncer of one test, on a Unix socket.
type Pooler struct{ url string }

// URL returns the database's address through the pooler.
func (p *Pooler) URL() string { return p.url }

// Start runs a pooler in front of a database until the test ends. The test fails if pgbouncer is
// not installed ("make deps-test").
func Start(tb testing.TB, database string) *Pooler {
	tb.Helper()
	program, err := find()
	if err != nil {
		tb.Fatal(err)
	}
	server, err := pgx.ParseConfig(database)
	if err != nil {
		tb.Fatalf("read the address of the database: %v", err)
	}
	// a short path: sockets allow about 100 bytes, which test names can exceed
	dir, err := os.MkdirTemp("", "pooler")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	settings := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(settings, []byte(configuration(server, dir)), 0o600); err != nil {
		tb.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.CommandContext(context.Background(), program, settings)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := runAsOwner(cmd, server.Host, dir, settings); err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			tb.Error(err)
		}
		_ = cmd.Wait() // says that it was killed
		if tb.Failed() {
			tb.Logf("PgBouncer said:\n%s", log.String())
		}
	})
	address := url.URL{Scheme: "postgres", User: url.User(server.User), Path: "/" + server.Database,
		RawQuery: url.Values{"host": {dir}, "port": {port}, "sslmode": {"disable"}}.Encode()}
	p := &Pooler{url: address.String()}
	await(tb, p.url)
	return p
}

const port = "6432"

func configuration(server *pgx.ConnConfig, dir string) string {
	target := fmt.Sprintf("host=%s port=%d dbname=%s user=%s", value(server.Host), server.Port, value(server.Database), value(server.User))
	if server.Password != "" {
		target += " password=" + value(server.Password)
	}
	return strings.Join([]string{
		"[databases]", server.Database + " = " + target,
		"[pgbouncer]", "pool_mode = transaction", "auth_type = any", "listen_addr =", "listen_port = " + port, "unix_socket_dir = " + dir,
		fmt.Sprintf("default_pool_size = %d", pool), "max_client_conn = 500", "server_tls_sslmode = prefer", "",
	}, "\n")
}

func value(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func find() (string, error) {
	if program, err := exec.LookPath("pgbouncer"); err == nil {
		return program, nil
	}
	const debian = "/usr/sbin/pgbouncer"
	if _, err := os.Stat(debian); err == nil {
		return debian, nil
	}
	return "", errors.New(`pgbouncer is not installed: run "make deps-test"`)
}

// runAsOwner makes the pooler run as the owner of the server's socket if this process is root.
// PgBouncer refuses to run as root, and the private server accepts no other account.
func runAsOwner(cmd *exec.Cmd, socket string, files ...string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	owner := syscall.Credential{Uid: 65534, Gid: 65534}
	if info, err := os.Stat(socket); err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid != 0 {
			owner.Uid, owner.Gid = stat.Uid, stat.Gid
		}
	}
	for _, name := range files {
		if err := os.Chown(name, int(owner.Uid), int(owner.Gid)); err != nil {
			return err
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &owner}
	return nil
}

func await(tb testing.TB, address string) {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		err := ping(ctx, address)
		if err == nil {
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			tb.Fatalf("PgBouncer does not answer: %v", err)
		}
	}
}

func ping(ctx context.Context, address string) error {
	conn, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	return errors.Join(conn.Ping(ctx), conn.Close(ctx))
}
