package main_test

import (
	"bufio"
	"context"
	"io"
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
		if n := r.Logged(line); n != 2 {
			t.Errorf("%d lines say that %s, want one for each loss", n, line)
		}
	}
	r.End(syscall.SIGTERM)
	if _, err := os.Stat(filepath.Join(data, "postgres", "data", "postmaster.pid")); !os.IsNotExist(err) {
		t.Errorf("the private server still runs: %v", err)
	}
}

// A chat starts its private server again, as a server does.
func TestChatStartsItsLostPostgreSQLAgain(t *testing.T) {
	t.Parallel()
	data := shortDir(t)
	p := &program{env: []string{"FOOTNOTE_DATA=" + data}}
	p.run(t, "index", handbook(t))
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := p.command(ctx, "chat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewReader(out)
	for n := range 3 {
		if _, err := io.WriteString(in, "How many vacation days does an employee have?\n"); err != nil {
			t.Fatal(err)
		}
		for line := ""; !strings.Contains(line, "thirty"); {
			if line, err = answers.ReadString('\n'); err != nil {
				t.Fatalf("question %d: %v\n%s", n, err, log.String())
			}
		}
		if n == 2 {
			break
		}
		if err := syscall.Kill(postmaster(t, data), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, answers); err != nil {
		t.Error(err)
	}
	if err := cmd.Wait(); err != nil || strings.Count(log.String(), "it is started again") != 2 {
		t.Errorf("%v\n%s", err, log.String())
	}
}
