package files_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/internal/goldentest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// golden is what becomes of a document: each chunk with what it is found and cited by.
func golden(d *document.Document, chunks []document.Chunk) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title: %s\n", d.Title)
	for _, c := range chunks {
		fmt.Fprintf(&b, "\n=== %d: %s, characters %d to %d, %d tokens\n=== link: %s\n", c.Ordinal, strings.Join(c.Heading, " > "), c.Start, c.End, c.Tokens, d.Link(c.Anchor))
		if c.Lead != "" {
			fmt.Fprintf(&b, "=== repeated: %s\n", c.Lead)
		}
		b.WriteString(c.Text + "\n")
	}
	return b.String()
}

// Pages of the PostgreSQL manual and of the Go documentation, read and cut: headings, anchors,
// tables and code survive. The pages, and where they are from, are beside the parsers.
func TestChunksOfRealPages(t *testing.T) {
	t.Parallel()
	for _, page := range []string{
		"htmltext/testdata/postgres-section.html", "htmltext/testdata/postgres-settings.html", "htmltext/testdata/postgres-reference.html",
		"htmltext/testdata/go-spec.html", "markdown/testdata/go-notes.md",
	} {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			name := filepath.Base(page)
			source := filepath.Join("..", "internal", filepath.FromSlash(page))
			chunker, err := index.NewChunker(bytesPerToken{}, index.ChunkSize{Max: 128})
			if err != nil {
				t.Fatal(err)
			}
			d, ok := read(t, files.Options{Path: source, BaseURL: "https://docs.example.org/"}).docs[name]
			if !ok {
				t.Fatal("it was not read")
			}
			chunks, err := chunker.Chunks(t.Context(), &d)
			if err != nil {
				t.Fatal(err)
			}
			text := []rune(d.Text())
			for _, c := range chunks {
				if string(text[c.Start:c.End]) != c.Text {
					t.Errorf("chunk %d is not what stands at %d to %d", c.Ordinal, c.Start, c.End)
				}
			}
			goldentest.Check(t, filepath.Join("testdata", strings.TrimSuffix(name, filepath.Ext(name))+".chunks"), golden(&d, chunks))
		})
	}
}

// A table that is longer than a chunk is cut between its rows, and every piece is shown below the
// header.
func TestLongTablesRepeatTheirHeader(t *testing.T) {
	t.Parallel()
	rows, cells := "Name,Default,Meaning\n", "<table><tr><th>Name<th>Default<th>Meaning"
	for i := range 200 {
		rows += fmt.Sprintf("setting_%d,%d,what it does\n", i, i)
		cells += fmt.Sprintf("<tr><td>setting_%d<td>%d<td>what it does", i, i)
	}
	chunker, err := index.NewChunker(bytesPerToken{}, index.ChunkSize{Max: 128})
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range read(t, files.Options{Path: folder(t, map[string]string{"settings.csv": rows, "settings.html": cells + "</table>"})}).docs {
		chunks, err := chunker.Chunks(t.Context(), &d)
		if err != nil {
			t.Fatal(err)
		}
		if len(chunks) < 5 {
			t.Errorf("%s: %d chunks", name, len(chunks))
		}
		for _, c := range chunks {
			shown := strings.Split(c.Shown(), "\n")
			if shown[0] != "Name | Default | Meaning" {
				t.Errorf("%s: a piece is shown below %q", name, shown[0])
			}
			for _, row := range shown {
				if strings.Count(row, " | ") != 2 {
					t.Errorf("%s: a row is cut: %q", name, row)
				}
			}
		}
	}
}
