package local_test

import (
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/local"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestLongPath(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(newDir(t), strings.Repeat("long-", 20), "it's 100% \"odd\", \\really")
	cluster := start(t, config(dir))
	if got := query(t, cluster.URL(), `select 'served'`); got != "served" {
		t.Error(got)
	}
	socket := cluster.SocketDir()
	t.Cleanup(func() { _ = os.RemoveAll(socket) })
	if strings.HasPrefix(socket, dir) {
		t.Errorf("the socket is in %s, which is too long", socket)
	}
	info, err := os.Stat(socket)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("%s has mode %o, want 700", socket, info.Mode().Perm())
	}
	// Another process finds the same one.
	other := spawn(t, self(t), dir, nil)
	if url := other.says("ready"); url != cluster.URL() {
		t.Errorf("two addresses: %s and %s", url, cluster.URL())
	}
	other.leave()
}

func TestSocketDirectoryThatSomebodyPrepared(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	cluster, err := local.Start(testContext(t), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	socket := cluster.SocketDir()
	if err := cluster.Close(testContext(t)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(socket, 0o777); err != nil {
		t.Fatal(err)
	}
	wantError(t, config(dir), local.ErrNotOurs, socket, "chmod 700")
	if err := os.Remove(socket); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/tmp", socket); err != nil {
		t.Fatal(err)
	}
	wantError(t, config(dir), local.ErrNotOurs, socket, "not a directory")
}

func TestPlaces(t *testing.T) {
	// An unprivileged server cannot enter what is closed to all but root; anybody else
	// runs the server himself.
	closed := filepath.Join(newDir(t), "home")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	open := newDir(t)
	inClosed := filepath.Join(closed, ".local", "share", "footnote", "postgres")
	if os.Geteuid() == 0 {
		inClosed = "/var/lib/footnote/postgres"
	}
	for _, test := range []struct{ name, xdg, home, want string }{
		{"XDG_DATA_HOME", open, "/nowhere", filepath.Join(open, "footnote", "postgres")},
		{"the home directory", "", open, filepath.Join(open, ".local", "share", "footnote", "postgres")},
		{"a relative XDG_DATA_HOME is ignored", "data", open, filepath.Join(open, ".local", "share", "footnote", "postgres")},
		{"a closed home", "", closed, inClosed},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("XDG_DATA_HOME", test.xdg)
			t.Setenv("HOME", test.home)
			got, err := local.PlaceOf(testContext(t), local.Config{Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// A folder that was named is used or refused: in the place that root shares with others there may
// be another index.
func TestNamedPlaceIsNeverAnother(t *testing.T) {
	closed := filepath.Join(newDir(t), "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, setting := range []string{"XDG_DATA_HOME", "FOOTNOTE_DATA"} {
		t.Run(setting, func(t *testing.T) {
			c := local.Config{Logger: slog.New(slog.DiscardHandler)}
			want := filepath.Join(closed, "footnote", "postgres")
			t.Setenv("XDG_DATA_HOME", closed)
			if setting == "FOOTNOTE_DATA" {
				c.Dir, want = closed, filepath.Join(closed, "postgres")
			}
			got, err := local.PlaceOf(testContext(t), c)
			if os.Geteuid() != 0 { // the server runs as who named it
				if err != nil || got != want {
					t.Errorf("%s (%v), want %s", got, err, want)
				}
				return
			}
			if !errors.Is(err, local.ErrNotOurs) {
				t.Fatalf("the place is %q (%v)", got, err)
			}
			for _, want := range []string{setting + " leads to", closed, "chmod o+x", "FOOTNOTE_DATA"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
		})
	}
}

func TestDirectoryThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(newDir(t), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	wantError(t, config(filepath.Join(file, "below")), local.ErrStart, file, "FOOTNOTE_DATA")

	open := newDir(t)
	if err := os.Mkdir(filepath.Join(open, "postgres"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(open, "postgres"), 0o755); err != nil {
		t.Fatal(err)
	}
	wantError(t, config(open), local.ErrNotOurs, "chmod 700")
}

// An ordinary user's cluster, and root who comes to it later: the server stays the
// user's. Without root rights both are the same user.
func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	program := self(t)
	owner := os.Geteuid()
	as := func(*exec.Cmd) {}
	if owner == 0 {
		nobody, err := user.Lookup("nobody")
		if err != nil {
			t.Fatal(err)
		}
		uid, _ := strconv.Atoi(nobody.Uid)
		gid, _ := strconv.Atoi(nobody.Gid)
		owner = uid
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
		// The test program lies where only root can go.
		program = copyFile(t, program, filepath.Join(newDir(t), "helper"))
		as = func(cmd *exec.Cmd) {
			cmd.Dir = dir
			cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		}
	}
	theirs := spawn(t, program, dir, as)
	url := theirs.says("ready")
	ours := start(t, config(dir))
	if ours.URL() != url {
		t.Errorf("two addresses: %s and %s", url, ours.URL())
	}
	theirs.leave()
	if err := ours.Close(testContext(t)); err != nil {
		t.Fatal(err)
	}
	// Now root starts it.
	again := start(t, config(dir))
	if got := query(t, again.URL(), `select 'served'`); got != "served" {
		t.Error(got)
	}
	info, err := os.Stat(filepath.Join(again.Dir(), "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	if uid := int(info.Sys().(*syscall.Stat_t).Uid); uid != owner {
		t.Errorf("the server runs as user id %d, want %d", uid, owner)
	}
	// And the user can still join.
	theirs = spawn(t, program, dir, as)
	theirs.says("ready")
	theirs.leave()
}

// copyFile has another process write the copy: what this one writes is open in whatever it starts
// meanwhile, and cannot be run until that has ended.
func copyFile(t *testing.T, from, to string) string {
	t.Helper()
	if out, err := exec.Command("cp", "-p", from, to).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return to
}
