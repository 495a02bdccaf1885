package files_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/index/indextest"
	"github.com/google/go-cmp/cmp"
)

var benchDocs = flag.String("docs", "", "the folder that BenchmarkIndex reads; without it, pages that it makes up")

// bytesPerToken stands for a vocabulary: four bytes a token.
type bytesPerToken struct{}

func (bytesPerToken) Count(text string) int { return (len(text) + 3) / 4 }

func newPipeline(t testing.TB, store index.Store) *index.Pipeline {
	t.Helper()
	chunker, err := index.NewChunker(bytesPerToken{}, index.ChunkSize{})
	if err != nil {
		t.Fatal(err)
	}
	return index.New(store, chunker, nil, index.Config{})
}

// A folder is indexed, changed in every way, and indexed again.
func TestIndexTwice(t *testing.T) {
	t.Parallel()
	root := folder(t, map[string]string{
		"same.md": "# Same\n\nText.", "edited.md": "before", "touched.md": "touched", "removed.md": "removed", "restricted.md": "once public",
		"becomes-binary.txt": "text", "sub/page.html": "<title>Page</title><h2 id=a>A</h2><p>Text.", "photo.png": "x",
	})
	store := new(indextest.Store)
	p := newPipeline(t, store)
	run := func(options files.Options) index.Counts {
		t.Helper()
		options.Path = root
		c, err := files.New(options)
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Run(t.Context(), access.DefaultTenant, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r.Counts
	}
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		later := time.Now().Add(time.Minute) // clocks of file systems are coarse
		if err := os.Chtimes(filepath.Join(root, name), later, later); err != nil {
			t.Fatal(err)
		}
	}
	check := func(step string, got, want index.Counts) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step, diff)
		}
	}
	check("first", run(files.Options{}), index.Counts{Total: 7, Indexed: 7, Chunks: 7, Skipped: 1})
	check("again", run(files.Options{}), index.Counts{Total: 7, Unchanged: 7, Skipped: 1})
	write("edited.md", "after")
	write("touched.md", "touched")
	write("restricted.md", "---\nacl: nobody\n---\nnow secret")
	write("becomes-binary.txt", "\x00\x01\x02\x03\x04\x05")
	write("new.md", "new")
	if err := os.Remove(filepath.Join(root, "removed.md")); err != nil {
		t.Fatal(err)
	}
	check("changed", run(files.Options{}), index.Counts{Total: 7, Indexed: 2, Chunks: 2, Unchanged: 3, Failed: 1, Skipped: 2, Removed: 3})
	var names []string
	for _, e := range store.Entries(access.DefaultTenant) {
		_, name, _ := strings.Cut(string(e.Document.ID), ":")
		names = append(names, name)
	}
	if diff := cmp.Diff([]string{"edited.md", "new.md", "same.md", "sub/page.html", "touched.md"}, names); diff != "" {
		t.Errorf("left in the index (-want +got):\n%s", diff)
	}
	check("for fewer readers", run(files.Options{ACL: access.ACL{"group:eng"}}), index.Counts{Total: 7, Unchanged: 5, Shared: 5, Failed: 1, Skipped: 2})
	for _, e := range store.Entries(access.DefaultTenant) {
		if diff := cmp.Diff(access.ACL{"group:eng"}, e.Document.ACL); diff != "" {
			t.Errorf("%s (-want +got):\n%s", e.Document.ID, diff)
		}
	}
}

// BenchmarkIndex reads, parses and cuts a folder. With the PostgreSQL manual: go test -bench Index
// -args -docs DIR
func BenchmarkIndex(b *testing.B) {
	root := *benchDocs
	if root == "" {
		page, err := os.ReadFile("../internal/htmltext/testdata/postgres-section.html")
		if err != nil {
			b.Fatal(err)
		}
		pages := make(map[string]string)
		for i := range 200 {
			pages[fmt.Sprintf("page%d.html", i)] = string(page)
		}
		root = folder(b, pages)
	}
	documents, chunks := 0, 0
	for b.Loop() {
		c, err := files.New(files.Options{Path: root})
		if err != nil {
			b.Fatal(err)
		}
		run, err := newPipeline(b, new(indextest.Store)).Run(b.Context(), access.DefaultTenant, c, nil)
		if err != nil {
			b.Fatal(err)
		}
		documents += run.Counts.Indexed
		chunks += run.Counts.Chunks
	}
	b.ReportMetric(float64(documents)/b.Elapsed().Seconds(), "documents/s")
	b.ReportMetric(float64(chunks)/b.Elapsed().Seconds(), "chunks/s")
}
