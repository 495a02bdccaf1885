package footnotetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// plain is the program without the race detector, whose shadow memory exceeds small limits.
var plain struct {
	mu   sync.Mutex
	dir  string // set by Build, and removed with it
	path string
}

// Plain returns the path of the program, built as for a release, without the race detector.
// TestMain must have called Build.
func Plain(tb testing.TB) string {
	tb.Helper()
	plain.mu.Lock()
	defer plain.mu.Unlock()
	if plain.path != "" {
		return plain.path
	}
	if plain.dir == "" {
		tb.Fatal("TestMain does not call footnotetest.Build")
	}
	path := filepath.Join(plain.dir, "footnote-plain")
	build := exec.CommandContext(context.WithoutCancel(tb.Context()), "go", "build", "-o", path, program)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		tb.Fatalf("build the program: %v\n%s", err, out)
	}
	plain.path = path
	return path
}

// Limited returns a program that runs binary with a limit on data memory, in bytes (RLIMIT_DATA). A
// process that exceeds the limit dies. GOMEMLIMIT is nine tenths of it, unless the environment sets
// another one.
func Limited(tb testing.TB, binary string, bytes int64) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "footnote")
	script := fmt.Sprintf("#!/bin/sh\nulimit -d %d && GOMEMLIMIT=\"${GOMEMLIMIT:-%d}\" exec '%s' \"$@\"\n", bytes>>10, bytes/10*9, binary)
	if err := os.WriteFile(path, []byte(script), 0o700); err != nil { //nolint:gosec // it is a program
		tb.Fatal(err)
	}
	return path
}
