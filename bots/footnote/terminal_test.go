package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Neither names nor texts of documents can drive the terminal, or turn what it shows around.
func TestDocumentsCannotDriveTheTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"broken\x1b]0;owned\a\u202e.md": "---\nacl: nobody at all\n---\nHidden.",
		"good.md":                       "# Moon \u202e\x1b[2J phases\n\nThe moon has eight phases \x1b[31m in all.",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := newProgram(t)
	indexed, found := p.run(t, "index", dir), p.run(t, "search", "moon phases")
	if !strings.Contains(indexed.stderr, "1 failed") || !strings.Contains(found.stdout, "Moon") {
		t.Fatalf("%s\n%s", indexed.stderr, found.stdout)
	}
	for _, shown := range []string{indexed.stderr, found.stdout} {
		if strings.ContainsAny(shown, "\x1b\a\u202e") {
			t.Errorf("it shows %q", shown)
		}
	}
}
