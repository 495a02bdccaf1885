// Package wholefile replaces files atomically, so that neither a reader nor a crash sees half a
// file.
package wholefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Write atomically replaces the file at path with what the function write writes. The new file
// keeps the old file's mode and owner; without an old file, it gets mode. After an error, the old
// file is unchanged.
func Write(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	fresh, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err //nolint:wrapcheck // it names the file
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(fresh.Name()))
		}
	}()
	err = write(fresh)
	if err == nil {
		err = keepOwner(path, fresh, mode)
	}
	if err == nil {
		err = fresh.Sync()
	}
	if err := errors.Join(err, fresh.Close()); err != nil {
		return err
	}
	return os.Rename(fresh.Name(), path) //nolint:wrapcheck // it names the file
}

// keepOwner only sets mode if there is no file at path yet.
func keepOwner(path string, fresh *os.File, mode fs.FileMode) error {
	was, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh.Chmod(mode)
	}
	if err != nil {
		return err
	}
	is, err := fresh.Stat()
	if err != nil {
		return err
	}
	old, ok := was.Sys().(*syscall.Stat_t)
	now, also := is.Sys().(*syscall.Stat_t)
	if ok && also && (old.Uid != now.Uid || old.Gid != now.Gid) {
		if err := fresh.Chown(int(old.Uid), int(old.Gid)); err != nil {
			return fmt.Errorf("its owner is another account, as which this has to be run: %w", err)
		}
	}
	return fresh.Chmod(was.Mode().Perm())
}
