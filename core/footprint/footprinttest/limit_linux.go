package footprinttest

import (
	"syscall"
	"testing"
)

func limitData(t *testing.T, bytes uint64) {
	t.Helper()
	if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: bytes, Max: bytes}); err != nil {
		t.Fatal(err)
	}
}
