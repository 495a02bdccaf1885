package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/footnotehq/footnote/bots/internal/config"
)

// A file that was read and is gone ends no rule. That it stands in the working folder makes no
// difference.
func TestFileThatIsGoneIsAFault(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if f, err := config.ReadAgain("", &config.File{}); err != nil || f.Path != "" {
		t.Errorf("there was no file: %+v, %v", f, err)
	}
	if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte("channels:\n  - {platform: slack, follow: mention}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := config.ReadAgain("", &config.File{})
	if err != nil || len(f.Channels) != 1 {
		t.Fatalf("the file is new: %+v, %v", f, err)
	}
	if err := os.Remove(filepath.Join(dir, config.FileName)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", filepath.Join(dir, config.FileName)} {
		if _, err := config.ReadAgain(path, f); !errors.Is(err, config.ErrNoFile) {
			t.Errorf("the file %q is gone: %v", path, err)
		}
	}
}
