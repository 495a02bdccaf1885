package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrChanged says that somebody else wrote the configuration file meanwhile.
var ErrChanged = errors.New("the file was changed meanwhile: run the command again")

// WriteFile replaces the configuration file at path, which held before (nil: there was none), by now: whole or not at all. Its mode and its owner stay,
// and of a link the file is written that it leads to.
func WriteFile(path string, before, now []byte) (err error) {
	target, err := linked(path)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	folder, err := os.Open(filepath.Dir(target))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	if err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX); err != nil { // the other way to add a source waits
		return fmt.Errorf("write %s: %w", path, err)
	}
	is, err := os.ReadFile(target)
	switch {
	case errors.Is(err, fs.ErrNotExist) && before == nil:
	case err != nil:
		return fmt.Errorf("write %s: %w", path, err)
	case before == nil || string(is) != string(before):
		return fmt.Errorf("write %s: %w", path, ErrChanged)
	}
	err = replaceFile(target, now)
	if errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s cannot be written here (%w): run this with --dry-run, and put the entry that it prints into the file yourself", path, err)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return folder.Sync()
}

// linked follows links to the file that is meant, which need not be there.
func linked(path string) (string, error) {
	for range 40 {
		to, err := os.Readlink(path)
		switch {
		case err == nil && filepath.IsAbs(to):
			path = to
		case err == nil:
			path = filepath.Join(filepath.Dir(path), to)
		default: // it is no link, or not there
			return path, nil
		}
	}
	return "", errors.New("its links lead round in a circle")
}

// replaceFile writes beside the file, and puts that into its place.
func replaceFile(target string, data []byte) (err error) {
	beside, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(beside.Name()))
		}
	}()
	_, err = beside.Write(data)
	if err == nil {
		err = keepOwner(target, beside)
	}
	if err == nil {
		err = beside.Sync()
	}
	if err := errors.Join(err, beside.Close()); err != nil {
		return err
	}
	return os.Rename(beside.Name(), target)
}

// keepOwner gives a file the mode and the owner of the one whose place it takes; without one it is its owner's to write, and everybody's to read.
func keepOwner(target string, beside *os.File) error {
	was, err := os.Stat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return beside.Chmod(0o644)
	}
	if err != nil {
		return err
	}
	is, err := beside.Stat()
	if err != nil {
		return err
	}
	old, ok := was.Sys().(*syscall.Stat_t)
	fresh, also := is.Sys().(*syscall.Stat_t)
	if ok && also && (old.Uid != fresh.Uid || old.Gid != fresh.Gid) {
		if err := beside.Chown(int(old.Uid), int(old.Gid)); err != nil {
			return fmt.Errorf("its owner is another account, as which this has to be run: %w", err)
		}
	}
	return beside.Chmod(was.Mode().Perm())
}
