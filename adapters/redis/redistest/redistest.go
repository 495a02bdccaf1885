// Package redistest starts real Redis servers for tests.
package redistest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Server is a redis-server for one test, on a Unix socket in a directory that only this user may
// enter. It stores nothing on disk.
type Server struct {
	dir string
	tb  testing.TB
	cmd *exec.Cmd
}

// Start starts a server and stops it when the test ends. The test fails if redis-server is not
// installed ("make deps").
func Start(tb testing.TB) *Server {
	tb.Helper()
	// a short path: sockets allow about 100 bytes, which test names can exceed
	dir, err := os.MkdirTemp("", "redis")
	if err != nil {
		tb.Fatal(err)
	}
	s := &Server{dir: dir, tb: tb}
	tb.Cleanup(func() {
		s.Stop()
		if err := os.RemoveAll(dir); err != nil {
			tb.Error(err)
		}
	})
	s.Restart()
	return s
}

// URL returns the server's address in the form of REDIS_URL.
func (s *Server) URL() string { return "unix://" + s.socket() }

func (s *Server) socket() string { return filepath.Join(s.dir, "redis.sock") }

// Calls returns how often a command, such as "hset", was executed. It includes calls by scripts.
func (s *Server) Calls(command string) int {
	s.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	said, err := ask(ctx, "unix", s.socket(), "INFO commandstats")
	if err != nil {
		s.tb.Fatal(err)
	}
	n := 0
	if stat := infoOf(said, "cmdstat_"+command); stat != "" {
		if _, err := fmt.Sscanf(stat, "calls=%d,", &n); err != nil {
			s.tb.Fatalf("%s: %v", stat, err)
		}
	}
	return n
}

// Restart kills the server if it runs, and starts it again on the same address. It returns when the
// server answers.
func (s *Server) Restart() {
	s.tb.Helper()
	s.Stop()
	program, err := exec.LookPath("redis-server")
	if err != nil {
		s.tb.Fatal(`redis-server is not installed: run "make deps"`)
	}
	s.cmd = exec.CommandContext(context.Background(), program, "--port", "0", "--unixsocket", s.socket(), "--save", "", "--appendonly", "no", "--dir", s.dir)
	if err := s.cmd.Start(); err != nil {
		s.tb.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		err := s.ping(ctx)
		if err == nil {
			return
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			s.tb.Fatalf("redis-server does not answer: %v", err)
		}
	}
}

func (s *Server) ping(ctx context.Context) (err error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", s.socket())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if _, err := fmt.Fprint(conn, "PING\r\n"); err != nil {
		return err
	}
	reply := make([]byte, 16)
	n, err := conn.Read(reply)
	if err == nil && !strings.HasPrefix(string(reply[:n]), "+PONG") {
		err = fmt.Errorf("it says %q", reply[:n])
	}
	return err
}

// Stop kills the server, as a crash would.
func (s *Server) Stop() {
	if s.cmd == nil {
		return
	}
	if err := s.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		s.tb.Error(err)
	}
	_ = s.cmd.Wait() // says that it was killed
	s.cmd = nil
}
