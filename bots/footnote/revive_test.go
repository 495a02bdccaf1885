package main_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// postmaster is the process of a data folder's private server, as its PID file names it.
func postmaster(t *testing.T, data string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(data, "postgres", "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestServeStartsItsLostPostgreSQLAgain(t *testing.T) {
	t.Parallel()
	data := shortDir(t)
	o := newOffice(t)
	r := o.serve("FOOTNOTE_DATA=" + data)
	r.Ready()
	o.answered(o.ask("one?"))
	for _, question := range []string{"two?", "three?"} {
		lost := postmaster(t, data)
		if err := syscall.Kill(lost, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		o.answered(o.ask(question))
		if pid := postmaster(t, data); pid == lost {
			t.Errorf("process %d is named after it was killed", pid)
		}
	}
	if d := (&program{env: []string{"FOOTNOTE_DATA=" + data}}).run(t, "doctor"); !strings.Contains(d.stdout, " disk: ") || !strings.Contains(d.stdout, "GiB free") {
		t.Errorf("doctor says:\n%s", d.stdout)
	}
	for _, line := range []string{"the private PostgreSQL has ended", "the private PostgreSQL runs again"} {
		if n := strings.Count(r.Log(), line); n != 2 {
			t.Errorf("%d lines say that %s, want one for each loss", n, line)
		}
	}
	r.End(syscall.SIGTERM)
	if _, err := os.Stat(filepath.Join(data, "postgres", "data", "postmaster.pid")); !os.IsNotExist(err) {
		t.Errorf("the private server still runs: %v", err)
	}
}
