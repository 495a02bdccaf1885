package main_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// A descriptor that the program was started with, such as that of a lock, ends with the
// program: the private server, which may outlive it, does not get it.
func TestPrivateServerInheritsNoDescriptors(t *testing.T) {
	t.Parallel()
	data := shortDir(t)
	lock, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	p := &program{env: []string{"FOOTNOTE_DATA=" + data}}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := p.command(ctx, "chat")
	cmd.ExtraFiles = []*os.File{lock}
	var log bytes.Buffer
	cmd.Stderr = &log
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintln(in, "How many vacation days?"); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // it answers, so its server runs
		t.Fatalf("%v\n%s", err, log.String())
	}
	server := postmaster(t, data)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // reports the kill
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", server))
	if err != nil || len(open) == 0 {
		t.Fatalf("the descriptors of the server cannot be seen: %v", err)
	}
	for _, descriptor := range open {
		if file, err := os.Readlink(descriptor); err == nil && file == lock.Name() {
			t.Errorf("%s is %s", descriptor, file)
		}
	}
	p.run(t, "sources") // takes the server over, and stops it
	if _, err := os.Stat(filepath.Join(data, "postgres", "data", "postmaster.pid")); !os.IsNotExist(err) {
		t.Errorf("the server still runs: %v", err)
	}
}
