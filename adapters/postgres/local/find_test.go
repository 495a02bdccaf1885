package local_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/local"
)

// fakeServer makes programs that tell a version and can do nothing else.
func fakeServer(t *testing.T, version string) string {
	t.Helper()
	dir := newDir(t)
	for _, program := range []string{"initdb", "pg_ctl", "postgres"} {
		script := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = --version ] && echo '%s (PostgreSQL) %s' && exit\necho 'could not create file: No space left on device' >&2\nexit 1\n", program, version)
		if err := os.WriteFile(filepath.Join(dir, program), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// noVector is fakeServer's opposite: the real programs, moved to where no pgvector is. A
// server finds its files relative to where it lies.
func noVector(t *testing.T) string {
	t.Helper()
	real, err := local.Find(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	root := newDir(t)
	directory := func(option string) string {
		out, err := exec.Command(filepath.Join(real.Dir, "pg_config"), option).Output()
		if err != nil {
			t.Fatalf("pg_config %s: %v", option, err)
		}
		return strings.TrimSpace(string(out))
	}
	bin := filepath.Join(root, directory("--bindir"))
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"initdb", "pg_ctl", "postgres"} {
		copyFile(t, filepath.Join(real.Dir, program), filepath.Join(bin, program))
	}
	// Everything else is linked, but for the directory of extensions.
	for _, linked := range []string{directory("--pkglibdir")} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, linked)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(linked, filepath.Join(root, linked)); err != nil {
			t.Fatal(err)
		}
	}
	share := directory("--sharedir")
	linkAllBut(t, share, filepath.Join(root, share), "extension")
	linkAllBut(t, filepath.Join(share, "extension"), filepath.Join(root, share, "extension"), "vector.control")
	return bin
}

func linkAllBut(t *testing.T, from, to, but string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() == but {
			continue
		}
		if err := os.Symlink(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFindSeesTheServerAndItsVector(t *testing.T) {
	t.Parallel()
	found, err := local.Find(testContext(t), fakeServer(t, "15.1"), fakeServer(t, "14.20"))
	if err != nil {
		t.Fatal(err)
	}
	if found.Major < local.MinMajor || !strings.HasPrefix(found.Version, itoa(found.Major)+".") || found.Vector == "" {
		t.Errorf("found %+v, want the machine's own server, which has pgvector", found)
	}
}

func TestServersThatWillNotDo(t *testing.T) {
	t.Parallel()
	empty := newDir(t)
	old, full := fakeServer(t, "14.20 (Debian 14.20-1)"), fakeServer(t, "17beta1")
	bare := noVector(t)

	made := func(version string) string {
		dir := newDir(t)
		data := filepath.Join(dir, "postgres", "data")
		if err := os.MkdirAll(data, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte(version+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	madeBy14, madeBy99, madeByNobody := made("14"), made("99"), made("what")
	wrongSetting := config(newDir(t))
	wrongSetting.Settings["shared_buffers"] = "a lot"

	tests := []struct {
		name  string
		cfg   local.Config
		want  error
		parts []string
	}{
		{"no programs", local.OnlyIn(config(newDir(t)), empty, "/nowhere"), local.ErrNoServer, []string{empty, "/nowhere", "make deps", "DATABASE_URL"}},
		{"too old", local.OnlyIn(config(newDir(t)), old), local.ErrOldServer, []string{old, "14.20", "15", "make deps", "DATABASE_URL"}},
		{"no pgvector", local.OnlyIn(config(newDir(t)), bare), local.ErrNoVector, []string{bare, "make deps", "DATABASE_URL"}},
		{"initdb fails", local.OnlyIn(config(newDir(t)), full), local.ErrStart, []string{"No space left on device", "make room"}},
		{"the server fails", wrongSetting, local.ErrStart, []string{"shared_buffers", "correct it", "server.log"}},
		{"data of a newer version", config(madeBy99), local.ErrOtherMajor, []string{"version 99", filepath.Join(madeBy99, "postgres", "data"), "pg_upgrade"}},
		{"data of an older version", local.OnlyIn(config(madeBy14), full), local.ErrOtherMajor, []string{"version 14", "version 17", filepath.Join(madeBy14, "postgres", "data")}},
		{"data of a version that is too old", local.OnlyIn(config(madeBy14), old), local.ErrOldServer, []string{"14.20"}},
		{"data of no version", config(madeByNobody), local.ErrStart, []string{"PG_VERSION", "what"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			wantError(t, test.cfg, test.want, test.parts...)
			if pid := serverPID(t, test.cfg.Dir); pid != 0 {
				t.Errorf("server %d was left running", pid)
			}
			if left, _ := filepath.Glob(filepath.Join(test.cfg.Dir, "postgres", "data.new-*")); len(left) > 0 {
				t.Errorf("left over: %v", left)
			}
		})
	}
}
