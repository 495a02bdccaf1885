// Package footnotetest runs the real program in separate processes, for tests and measurements that
// need several of them.
package footnotetest

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

const program = "github.com/footnotehq/footnote/bots/footnote"

// Build builds the program into a temporary folder, calls set with its path, runs the tests and
// returns their exit code. Call it from TestMain. The program has the race detector if the tests
// have it.
func Build(m *testing.M, set func(binary string)) int {
	dir, err := os.MkdirTemp("", "footnote-processes-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	plain.dir = dir
	binary := filepath.Join(dir, "footnote")
	args := []string{"build", "-o", binary}
	if raced() {
		args = append(args, "-race")
	}
	args = append(args, program)
	if out, err := exec.CommandContext(context.Background(), "go", args...).CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
		return 1
	}
	set(binary)
	return m.Run()
}

func raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// Environment returns an environment for the program: settings, and what any process needs on this
// machine, but none of the developer's own settings.
func Environment(settings ...string) []string {
	var kept []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "GORACE"} {
		kept = append(kept, name+"="+os.Getenv(name))
	}
	if plain.dir != "" { // the owner's data folder is left alone
		kept = append(kept, "FOOTNOTE_DATA="+filepath.Join(plain.dir, "data"))
	}
	// Only tests of the sentence model and of local model servers set these.
	kept = append(kept, "EMBEDDER=words", "LOCAL_MODEL=no")
	return append(kept, settings...)
}

// Run runs a command of the program and returns its output. If the command fails, the test fails.
func Run(tb testing.TB, binary string, environment []string, args ...string) string {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), binary, args...)
	cmd.Env = environment
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("footnote %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// Replica is a process of `footnote serve` that can be stopped and started repeatedly. Its methods,
// except Log, must not be called concurrently.
type Replica struct {
	Admin string // address of its health checks

	tb          testing.TB
	command     []string
	environment []string
	cmd         *exec.Cmd
	ended       chan struct{}
	log         log
}

// Serve starts a replica and kills it when the test ends. If the test fails, it logs the replica's
// output.
func Serve(tb testing.TB, binary string, environment []string) *Replica {
	tb.Helper()
	return serve(tb, environment, binary, "serve")
}

// ServeBehind is like [Serve], but the replica has a lower processor priority than the test. The
// servers that the test simulates would run on other machines and not compete for processors.
func ServeBehind(tb testing.TB, binary string, environment []string) *Replica {
	tb.Helper()
	return serve(tb, environment, "nice", "-n", "10", binary, "serve")
}

func serve(tb testing.TB, environment []string, command ...string) *Replica {
	tb.Helper()
	r := &Replica{tb: tb, command: command, environment: environment, Admin: FreeAddress(tb)}
	tb.Cleanup(func() {
		if r.cmd != nil {
			r.End(syscall.SIGKILL)
		}
		if tb.Failed() {
			tb.Logf("the replica at %s wrote:\n%s", r.Admin, r.Log())
		}
	})
	r.Start()
	return r
}

// Start starts the process again. It must have ended before.
func (r *Replica) Start() {
	r.tb.Helper()
	// End stops it, even after the test's context is done.
	cmd := exec.CommandContext(context.WithoutCancel(r.tb.Context()), r.command[0], r.command[1:]...)
	cmd.Env = append([]string{"ADMIN_ADDR=" + r.Admin}, r.environment...)
	cmd.Stderr = &r.log
	if err := cmd.Start(); err != nil {
		r.tb.Fatal(err)
	}
	ended := make(chan struct{})
	r.cmd, r.ended = cmd, ended
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the result is in its ProcessState
	}()
}

// PID returns the id of the process.
func (r *Replica) PID() int { return r.cmd.Process.Pid }

// Signal sends a signal and does not wait.
func (r *Replica) Signal(s syscall.Signal) {
	r.tb.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		r.tb.Errorf("signal %v: %v", s, err)
	}
}

// End sends a signal and waits until the process has ended. After SIGTERM, the exit code must be 0.
func (r *Replica) End(s syscall.Signal) {
	r.tb.Helper()
	r.Signal(s)
	if s == syscall.SIGTERM {
		r.Ended()
	} else {
		r.Gone()
	}
}

// Ended waits until a stopped replica has ended. The test fails if the exit code is not 0.
func (r *Replica) Ended() {
	r.tb.Helper()
	<-r.ended
	if !r.cmd.ProcessState.Success() {
		r.tb.Errorf("told to end, a replica ended with %v", r.cmd.ProcessState)
	}
	r.cmd = nil
}

// Gone waits until the process has ended, with any exit code.
func (r *Replica) Gone() {
	<-r.ended
	r.cmd = nil
}

// Ready waits until the replica reports that it is ready.
func (r *Replica) Ready() {
	r.tb.Helper()
	r.says("is not ready after a minute", func(status int) bool { return status == http.StatusOK })
}

// Unready waits until a stopping replica reports that it is no longer ready.
func (r *Replica) Unready() {
	r.tb.Helper()
	r.says("is ready a minute after it was told to end", func(status int) bool { return status == http.StatusServiceUnavailable })
}

func (r *Replica) says(otherwise string, holds func(status int) bool) {
	r.tb.Helper()
	ctx, cancel := context.WithTimeout(r.tb.Context(), time.Minute)
	defer cancel()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.Admin+"/readyz", nil)
		if err != nil {
			r.tb.Fatal(err)
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
			if holds(res.StatusCode) {
				return
			}
		}
		select {
		case <-ctx.Done():
			r.tb.Fatalf("a replica %s:\n%s", otherwise, r.Log())
		case <-r.ended:
			r.tb.Fatalf("a replica ended with %v:\n%s", r.cmd.ProcessState, r.Log())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Log returns the end of the replica's output since its first start.
func (r *Replica) Log() string { return r.log.tail() }

// Logged returns how often text occurs in the replica's output since its first start.
func (r *Replica) Logged(text string) int { return r.log.count(text) }

// FreeAddress returns a free loopback address, never the same one twice. Its port is below the
// range of outgoing connections, so it stays free while a replica restarts.
func FreeAddress(tb testing.TB) string {
	tb.Helper()
	given.mu.Lock()
	defer given.mu.Unlock()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 15_000+rand.IntN(17_000))
		if given.addresses[address] {
			continue
		}
		listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", address)
		if err != nil {
			continue // a process listens there
		}
		if err := listener.Close(); err != nil {
			tb.Fatal(err)
		}
		if given.addresses == nil {
			given.addresses = make(map[string]bool)
		}
		given.addresses[address] = true
		return address
	}
	tb.Fatal("no address of the loopback interface is free")
	return ""
}

var given struct {
	mu        sync.Mutex
	addresses map[string]bool
}

type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *log) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Count(l.b.Bytes(), []byte(text))
}

func (l *log) tail() string {
	const most = 16 << 10
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.b.Bytes()
	end := text[max(0, len(text)-most):]
	// the reason precedes the stacks of all goroutines
	for _, why := range []string{"\nfatal error: ", "\npanic: ", "\nruntime: "} {
		if at := bytes.Index(text, []byte(why)); at >= 0 && at < len(text)-most {
			return string(text[at:min(len(text), at+most/8)]) + "\n[…]\n" + string(end)
		}
	}
	return string(end)
}
