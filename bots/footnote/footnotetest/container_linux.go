package footnotetest

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const containerUser = 65532

// Container configures what a container adds to its image. Paths are inside the container.
type Container struct {
	Scratch  map[string]string // in-memory folders and sizes: /tmp: 256m
	Volumes  []string          // folders that persist between runs
	ReadOnly map[string]string // read-only mounts from this machine
}

// Contained returns a program that runs a static binary as in a container: in its own read-only
// root folder, as a user without rights. It skips the test on a machine without unshare and the
// right to use it.
func Contained(tb testing.TB, binary string, c Container) string {
	tb.Helper()
	namespace, user := []string{"unshare", "--mount"}, containerUser
	if os.Getuid() != 0 {
		namespace, user = []string{"unshare", "--user", "--map-root-user", "--mount"}, 0
	}
	try := append(namespace[:len(namespace):len(namespace)], "true")
	if out, err := exec.CommandContext(tb.Context(), try[0], try[1:]...).CombinedOutput(); err != nil {
		tb.Skipf("this machine makes no containers: %s: %v\n%s", strings.Join(try, " "), err, out)
	}
	dir := tb.TempDir()
	passable(tb, dir)
	root := filepath.Join(dir, "root")
	inside := func(path string) string {
		full := filepath.Join(root, path)
		if err := os.MkdirAll(full, 0o755); err != nil { //nolint:gosec // as in an image
			tb.Fatal(err)
		}
		return full
	}
	script := []string{"mount --bind '" + root + "' '" + root + "'"}
	bind := func(from, at, options string) {
		script = append(script, fmt.Sprintf("mount --rbind '%s' '%s'", from, at))
		if options != "" {
			script = append(script, fmt.Sprintf("mount -o remount,bind,%s '%s'", options, at))
		}
	}
	for _, place := range []string{"/dev", "/proc"} {
		bind(place, inside(place), "")
	}
	for at, size := range c.Scratch {
		script = append(script, fmt.Sprintf("mount -t tmpfs -o mode=1777,size=%s scratch '%s'", size, inside(at)))
	}
	for n, at := range c.Volumes {
		volume := filepath.Join(dir, fmt.Sprintf("volume%d", n))
		if err := os.Mkdir(volume, 0o700); err != nil {
			tb.Fatal(err)
		}
		if user != 0 {
			if err := os.Chown(volume, user, user); err != nil {
				tb.Fatal(err)
			}
		}
		bind(volume, inside(at), "")
	}
	for at, from := range c.ReadOnly {
		readable(tb, from)
		bind(from, inside(at), "ro")
	}
	image, err := os.ReadFile(binary) //nolint:gosec // the program that was built
	if err == nil {
		err = os.WriteFile(filepath.Join(inside("/"), "footnote"), image, 0o755) //nolint:gosec // it is a program
	}
	if err != nil {
		tb.Fatal(err)
	}
	script = append(script, "mount -o remount,bind,ro '"+root+"'",
		fmt.Sprintf("exec chroot --userspec=%d:%d --groups= '%s' /footnote \"$@\"", user, user, root))
	path := filepath.Join(dir, "footnote")
	text := "#!/bin/sh\nexec " + strings.Join(namespace, " ") + " sh -ec '" + strings.ReplaceAll(strings.Join(script, "\n"), "'", `'\''`) + "' footnote \"$@\"\n"
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // it is a program
		tb.Fatal(err)
	}
	return path
}

func passable(tb testing.TB, folder string) {
	tb.Helper()
	for at := folder; at != os.TempDir() && at != "/"; at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o711); err != nil { //nolint:gosec // it has to
			tb.Fatal(err)
		}
	}
}

func readable(tb testing.TB, folder string) {
	tb.Helper()
	passable(tb, filepath.Dir(folder))
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if d.IsDir() {
			mode = 0o755
		}
		return os.Chmod(path, mode)
	})
	if err != nil {
		tb.Fatal(err)
	}
}
