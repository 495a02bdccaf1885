package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Sources are tried one by one: what can be seen, how current they are, what is wrong, and how late
// a revocation shows.
func TestSourcesAreChecked(t *testing.T) {
	t.Parallel()
	dir := folder(t, map[string]string{"docs/boat.md": "# Boat\n\nThe boat is moored at the north pier.\n", "more/lamp.md": "# Lamp\n\nThe lamp is lit at dusk.\n"})
	file := filepath.Join(dir, "footnote.yaml")
	if err := os.WriteFile(file, []byte("sources:\n  harbour: {path: docs, every: 6h}\n  light: {path: more}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := newProgram(t, "FOOTNOTE_CONFIG="+file)
	type check struct {
		ID                string   `json:"id"`
		Name              string   `json:"name"`
		Kind              string   `json:"kind"`
		OK                bool     `json:"ok"`
		Faults            []string `json:"faults"`
		Sees              []string `json:"sees"`
		Documents         int      `json:"documents"`
		AgeSeconds        *int64   `json:"age_seconds"`
		RevocationSeconds int      `json:"revocation_seconds"`
	}
	if got := jsonOf[[]check](t, p.run(t, "sources", "check", "--json")); len(got) != 2 || got[0].Name != "harbour" || got[0].AgeSeconds != nil || !got[0].OK ||
		len(got[0].Sees) != 1 || got[0].Sees[0] != "1 document" {
		t.Errorf("before anything was read: %+v", got)
	}
	p.run(t, "index")
	if err := os.Rename(filepath.Join(dir, "more"), filepath.Join(dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	r := p.try(t, "", "sources", "check", "--json")
	got := jsonOf[[]check](t, r)
	if r.code != 1 || len(got) != 2 || !got[0].OK || got[0].Documents != 1 || got[0].AgeSeconds == nil || got[0].Kind != "folder" || !strings.HasPrefix(got[0].ID, "files-docs-") {
		t.Errorf("exit code %d, %+v", r.code, got)
	}
	if lost := got[1]; lost.OK || lost.Documents != 1 || len(lost.Faults) != 1 || !strings.Contains(lost.Faults[0], "there is no file or folder") || lost.ID == "" {
		t.Errorf("the source whose folder is gone: %+v", lost)
	}
	if r := p.run(t, "sources", "check", "harbour"); !strings.Contains(r.stdout, "harbour (files of a folder on this machine)\n  ✓ can be read: 1 document\n  1 document, read just now, every 6h\n") ||
		strings.Contains(r.stdout, "light") {
		t.Errorf("it says:\n%s", r.stdout)
	}
	if r := p.try(t, "", "sources", "check", "nowhere"); r.code != 2 || !strings.Contains(r.stderr, "there are: harbour, light") {
		t.Errorf("exit code %d\n%s", r.code, r.stderr)
	}
	if r := p.try(t, "", "doctor"); r.code != 1 || !strings.Contains(r.stdout, "✓ source harbour: 1 document; 1 document, read just now, every 6h\n") ||
		!strings.Contains(r.stdout, "✗ source light: there is no file or folder") {
		t.Errorf("the doctor ends with %d:\n%s", r.code, r.stdout)
	}
	if _, err := database(t, p).Pool.Exec(t.Context(), `update source set last_success = now() - interval '3 days', paused_at = case when id = $1 then null else now() end`, got[0].ID); err != nil {
		t.Fatal(err)
	}
	if r := p.try(t, "", "sources", "check"); !strings.Contains(r.stdout, "✗ it was last read 72h0m0s ago, although it is to be read every 6h0m0s: is footnote serve running?") ||
		!strings.Contains(r.stdout, "paused just now (footnote sources resume)") {
		t.Errorf("it says:\n%s", r.stdout)
	}
}
