package main_test

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestIndexWithoutAPathTakesTheSourcesOfTheFile(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{
		"footnote.yaml":  "sources:\n  open: {path: docs, base_url: \"https://docs.example\"}\n  closed: {path: secret, acl: \"group:board\", exclude: draft.md}\n",
		"docs/tides.md":  "# Tides\n\nThe tide turns twice a day in the harbour.\n",
		"secret/plan.md": "# Plan\n\nThe harbour is sold in autumn.\n", "secret/draft.md": "# Draft\n\nThe harbour is bought in spring.\n",
	})
	p := newProgram(t, "FOOTNOTE_CONFIG="+filepath.Join(dir, "footnote.yaml"))
	r := p.run(t, "index")
	if !strings.Contains(r.stderr, "open: documents: 1 indexed") || !strings.Contains(r.stderr, "closed: documents: 1 indexed") {
		t.Errorf("output:\n%s", r.stderr)
	}
	if r := p.run(t, "search", "harbour"); !strings.Contains(r.stdout, "https://docs.example/tides.md") || strings.Contains(r.stdout, "Plan") {
		t.Errorf("members find:\n%s", r.stdout)
	}
	if r := p.with("CONSOLE_PRINCIPALS=group:board").run(t, "search", "harbour"); !strings.Contains(r.stdout, "Plan") || strings.Contains(r.stdout, "Draft") {
		t.Errorf("the board finds:\n%s", r.stdout)
	}
	if r := p.try(t, "", "index", "--acl", "public"); r.code != 2 || !strings.Contains(r.stderr, "are for a path") {
		t.Errorf("a flag without a path: exit code %d\n%s", r.code, r.stderr)
	}
	if r := (&program{}).try(t, "", "index"); r.code != 2 || !strings.Contains(r.stderr, "nothing to index") {
		t.Errorf("nothing at all: exit code %d\n%s", r.code, r.stderr)
	}
}
