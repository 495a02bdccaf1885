package local_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/local"
)

func TestStartRefusesAFullDisk(t *testing.T) {
	t.Parallel()
	dir := newDir(t)
	if err := syscall.Mount("disk", dir, "tmpfs", 0, "size=200m,mode=0711"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	first, err := local.Start(testContext(t), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	if disk, err := first.Disk(); err != nil || !disk.Short() || disk.Full() {
		t.Errorf("%v, %v", disk, err)
	}
	ballast := filepath.Join(dir, "ballast")
	file, err := os.Create(ballast)
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = file.Write(make([]byte, 1<<20))
	}
	_ = file.Close() // the disk is full
	wantError(t, config(dir), local.ErrDiskFull, "make room")
	if err := first.Close(context.Background()); err != nil {
		t.Error(err)
	}
	wantError(t, config(dir), local.ErrDiskFull, "make room")
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	start(t, config(dir))
}
