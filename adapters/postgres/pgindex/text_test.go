package pgindex_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// The text of a document is put together from its chunks as it was, however they overlap.
func TestTexts(t *testing.T) {
	t.Parallel()
	x, _ := openIndex(t, pgindex.Config{})
	d := document.Document{Ref: document.Ref{ID: "thread", Source: "chat", Kind: "slack", Title: "#general"}, ACL: access.ACL{access.Members}}
	for range 30 {
		d.Sections = append(d.Sections, document.Section{Blocks: []document.Block{{Kind: document.Paragraph, Text: "ann: " + strings.Repeat("wörter und ", 9) + "ende"}}})
	}
	for name, overlap := range map[string]int{"none": -1, "some": 5} {
		chunker, err := index.NewChunker(spaces{}, index.ChunkSize{Max: 25, Min: 1, Overlap: overlap})
		if err != nil {
			t.Fatal(err)
		}
		chunks, err := chunker.Chunks(t.Context(), &d)
		if err != nil {
			t.Fatal(err)
		}
		e := index.Entry{Document: d, Chunks: chunks}
		for _, c := range chunks {
			e.SearchText = append(e.SearchText, c.Text)
		}
		if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{e}); err != nil {
			t.Fatal(err)
		}
		got, err := x.Texts(t.Context(), access.DefaultTenant, []document.ID{"thread", "none"})
		plain := func(s string) string { return strings.Join(strings.Fields(s), " ") }
		if err != nil || len(got) != 1 || plain(got["thread"]) != plain(d.Text()) {
			t.Errorf("overlap %s: %d documents, %v\n%s\nwant\n%s", name, len(got), err, got["thread"], d.Text())
		}
	}
}

// Pages that only say where a page has moved have one passage, and their titles come last.
func TestTitlesOfLongDocumentsComeFirst(t *testing.T) {
	t.Parallel()
	x, _ := openIndex(t, pgindex.Config{})
	chunker, err := index.NewChunker(spaces{}, index.ChunkSize{Max: 25, Min: 1, Overlap: -1})
	if err != nil {
		t.Fatal(err)
	}
	for title, paragraphs := range map[string]int{"A moved page": 1, "The handbook": 9, "Zebras": 8} {
		d := document.Document{Ref: document.Ref{ID: document.ID(title), Source: "docs", Kind: "file", Title: title}, ACL: access.ACL{access.Members}}
		for range paragraphs {
			d.Sections = append(d.Sections, document.Section{Blocks: []document.Block{{Kind: document.Paragraph, Text: strings.Repeat("so it is ", 6)}}})
		}
		e := index.Entry{Document: d}
		if e.Chunks, err = chunker.Chunks(t.Context(), &d); err != nil {
			t.Fatal(err)
		}
		for _, c := range e.Chunks {
			e.SearchText = append(e.SearchText, c.Text)
		}
		if err := x.Put(t.Context(), access.DefaultTenant, []index.Entry{e}); err != nil {
			t.Fatal(err)
		}
	}
	got, err := x.Titles(t.Context(), access.NewAudience(access.DefaultTenant, access.Members), 10)
	if want := []string{"The handbook", "Zebras", "A moved page"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("titles %q, %v; want %q", got, err, want)
	}
}

type spaces struct{}

func (spaces) Count(text string) int { return len(strings.Fields(text)) }
