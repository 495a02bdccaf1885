package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReindexStoresEverythingAnew(t *testing.T) {
	t.Parallel()
	docs := handbook(t)
	file := filepath.Join(t.TempDir(), "footnote.yaml")
	if err := os.WriteFile(file, []byte("sources:\n  handbook:\n    path: "+docs+"\n    acl: [members]\n    exclude: ['*.html']\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "FOOTNOTE_CONFIG="+file)
	for _, args := range [][]string{{"handbook"}, {"--all"}, {docs}} {
		r := p.run(t, append([]string{"sources", "reindex"}, args...)...)
		if !strings.Contains(r.stderr, "handbook: documents: 2 indexed;") {
			t.Errorf("reindex %v says:\n%s", args, r.stderr)
		}
	}
	if r := p.run(t, "index", docs, "--exclude", "*.html"); !strings.Contains(r.stderr, "0 indexed, 2 unchanged") {
		t.Errorf("indexing then says:\n%s", r.stderr)
	}
	// A source that the file does not hold is read again as it was last asked for, its readers and
	// patterns included.
	other := handbook(t)
	p.run(t, "index", other, "--acl", "group:hr", "--exclude", "*.html")
	if r := p.run(t, "sources", "reindex", other); !strings.Contains(r.stderr, "documents: 2 indexed;") {
		t.Errorf("reindexing what is not in the file says:\n%s", r.stderr)
	}
	if r := p.run(t, "index", other); !strings.Contains(r.stderr, "--acl group:hr") || !strings.Contains(r.stderr, "0 indexed, 2 unchanged") {
		t.Errorf("indexing then says:\n%s", r.stderr)
	}
	if r := p.run(t, "sources", "reindex", "--all"); strings.Count(r.stderr, "documents: 2 indexed;") != 2 {
		t.Errorf("reindexing all says:\n%s", r.stderr)
	}
	for want, args := range map[string][]string{"there is no source other": {"other"}, "or write --all": {}} {
		if r := p.try(t, "", append([]string{"sources", "reindex"}, args...)...); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("reindex %v: exit code %d\n%s", args, r.code, r.stderr)
		}
	}
}

// A file of a project that left the configuration file is skipped, and does not end the command.
func TestReindexSkipsLeftoverProjectFile(t *testing.T) {
	t.Parallel()
	docs := handbook(t)
	dir := folder(t, map[string]string{
		"footnote.yaml": "projects:\n  launch: {files: [charter.md]}\n", "charter.md": "# Charter\n\nThe crew sails on Friday.\n",
	})
	file := filepath.Join(dir, "footnote.yaml")
	p := newProgram(t, "FOOTNOTE_CONFIG="+file)
	p.run(t, "ask", "When does the crew sail?", "--project", "launch")
	if err := os.WriteFile(file, []byte("sources:\n  handbook: {path: "+docs+", acl: [members]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := p.run(t, "sources", "reindex", "--all")
	if !strings.Contains(r.stderr, "handbook: documents: ") || !strings.Contains(r.stderr, "its project is no longer in the configuration file") {
		t.Errorf("reindexing all says:\n%s", r.stderr)
	}
	for _, s := range jsonOf[[]listedSource](t, p.run(t, "sources", "--json")) {
		if !strings.Contains(r.stderr, "footnote sources remove "+s.ID) {
			continue
		}
		if r := p.try(t, "", "sources", "reindex", s.ID); r.code != 2 || !strings.Contains(r.stderr, "footnote sources remove "+s.ID) {
			t.Errorf("reindexing %s: exit code %d\n%s", s.ID, r.code, r.stderr)
		}
		return
	}
	t.Error("the file is not listed")
}
