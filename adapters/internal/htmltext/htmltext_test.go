package htmltext_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/htmltext"
	"github.com/footnotehq/footnote/core/document"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestPages(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("testdata/*.html")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			source, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			got := show(htmltext.Parse(string(source)))
			golden := strings.TrimSuffix(page, ".html") + ".golden"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("Parse() (-want +got):\n%s", diff)
			}
		})
	}
}

// show writes a page so that people can review it.
func show(p htmltext.Page) string {
	var b strings.Builder
	fmt.Fprintf(&b, "title: %s\ncanonical: %s\nlanguage: %s\n", p.Title, p.Canonical, p.Language)
	if !p.UpdatedAt.IsZero() {
		fmt.Fprintf(&b, "updated: %s\n", p.UpdatedAt.Format(time.RFC3339))
	}
	kinds := map[document.BlockKind]string{
		document.Paragraph: "paragraph", document.List: "list", document.Table: "table", document.Code: "code", document.Heading: "heading",
	}
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "\n==== %s #%s\n", strings.Join(s.Heading, " › "), s.Anchor)
		for _, block := range s.Blocks {
			fmt.Fprintf(&b, "[%s]\n%s\n", kinds[block.Kind], block.Text)
		}
	}
	return b.String()
}

// Pages that would stop a parser which builds a tree, or make it take the square of their length, are read like others.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	const n = 100_000
	tests := map[string]string{
		"deep divs":        strings.Repeat("<div>", n) + "needle" + strings.Repeat("</div>", n),
		"deep lists":       strings.Repeat("<ul><li>", n) + "needle",
		"deep tables":      strings.Repeat("<table><tr><td>", n) + "needle",
		"deep spans":       strings.Repeat("<span id=x>", n) + "needle" + strings.Repeat("</span>", n),
		"unclosed links":   strings.Repeat("<a name=x>", n) + "needle",
		"unclosed bold":    strings.Repeat("<b><i>", n) + "<h2>needle</h2>",
		"stray ends":       strings.Repeat("</p></td></div>", n) + "needle",
		"many rows":        "<table>" + strings.Repeat("<tr><td>a<td>b", n) + "<tr><td>needle<td>c</table>",
		"many definitions": "<dl>" + strings.Repeat("<dt id=x>term<dd>text", n) + "<dt id=y>needle</dl>",
		"one long line":    strings.Repeat("word ", n) + "needle",
		"one long word":    strings.Repeat("x", 10*n) + " needle",
		"NUL bytes":        strings.Repeat("\x00", n) + "needle",
		"many attributes":  "<p " + strings.Repeat("a=b ", n) + ">needle",
		"headings":         strings.Repeat("<h1>h", n) + "<p>needle",
		"code in code":     strings.Repeat("<code>", n) + "needle",
		"entities":         strings.Repeat("&amp;&#0;&notanentity;", n) + "needle",
		"preformatted":     strings.Repeat("<pre>", n) + "needle",
	}
	for name, source := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := document.Document{Sections: htmltext.Parse(source).Sections}
			if !strings.Contains(d.Text(), "needle") {
				t.Error("the text was lost")
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	pages, err := filepath.Glob("testdata/*.html")
	if err != nil {
		f.Fatal(err)
	}
	for _, page := range pages {
		source, err := os.ReadFile(page)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(source))
	}
	f.Fuzz(func(t *testing.T, source string) {
		p := htmltext.Parse(source)
		for _, s := range p.Sections {
			if len(s.Blocks) == 0 {
				t.Error("a section without blocks")
			}
			for _, b := range s.Blocks {
				if strings.TrimSpace(b.Text) == "" {
					t.Error("a block without text")
				}
				if utf8.ValidString(source) && !utf8.ValidString(b.Text) {
					t.Errorf("%q is not UTF-8", b.Text)
				}
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	source, err := os.ReadFile("testdata/postgres-section.html")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		htmltext.Parse(string(source))
	}
}
