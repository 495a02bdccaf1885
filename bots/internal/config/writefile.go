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

// ErrChanged says that another program wrote the configuration file meanwhile.
var ErrChanged = errors.New("the file was changed meanwhile: run the command again")

// WriteFile replaces the configuration file at path, which held before (nil: there was none), by
// now: whole or not at all. Its mode and its owner stay, and of a link the file is written that it
// leads to.
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
	// the other way to add a source waits
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
