package markdown_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/internal/markdown"
	"github.com/footnotehq/footnote/core/document"
)

func TestHostileDocumentsAreReadInLinearTime(t *testing.T) {
	hostiletest.Linear(t, func(text string) { markdown.Parse(text) })
}

// One table must not end a process: a parser that fills in every missing cell takes 14 GB for 50
// kB, wherever the table stands.
func TestTableOfMissingCellsTakesLittleMemory(t *testing.T) {
	hostiletest.Peak(t, 400<<20, func() {
		table := hostiletest.EmptyRows(50_000)
		quoted := "> " + strings.ReplaceAll(table, "\n", "\n> ")
		item := "- " + strings.ReplaceAll(table, "\n", "\n  ")
		fenced := "    ```\n\n" + table // which opens no code block
		for _, source := range []string{table, quoted, item, fenced, strings.Repeat(hostiletest.EmptyRows(2000)+"\n", 25)} {
			d := document.Document{Sections: markdown.Parse(source).Sections}
			if text := d.Text(); strings.Count(text, "a") < strings.Count(source, "a") {
				t.Errorf("%.20q: the text was lost", source)
			}
		}
	})
}

// A definition's address is written with each use, which must not come to the square of the text.
func TestLongDefinitionWithManyUsesTakesLittleMemory(t *testing.T) {
	hostiletest.Peak(t, 400<<20, func() {
		source := "[a]: https://docs.example/" + strings.Repeat("x", 100_000) + "\n\n" + strings.Repeat("[a] ", 25_000)
		d := document.Document{Sections: markdown.Parse(source).Sections}
		if n := len(d.Text()); n > 8*len(source) {
			t.Errorf("%d bytes come to %d", len(source), n)
		}
	})
}

func TestNestingTakesLittleMemory(t *testing.T) {
	hostiletest.Peak(t, 400<<20, func() {
		for _, mark := range []string{"> ", "- ", "1. ", "> - ", "- > 1. "} {
			source := strings.Repeat(mark, 50_000/len(mark)) + "needle" + strings.Repeat("\n", 50_000)
			d := document.Document{Sections: markdown.Parse(source).Sections}
			if !strings.Contains(d.Text(), "needle") {
				t.Errorf("%q: the text was lost", mark)
			}
		}
	})
}

// A mark may look like one that opens a code block, in which paragraphs are not parted, and open
// none: megabytes are one paragraph then.
func TestOneParagraphOfMegabytesIsReadInLinearTime(t *testing.T) {
	for _, token := range []string{"[", "![", "[a](", "[[1]](", "[a]: b\n", "*a ", "`a``", "<a href='", "a<!--", "&#x", "] ", "http://a.b/("} {
		t.Run(token, func(t *testing.T) {
			source := "    ```\n\n" + strings.Repeat(token, 1<<20/len(token))
			hostiletest.Bounded(t, source[:len(source)/16], func() { markdown.Parse(source) }) // within seconds
			d := document.Document{Sections: markdown.Parse("    ```\n\n" + strings.Repeat(token, 50_000) + "needle").Sections}
			if !strings.Contains(d.Text(), "needle") {
				t.Error("the text was lost")
			}
		})
	}
}

func FuzzHostile(f *testing.F) {
	for text := range hostiletest.One(2000) {
		f.Add(text.Text)
	}
	f.Fuzz(func(t *testing.T, source string) {
		hostiletest.Bounded(t, source, func() { markdown.Parse(source) })
	})
}
