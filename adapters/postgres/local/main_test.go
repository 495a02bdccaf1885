package local_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/local"
	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"
)

// helperDir names, in the environment, the cluster that this program shall use as a
// second process instead of running tests.
const helperDir = "FOOTNOTE_LOCAL_TEST_HELPER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(helperDir); dir != "" {
		helper(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// helper starts the cluster, says so, and leaves when its input ends.
func helper(dir string) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cluster, err := local.Start(ctx, config(dir))
	if err != nil {
		fmt.Println("error", strconv.Quote(err.Error()))
		os.Exit(1)
	}
	fmt.Println("ready", cluster.URL())
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := cluster.Close(ctx); err != nil {
		fmt.Println("error", strconv.Quote(err.Error()))
		os.Exit(1)
	}
	fmt.Println("closed")
}

// limit ends a test that hangs; nothing is expected to come near it.
const limit = 2 * time.Minute

func config(dir string) local.Config {
	return local.Config{
		Dir:      dir,
		Settings: map[string]string{"fsync": "off", "shared_buffers": "16MB"},
		Logger:   slog.New(slog.DiscardHandler),
	}
}

// newDir makes a short path that another user can pass through: root's server runs as
// one, and testing's own directories are closed to it.
func newDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "fn-local-")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// start starts a cluster and leaves it at the end of the test.
func start(t *testing.T, cfg local.Config) *local.Cluster {
	t.Helper()
	cluster, err := local.Start(testContext(t), cfg)
	if err != nil {
		t.Fatalf("Start: %v", err)
	}
	t.Cleanup(func() {
		if err := cluster.Close(context.Background()); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return cluster
}

func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	return ctx
}

// query returns the one value that a statement yields.
func query(t *testing.T, url, statement string) string {
	t.Helper()
	ctx := testContext(t)
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer conn.Close(ctx)
	var value string
	if err := conn.QueryRow(ctx, statement).Scan(&value); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	return value
}

// execute runs statements on the cluster.
func execute(t *testing.T, url string, statements ...string) {
	t.Helper()
	ctx := testContext(t)
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	defer conn.Close(ctx)
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// serverPID reads the number of the running server; 0 when none runs.
func serverPID(t *testing.T, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "postgres", "data", "postmaster.pid"))
	if os.IsNotExist(err) {
		return 0
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatalf("postmaster.pid: %v", err)
	}
	return pid
}

// process is a second process that uses a cluster.
type process struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.Closer
	out *bufio.Scanner
	err bytes.Buffer
}

// spawn starts a helper in a process group of its own; as changes how it is run.
func spawn(t *testing.T, program, dir string, as func(*exec.Cmd)) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(program)}
	p.cmd.Env = append(os.Environ(), helperDir+"="+dir)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.Stderr = &p.err
	if as != nil {
		as(p.cmd)
	}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in, p.out = in, bufio.NewScanner(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	return p
}

func self(t *testing.T) string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// says waits for the helper's next line and returns what follows its first word.
func (p *process) says(word string) string {
	p.t.Helper()
	if !p.out.Scan() {
		p.t.Fatalf("the other process ended before it was %s: %s", word, p.err.String())
	}
	first, rest, _ := strings.Cut(p.out.Text(), " ")
	if first != word {
		p.t.Fatalf("the other process said %q, not %q", p.out.Text(), word)
	}
	return rest
}

// leave has the helper close its cluster.
func (p *process) leave() {
	p.t.Helper()
	if err := p.in.Close(); err != nil {
		p.t.Fatal(err)
	}
	p.says("closed")
}

// kill ends it without a chance to clean up.
func (p *process) kill() {
	p.t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		p.t.Fatal(err)
	}
	_ = p.cmd.Wait() // reports the kill
}
