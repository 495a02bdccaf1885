package files_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/footnotehq/footnote/adapters/files"
	gocmp "github.com/google/go-cmp/cmp"
)

// What a repository and its pages say about who is behind them is read; what else lies in the
// hidden folder is not.
func TestWhoIsBehindFiles(t *testing.T) {
	t.Parallel()
	got := read(t, files.Options{Path: folder(t, map[string]string{
		".github/CODEOWNERS": "/docs/ @acme/docs\n", ".github/workflows/ci.md": "# Hidden", ".github/x/CODEOWNERS": "* @nobody\n", ".hidden/a.md": "# Hidden",
		"a.md": "---\nauthors: [Ann Lee, Bo]\nteam: Infra\nsuperseded_by: New plan\ntags: x\nOwner: {name: nobody}\nassignee: \"\"\n---\n# A",
		"b.md": "# B",
	})})
	if diff := gocmp.Diff([]string{".github/CODEOWNERS", "a.md", "b.md"}, slices.Sorted(maps.Keys(got.docs))); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if diff := gocmp.Diff(map[string]string{"authors": "Ann Lee, Bo", "team": "Infra", "superseded_by": "New plan", "tags": "x"}, got.docs["a.md"].Metadata); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
	if len(got.docs["b.md"].Metadata) > 0 {
		t.Errorf("a page without front matter says %v of itself", got.docs["b.md"].Metadata)
	}
}
