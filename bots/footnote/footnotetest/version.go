package footnotetest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// BuildVersion builds the program with another version and additional migrations, by file name. It
// returns the path of the binary, which is deleted after the test.
func BuildVersion(tb testing.TB, version string, migrations map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		tb.Fatal(err)
	}
	var overlay struct{ Replace map[string]string }
	overlay.Replace = make(map[string]string)
	for name, text := range migrations {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
		overlay.Replace[filepath.Join(root, "migrations", name)] = path
	}
	data, err := json.Marshal(overlay)
	if err != nil {
		tb.Fatal(err)
	}
	over, binary := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "footnote")
	if err := os.WriteFile(over, data, 0o600); err != nil {
		tb.Fatal(err)
	}
	// The race detector is on, as in Build, so that packages without migrations are already built.
	cmd := exec.CommandContext(tb.Context(), "go", "build", "-race", "-overlay", over, "-ldflags", "-X main.version="+version,
		"-o", binary, "github.com/footnotehq/footnote/bots/footnote")
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("build version %s: %v\n%s", version, err, out)
	}
	return binary
}
