package wire

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/uploads"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/document"
)

// A file that is not read says why, and nothing of the folder in which it is read.
func TestOneFileSaysWhyItIsNotRead(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"plan.zip": "Pictures, sound, archives and programs hold no text", "plan.doc": "Save it as one of these, or as PDF", "main.css": "Style sheets and source maps",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("PK\x03\x04"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Attach(t.Context(), &config.Config{MaxDocumentBytes: 1 << 20}, path)
		if err != nil || !strings.Contains(f.Failed, want) || strings.Contains(f.Failed, "left out") || strings.Contains(f.Failed, "folder") || strings.Contains(f.Failed, path) {
			t.Errorf("%s attached: %q, %v", name, f.Failed, err)
		}
		var d document.Document
		d, err = uploads.Read(t.Context(), name, []byte("PK\x03\x04"), (&Base{}).oneFile)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "folder") || strings.Contains(err.Error(), "footnote-file") {
			t.Errorf("%s kept: %+v, %v", name, d, err)
		}
	}
}
