package htmltext_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/goldentest"
	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/internal/htmltext"
	"github.com/footnotehq/footnote/core/document"
)

func TestPages(t *testing.T) {
	t.Parallel()
	goldentest.Sections(t, ".html", func(source string) (string, []document.Section) {
		p := htmltext.Parse(source)
		head := fmt.Sprintf("title: %s\ncanonical: %s\nlanguage: %s\n", p.Title, p.Canonical, p.Language)
		if !p.UpdatedAt.IsZero() {
			head += fmt.Sprintf("updated: %s\n", p.UpdatedAt.Format(time.RFC3339))
		}
		return head, p.Sections
	})
}

// Pages that would stop a parser which builds a tree, or make it take the square of their length,
// are read like others.
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
	for _, seed := range []string{
		strings.Repeat("<code>", 300) + "x" + strings.Repeat("</code>", 300), strings.Repeat("<sup>", 300) + strings.Repeat("word ", 300), "<td colspan=1000000 rowspan=65534>a",
		strings.Repeat("<dl><dt id=a>a<dd>", 300) + strings.Repeat("<dt id=b>b", 300), "<h1>" + strings.Repeat("title ", 300) + "</h1><h2>a</h2>", strings.Repeat("<ul><li>a", 300),
		strings.Repeat("<span>", 1100) + strings.Repeat("<p>", 300), strings.Repeat("<x ", 300), "<a>" + strings.Repeat("<table><tr><td><a>", 300),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		defer hostiletest.Bound(t, len(source), 0)()
		p := htmltext.Parse(source)
		size := 0
		for _, s := range p.Sections {
			size += len(s.Anchor)
			for _, h := range s.Heading {
				size += len(h)
			}
			for _, b := range s.Blocks {
				size += len(b.Text)
			}
		}
		if size > 1000*len(source)+1000 { // every section may name all headings above it, each cut to document.MaxHeading
			t.Errorf("%d bytes become %d", len(source), size)
		}
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
