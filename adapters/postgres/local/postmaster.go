package local

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// postmaster is the content of a running server's postmaster.pid. The file has one value per line:
// process id, data directory, start time, port, socket directory, listen address, shared memory,
// status. A starting server has written only the first lines.
type postmaster struct {
	pid    int
	socket string
	ready  bool
}

// readPostmaster reads postmaster.pid. It returns nil without an error if the file does not exist.
func readPostmaster(p paths) (*postmaster, error) {
	text, err := os.ReadFile(p.pidFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for a running server: %w", err)
	}
	return parsePostmaster(string(text)), nil
}

func parsePostmaster(text string) *postmaster {
	lines := strings.Split(text, "\n")
	line := func(n int) string {
		if n < len(lines) {
			return strings.TrimSpace(lines[n])
		}
		return ""
	}
	pid, err := strconv.Atoi(line(0))
	if err != nil || pid < 1 {
		pid = 0 // cut short by a full disk or a crash
	}
	return &postmaster{pid: pid, socket: line(4), ready: line(7) == "ready"}
}

// alive reports whether the process still runs and is the server of this directory. After a reboot
// or in a container, the process id may belong to another process. If alive cannot find out, it
// returns true.
func (m *postmaster) alive(ctx context.Context, p paths) bool {
	if m.pid == 0 || errors.Is(syscall.Kill(m.pid, 0), syscall.ESRCH) {
		return false
	}
	line, err := commandLine(ctx, m.pid)
	return err != nil || bytes.Contains(line, []byte(p.mark()))
}

// commandLine returns the command line of a process. The result is empty if there is no such
// process or it is a zombie. commandLine ignores the cancellation of ctx, because a live server
// must not look dead to a cancelled caller.
func commandLine(ctx context.Context, pid int) ([]byte, error) {
	if exists("/proc/self/cmdline") {
		line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			return nil, nil
		}
		return line, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	line, err := exec.CommandContext(ctx, "ps", "-o", "args=", "-p", strconv.Itoa(pid)).Output()
	if ended := (*exec.ExitError)(nil); errors.As(err, &ended) && ctx.Err() == nil {
		return nil, nil
	}
	return line, err
}

// forget removes the file of a dead server. Otherwise the next server would mistake any living
// process with that id for the dead server.
func (m *postmaster) forget(p paths) error {
	if m.pid != 0 && errors.Is(syscall.Kill(m.pid, 0), syscall.ESRCH) {
		// The server removes the file itself, after its own checks on shared memory.
		return nil
	}
	if err := os.Remove(p.pidFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove what a killed server left: %w", err)
	}
	return nil
}
