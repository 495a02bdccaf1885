package main_test

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/redis/redistest"
)

// Without DATABASE_URL two processes share one private server, and the last one that leaves stops
// it.
func TestPrivateServerIsSharedByTwoProcesses(t *testing.T) {
	t.Parallel()
	data := shortDir(t)
	p := &program{env: []string{"FOOTNOTE_DATA=" + data}}
	docs := handbook(t)
	var both sync.WaitGroup
	for _, verb := range [][]string{{"index", docs}, {"sources"}} {
		both.Go(func() {
			if r := p.try(t, "", verb...); r.code != 0 {
				t.Errorf("footnote %s: exit code %d\n%s%s", verb[0], r.code, r.stdout, r.stderr)
			}
		})
	}
	both.Wait()
	if got := jsonOf[answered](t, p.run(t, "ask", "How many vacation days does an employee have?", "--json")); got.Outcome != "answered" {
		t.Errorf("answer = %+v", got)
	}
	if _, err := os.Stat(filepath.Join(data, "postgres", "data", "postmaster.pid")); !os.IsNotExist(err) {
		t.Errorf("the private server still runs: %v", err)
	}
}

func TestMigrateIsIdempotent(t *testing.T) {
	t.Parallel()
	p := emptyProgram(t)
	if r := p.run(t, "migrate"); !strings.Contains(r.stdout, "migrations ran") {
		t.Errorf("the first run says %q", r.stdout)
	}
	if r := p.run(t, "migrate"); !strings.Contains(r.stdout, "up to date") || strings.Contains(r.stdout, "ran") {
		t.Errorf("the second run says %q", r.stdout)
	}
}

func TestServeAnswersHealthChecksAndEndsWhenTold(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := listener.Addr().String()
	p := emptyProgram(t, "ADMIN_ADDR="+addr)
	if r := p.try(t, "", "serve"); r.code != 1 || !strings.Contains(r.stderr, "ADMIN_ADDR") {
		t.Errorf("with the address taken: exit code %d\n%s", r.code, r.stderr)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := p.command(ctx, "serve")
	var log bytes.Buffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for ready := false; !ready; { // each try starts a process, which takes its time
		ready = p.try(t, "", "serve", "--check").code == 0
		if ctx.Err() != nil {
			t.Fatalf("it never became ready:\n%s", log.String())
		}
	}
	res, err := http.Get("http://" + addr + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	if err := res.Body.Close(); err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("/healthz: %s, %v", res.Status, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ended with %v\n%s", err, log.String())
		}
	case <-time.After(limit):
		t.Error("it did not end")
	}
}

func TestRedisIsUsedAndItsAbsenceIsSaid(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t))
	with := p.with("REDIS_URL=" + redistest.Start(t).URL())
	if r := with.run(t, "doctor"); !strings.Contains(r.stdout, "✓ Redis: answers") {
		t.Errorf("the doctor says:\n%s", r.stdout)
	}
	if got := jsonOf[answered](t, with.run(t, "ask", "How many vacation days does an employee have?", "--json")); got.Outcome != "answered" {
		t.Errorf("answer = %+v", got)
	}
	without := p.with("REDIS_URL=redis://:hunter2@127.0.0.1:1/0")
	for _, verb := range []struct {
		args []string
		code int
		says string
	}{{[]string{"doctor"}, 1, "REDIS_URL"}, {[]string{"ask", "How many vacation days does an employee have?"}, 0, "redis cannot be reached"}} {
		r := without.try(t, "", verb.args...)
		if r.code != verb.code || !strings.Contains(r.stdout+r.stderr, verb.says) || strings.Contains(r.stdout+r.stderr, "hunter2") {
			t.Errorf("%s without its Redis: exit code %d\n%s%s", verb.args[0], r.code, r.stdout, r.stderr)
		}
	}
}
