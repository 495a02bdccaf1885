package markdown_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/markdown"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/footprint/footprinttest"
	"golang.org/x/sync/errgroup"
)

// Every mark, or line, may take a node of the syntax tree: eight texts at a time, more than
// the pool has room for without limits.
func TestMarksWithoutEndInLittleMemory(t *testing.T) {
	footprinttest.Limited(t, 512<<20, func(t *testing.T) {
		for _, mark := range []string{"[", "*a_ ", "a\n\n", "- a\n", "# a\n", "`a` ", "[a](b) ", "> a\n\n", "[a]: b\n", "```\n\n", "|a|b|\n|-|-|\n", "<b>", "\\[", "![a][b]"} {
			source := strings.Repeat(mark, 384<<10/len(mark))
			var group errgroup.Group
			for range 8 {
				group.Go(func() error {
					_, err := markdown.Read(t.Context(), source)
					return err
				})
			}
			if err := group.Wait(); err != nil {
				t.Errorf("%q: %v", mark, err)
			}
		}
	})
}

// A long text reads as a short one does: headings, links by definitions of another piece, and code.
func TestLongTextsKeepTheirStructure(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	sections := 3000
	for range sections {
		b.WriteString("# Section\n\nThe [manual][m] says `so`.\n\n```\n# no heading\n\ncode\n```\n\n- one\n- two\n\n")
	}
	b.WriteString("[m]: https://docs.example/manual\n")
	page := markdown.Parse(b.String())
	if len(page.Sections) != sections {
		t.Fatalf("%d sections, want %d", len(page.Sections), sections)
	}
	for i, s := range page.Sections {
		d := document.Document{Sections: []document.Section{s}}
		if text := d.Text(); len(s.Blocks) != 4 || !strings.Contains(text, "manual (https://docs.example/manual) says `so`") || !strings.Contains(text, "# no heading\n\ncode") {
			t.Fatalf("section %d: %d blocks: %q", i, len(s.Blocks), text)
		}
	}
	code := markdown.Parse("# A\n\n```go\n" + strings.Repeat("x := 1\n", 100_000) + "```\n\nEnd.")
	d := document.Document{Sections: code.Sections}
	if text := d.Text(); strings.Count(text, "x := 1") != 100_000 || strings.Count(text, "```go\n") != strings.Count(text, "\n```\n") || !strings.HasSuffix(strings.TrimSpace(text), "End.") {
		t.Errorf("long code: %d lines, ends with %q", strings.Count(text, "x := 1"), text[len(text)-20:])
	}
}
