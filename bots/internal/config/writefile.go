package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/footnotehq/footnote/bots/internal/wholefile"
)

// ErrChanged means that the configuration file was changed after the caller had read it.
var ErrChanged = errors.New("the file was changed meanwhile: run the command again")

// WriteFile atomically replaces the configuration file at path with now and keeps its mode and
// owner. It returns ErrChanged if the file does not contain before; nil means that there is no
// file. If path is a symbolic link, WriteFile replaces the file that it points to.
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
	// lock out other commands that add a source
	if err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX); err != nil {
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
	err = wholefile.Write(target, 0o644, func(w io.Writer) error {
		_, err := w.Write(now)
		return err
	})
	if errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s cannot be written here (%w): run this with --dry-run, and put the entry that it prints into the file yourself", path, err)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return folder.Sync()
}

// linked follows symbolic links. The file that it returns may not exist yet.
func linked(path string) (string, error) {
	for range 40 {
		to, err := os.Readlink(path)
		switch {
		case err == nil && filepath.IsAbs(to):
			path = to
		case err == nil:
			path = filepath.Join(filepath.Dir(path), to)
		default: // not a link, or it does not exist
			return path, nil
		}
	}
	return "", errors.New("its links lead round in a circle")
}
