package main_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

// isolated are the attributes of a process that has no network, not even a loopback; nil where the
// machine lets nobody take it away.
func isolated(t *testing.T) *syscall.SysProcAttr {
	t.Helper()
	attr := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	}
	cmd := (&program{}).command(t.Context(), "--version")
	cmd.SysProcAttr = attr
	err := cmd.Run()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) {
		t.Logf("processes keep their network here: %v", err)
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return attr
}

// Nothing that is needed for an answer comes from a network: not at the first run, and not later.
func TestWithoutAnyNetwork(t *testing.T) {
	t.Parallel()
	p, attr := &program{env: []string{"FOOTNOTE_DATA=" + shortDir(t)}}, isolated(t)
	run := func(args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		cmd := p.command(ctx, args...)
		cmd.SysProcAttr = attr
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatalf("footnote %s: %v\n%s%s", strings.Join(args, " "), err, stdout.String(), stderr.String())
		}
		return stdout.String()
	}
	run("index", handbook(t))
	if found := run("search", "roll back a deployment"); !strings.Contains(found, "Rollback") {
		t.Errorf("search finds %q", found)
	}
	if got := jsonOf[answered](t, result{stdout: run("ask", "How many vacation days does an employee have?", "--json")}); got.Outcome != "answered" || len(got.Citations) == 0 {
		t.Errorf("answer = %+v", got)
	}
	run("doctor")
}
