package markdown_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/goldentest"
	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/internal/markdown"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/knowledge"
	"github.com/google/go-cmp/cmp"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	goldentest.Sections(t, ".md", func(source string) (string, []document.Section) {
		p := markdown.Parse(source)
		return fmt.Sprintf("title: %s\n", p.Title), p.Sections
	})
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Install":              "install",
		"Step 1: Get it!":      "step-1-get-it",
		"`foo_bar()` — a test": "foo_bar--a-test",
		"Über uns":             "über-uns",
		"日本語 テスト":              "日本語-テスト",
		"C++ & C#":             "c--c",
	} {
		if got := markdown.Slug(title); got != want {
			t.Errorf("Slug(%q) = %q, want %q", title, got, want)
		}
	}
}

func TestNameAndAddressOfAnOwnerAreTwoThings(t *testing.T) {
	t.Parallel()
	d := document.Document{Ref: document.Ref{ID: "docs:a.md"}, Sections: markdown.Parse("Owner: First Last <first@example.test>\n").Sections}
	got := knowledge.Read(&d, []document.Chunk{{Text: d.Text()}})
	if len(got.Facts) != 1 || got.Facts[0].Subject == nil {
		t.Fatalf("facts: %+v", got.Facts)
	}
	if owner := got.Facts[0].Subject; owner.Name != "First Last" || owner.Key != "first@example.test" {
		t.Errorf("the owner is %q with the key %q", owner.Name, owner.Key)
	}
}

func TestHostileTexts(t *testing.T) {
	t.Parallel()
	const n = 4_000
	for name, source := range map[string]string{
		"brackets":        strings.Repeat("[", n),
		"images":          strings.Repeat("![", n),
		"links":           strings.Repeat("[a](", n),
		"links in cells":  strings.Repeat("[a](|", n),
		"emphasis":        strings.Repeat("*a _b ", n),
		"stars":           strings.Repeat("*", n),
		"backticks":       strings.Repeat("`a``b```c", n),
		"quotes":          strings.Repeat(">", n) + "a\n" + strings.Repeat(strings.Repeat("> ", 100)+"b\n", 100),
		"lists":           strings.Repeat("- ", n) + "\n",
		"nested lists":    nested(200),
		"tables":          strings.Repeat("|a", n) + "\n" + strings.Repeat("|-", n) + "\n" + strings.Repeat("|b", n),
		"rows":            "a|b\n-|-\n" + strings.Repeat("c|d\n", n),
		"tags":            strings.Repeat("<a href='", n),
		"comments":        strings.Repeat("<!-- ", n),
		"fences":          strings.Repeat("```\n", n),
		"headings":        strings.Repeat("# a\n", n),
		"definitions":     strings.Repeat("[a]: b\n", n),
		"entities":        strings.Repeat("&#x", n),
		"attributes":      strings.Repeat("# a {#", n),
		"a long line":     strings.Repeat("word ", 10*n),
		"NUL and invalid": strings.Repeat("\x00\xff", n),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := document.Document{Sections: markdown.Parse(source + "\n\nneedle\n").Sections}
			if !strings.Contains(d.Text(), "needle") && name != "comments" && name != "fences" {
				t.Error("the text was lost")
			}
		})
	}
}

func nested(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat("  ", i) + "- item\n")
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	texts, err := filepath.Glob("testdata/*.md")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range texts {
		source, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(source))
	}
	f.Fuzz(func(t *testing.T, source string) {
		defer hostiletest.Bound(t, len(source), 0)()
		if !utf8.ValidString(source) {
			return
		}
		for _, s := range markdown.Parse(source).Sections {
			for _, b := range s.Blocks {
				if strings.TrimSpace(b.Text) == "" || !utf8.ValidString(b.Text) {
					t.Errorf("the block %q is empty or not UTF-8", b.Text)
				}
			}
		}
	})
}

// The table of contents of a page is left out; other lists of links stay.
func TestTablesOfContents(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ source, want string }{
		"a list":            {"- [Install](#install)\n  - [From *source*](#source)\n- [`run`](#run)\n", ""},
		"of two entries":    {"- [Install](#install)\n- [Run](#run)\n", "- Install\n- Run\n\n"},
		"with explanations": {"- [Install](#install) from an archive\n- [Run](#run) as a service\n- [Stop](#stop) it\n", "- Install from an archive\n- Run as a service\n- Stop it\n\n"},
		"of other pages":    {"- [Install](install.md)\n- [Run](run.md)\n- [Stop](stop.md)\n", "- Install\n- Run\n- Stop\n\n"},
	} {
		d := document.Document{Sections: markdown.Parse(c.source + "\n## Install\n\nUnpack it.\n").Sections}
		if diff := cmp.Diff(c.want+"## Install\n\nUnpack it.", d.Text()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
