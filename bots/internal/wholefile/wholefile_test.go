package wholefile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/footnotehq/footnote/bots/internal/wholefile"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

func TestWriteKeepsTheModeOrTheOldFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "report")
	broken := errors.New("broken")
	half := func(w io.Writer) error { return errors.Join(text("half")(w), broken) }
	for _, step := range []struct {
		write func(io.Writer) error
		mode  fs.FileMode // of a new file
		fault error
		holds string
		is    fs.FileMode
	}{
		{text("first"), 0o600, nil, "first", 0o600},
		{text("second"), 0o644, nil, "second", 0o600},
		{half, 0o644, broken, "second", 0o600},
	} {
		if err := wholefile.Write(path, step.mode, step.write); !errors.Is(err, step.fault) {
			t.Errorf("Write() = %v, want %v", err, step.fault)
		}
		held, err := os.ReadFile(path)
		if err != nil || string(held) != step.holds {
			t.Errorf("the file holds %q, want %q (%v)", held, step.holds, err)
		}
		if about, err := os.Stat(path); err != nil || about.Mode().Perm() != step.is {
			t.Errorf("mode %v, want %v (%v)", about.Mode(), step.is, err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("the folder holds %v (%v)", files, err)
	}
}
