package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpus writes n pages on a few subjects, each with words of its own.
func corpus(t *testing.T, dir string, from, n int) {
	t.Helper()
	subjects := [][3]string{
		{"replication", "standby servers follow the primary by streaming its log", "primary standby streaming slot"},
		{"backup", "a base backup and archived log segments restore the cluster", "archive restore snapshot recovery"},
		{"indexing", "b-tree and hash indexes speed up the look-up of rows", "index btree lookup rows"},
		{"security", "roles and privileges decide who may read a table", "role privilege grant login"},
	}
	for i := from; i < from+n; i++ {
		s := subjects[i%len(subjects)]
		text := fmt.Sprintf("# Page %d about %s\n\nNote %d: %s. Keywords of note %d: %s.\n", i, s[0], i, s[1], i, s[2])
		text += strings.Repeat(s[1]+". ", 15) // the local embedder takes no part among very short texts
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("page-%04d.md", i)), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The local embedder appears with the 200th chunk, every chunk gets a vector, and it is trained anew when the corpus has outgrown it.
func TestLocalEmbedderGrowsWithTheCorpus(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	docs := t.TempDir()
	corpus(t, docs, 0, 150)
	p.run(t, "index", docs)
	if r := p.run(t, "doctor"); !strings.Contains(r.stdout, "embedder: none yet") {
		t.Errorf("below 200 chunks the doctor says:\n%s", r.stdout)
	}
	corpus(t, docs, 150, 100)
	p.run(t, "index", docs)
	first := embedder(t, p)
	corpus(t, docs, 250, 20)
	p.run(t, "index", docs)
	if again := embedder(t, p); again != first {
		t.Errorf("a few more pages changed the model from %s to %s", first, again)
	}
	corpus(t, docs, 270, 300)
	p.run(t, "index", docs)
	if second := embedder(t, p); second == first {
		t.Errorf("with twice the pages the model is still %s", first)
	}
	got := jsonOf[found](t, p.run(t, "search", "how do standby servers follow?", "--json"))
	if len(got.Hits) == 0 {
		t.Fatal("nothing was found")
	}
	for i, h := range got.Hits {
		if h.Scores["cosine"] == 0 {
			t.Errorf("hit %d (%s) has no vector of the new model", i, h.Title)
		}
	}
	if r := jsonOf[traced](t, p.with("HYBRID_ALPHA=0.1").run(t, "search", "how do standby servers follow?", "--json")); r.Trace.Alpha != 0.1 {
		t.Errorf("HYBRID_ALPHA=0.1 gives alpha %v", r.Trace.Alpha)
	}
}

// embedder returns the name of the embedder in use, as the doctor says it.
func embedder(t *testing.T, p *program) string {
	t.Helper()
	r := p.run(t, "doctor")
	_, after, found := strings.Cut(r.stdout, "embedder: ")
	name, _, _ := strings.Cut(after, ",")
	if !found || !strings.HasPrefix(name, "local-lsa-") {
		t.Fatalf("the doctor says:\n%s", r.stdout)
	}
	return name
}
