// Package footprinttest runs a test in a separate process with little memory.
package footprinttest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

const inside = "FOOTNOTE_TEST_LITTLE_MEMORY"

func race() bool {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return false
	}
	for _, s := range info.Settings {
		if s.Key == "-race" {
			return s.Value == "true"
		}
	}
	return false
}

// Limited runs work in a separate process with limited memory. The limit in bytes applies to the
// data segment (RLIMIT_DATA), which includes all memory of Go. The runtime's memory limit is nine
// tenths of that limit, as in a container. The test fails if the process dies or work fails.
//
// A test must call Limited once, at its top level, and do nothing else. The name of the test must
// contain LittleMemory. Such tests run without the race detector, whose shadow memory exceeds any
// such limit.
func Limited(t *testing.T, bytes int64, work func(t *testing.T)) {
	t.Helper()
	if race() {
		t.Fatal("the race detector's shadow memory counts as data: run tests named LittleMemory without -race")
	}
	if os.Getenv(inside) == t.Name() {
		limitData(t, uint64(bytes))
		debug.SetMemoryLimit(bytes / 10 * 9)
		work(t)
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // limit for work that never ends
	defer cancel()
	pattern := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	child := exec.CommandContext(ctx, os.Args[0], "-test.run="+pattern, "-test.v") //nolint:gosec // this test binary
	child.Env = append(os.Environ(), inside+"="+t.Name())
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("with %d MiB: %v\n%s", bytes>>20, err, head(out))
	}
	if !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Fatalf("the test did not run:\n%s", head(out))
	}
	t.Log(head(out))
}

func head(out []byte) string { return fmt.Sprintf("%.4000s", out) }
