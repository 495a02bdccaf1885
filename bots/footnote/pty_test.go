package main_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

// terminal is a pseudo-terminal with the program at its other end.
type terminal struct {
	*os.File
	mu      sync.Mutex
	screen  bytes.Buffer
	changed chan struct{} // holds one token when more was printed
	exited  chan error
}

// openTerminal starts the program as the session leader of a new pseudo-terminal, so that Ctrl-C
// typed there reaches it as a signal.
func openTerminal(t *testing.T, p *program, args ...string) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	var unlock, number int32
	for request, arg := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlock, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), request, uintptr(unsafe.Pointer(arg))); errno != 0 {
			t.Fatal(errno)
		}
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	cmd := p.command(ctx, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	term := &terminal{File: master, changed: make(chan struct{}, 1), exited: make(chan error, 1)}
	go term.read()
	go func() { term.exited <- cmd.Wait() }()
	return term
}

func (s *terminal) read() {
	buffer := make([]byte, 4096)
	for {
		n, err := s.Read(buffer)
		s.mu.Lock()
		s.screen.Write(buffer[:n])
		s.mu.Unlock()
		select {
		case s.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// await returns when the program has printed text after the given offset, and the offset behind it.
func (s *terminal) await(t *testing.T, text string, after int) int {
	t.Helper()
	timeout := time.After(limit)
	for {
		s.mu.Lock()
		screen := s.screen.String()
		s.mu.Unlock()
		if i := strings.Index(screen[after:], text); i >= 0 {
			return after + i + len(text)
		}
		select {
		case <-s.changed:
		case <-timeout:
			t.Fatalf("%q was not printed after byte %d; the screen shows:\n%s", text, after, screen)
		}
	}
}

func (s *terminal) keys(t *testing.T, text string) {
	t.Helper()
	if _, err := s.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func TestCtrlCStopsTheAnswerAndNotTheProgram(t *testing.T) {
	t.Parallel()
	stopsAnswer(t, "\x03")
}

func TestLineStopStopsTheAnswer(t *testing.T) {
	t.Parallel()
	stopsAnswer(t, "stop\n")
}

// stopsAnswer fails the test unless the keys stop an answer, and the chat goes on.
func stopsAnswer(t *testing.T, keys string) {
	t.Helper()
	gate := make(chan struct{})
	server := openaitest.New(t,
		openaitest.Reply{Text: "This answer never comes to its end.", Gate: gate, GateAfter: 4},
		openaitest.Reply{Text: "The second answer is whole."},
	)
	term := openTerminal(t, newProgram(t, "OPENAI_BASE_URL="+server.URL()), "chat")
	at := term.await(t, "› ", 0)
	term.keys(t, "Tell me a story.\n")
	at = term.await(t, "This answer", at)
	term.keys(t, keys)
	at = term.await(t, "Stopped.", at)
	at = term.await(t, "› ", at)
	if _, err := server.WaitClosed(t.Context(), 0); err != nil {
		t.Error("the request to the model was not closed")
	}
	term.keys(t, "And now?\n")
	at = term.await(t, "The second answer is whole.", at)
	term.await(t, "› ", at)
	term.keys(t, "\x04")
	select {
	case err := <-term.exited:
		var exit *exec.ExitError
		if err != nil {
			t.Errorf("the chat ended with %v (%T)", err, exit)
		}
	case <-time.After(limit):
		t.Error("Ctrl-D did not end the chat")
	}
}

func TestTerminalShowsFootnotesAsHyperlinks(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", handbook(t), "--base-url", "https://docs.example")
	term := openTerminal(t, p, "chat")
	at := term.await(t, "› ", 0)
	term.keys(t, "How many vacation days does an employee have?\n")
	at = term.await(t, "\x1b]8;;https://docs.example/vacation.md#days-per-year\x1b\\[1]\x1b]8;;\x1b\\", at)
	at = term.await(t, "Sources", at)
	at = term.await(t, "\x1b[K› ", at) // not that of the line while the answer is written
	term.keys(t, "\x03")
	at = term.await(t, "Ctrl-D", at)
	term.keys(t, "\x03")
	select {
	case err := <-term.exited:
		if err != nil {
			t.Errorf("the chat ended with %v", err)
		}
	case <-time.After(limit):
		t.Errorf("Ctrl-C twice at the prompt did not end the chat (after byte %d)", at)
	}
}

// A process that is told to end stops its answer, shows what was written, and says that it was
// interrupted.
func TestSignalsStopAnAnswerNobodySeesToTheEnd(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]os.Signal{"SIGINT": os.Interrupt, "SIGTERM": syscall.SIGTERM} {
		for _, verb := range []string{"ask", "ask --json", "chat"} {
			t.Run(verb+" "+name, func(t *testing.T) {
				t.Parallel()
				server := openaitest.New(t, openaitest.Reply{Text: "This answer never comes to its end.", Gate: make(chan struct{}), GateAfter: 4})
				p := newProgram(t, "OPENAI_BASE_URL="+server.URL())
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				defer cancel()
				args := map[string][]string{"ask": {"ask", "Tell me a story."}, "ask --json": {"ask", "Tell me a story.", "--json"}, "chat": {"chat"}}[verb]
				cmd := p.command(ctx, args...)
				var stdout, stderr lockedBuffer
				cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("Tell me a story.\nAnd another.\n"), &stdout, &stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				// What is sent is shown a moment later, and with --json at the end.
				written := func() bool { return verb == "ask --json" || strings.Contains(stdout.String(), "This answer") }
				for len(server.ChatRequests()) == 0 || server.ChatRequests()[0].Sent < 4 || !written() {
					if ctx.Err() != nil {
						t.Fatalf("the answer does not begin\n%s%s", stdout.String(), stderr.String())
					}
					runtime.Gosched()
				}
				if err := cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				err := cmd.Wait()
				var exit *exec.ExitError
				if !errors.As(err, &exit) || exit.ExitCode() != 130 || !strings.Contains(stderr.String(), "interrupted") {
					t.Errorf("it ended with %v\n%s", err, stderr.String())
				}
				if !written() || len(server.ChatRequests()) != 1 {
					t.Errorf("%d requests to the model; the output is:\n%s", len(server.ChatRequests()), stdout.String())
				}
				if verb == "ask --json" && !strings.Contains(stdout.String(), `"outcome":"stopped"`) {
					t.Errorf("the outcome is not that of a stopped answer:\n%s", stdout.String())
				}
			})
		}
	}
}
