package body_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/gdrive/body"
	"github.com/footnotehq/footnote/adapters/internal/goldentest"
	"github.com/footnotehq/footnote/core/document"
)

// A Doc as the API of Docs tells it: each tab leads to its own headings, and suggestions and the
// table of contents are not there.
func TestDoc(t *testing.T) {
	t.Parallel()
	goldentest.Sections(t, ".json", func(source string) (string, []document.Section) {
		sections, err := body.Doc(t.Context(), []byte(source), "https://docs.google.com/document/d/D1/edit")
		if err != nil {
			t.Fatal(err)
		}
		return "", sections
	})
}

// A Doc as Drive exports it to HTML. Comments, which not everybody sees who may read the document,
// are not there.
func TestHTML(t *testing.T) {
	t.Parallel()
	goldentest.Sections(t, ".html", func(source string) (string, []document.Section) {
		sections, err := body.HTML(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range sections {
			for _, b := range s.Blocks {
				if strings.Contains(b.Text, "secret") || strings.Contains(b.Text, "Between us") || strings.Contains(b.Text, "google.com/url") {
					t.Errorf("it holds %q", b.Text)
				}
			}
		}
		return "", sections
	})
}

func TestWhatIsNoDocument(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "<html>", "{}", `{"tabs":[]}`, `{"tabs":{}}`} {
		if _, err := body.Doc(t.Context(), []byte(text), "https://x.example"); !errors.Is(err, body.ErrForm) {
			t.Errorf("%q: %v", text, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := body.Doc(ctx, []byte(`{"tabs":[{}]}`), "https://x.example"); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	if got := body.Plain("\uFEFFone\r\n\r\ntwo\nlines\n\n\n"); len(got) != 1 || len(got[0].Blocks) != 2 || got[0].Blocks[1].Text != "two\nlines" {
		t.Errorf("plain text is %+v", got)
	}
	if got := body.Plain(""); len(got) != 0 {
		t.Errorf("nothing is %+v", got)
	}
}

// Tabs within tabs, and tables within tables, end.
func TestDepth(t *testing.T) {
	t.Parallel()
	const deep = 1_200
	cell := strings.Repeat(`{"table":{"tableRows":[{"tableCells":[{"content":[`, deep) + strings.Repeat(`]}]}]}}`, deep)
	tabs := strings.Repeat(`{"tabProperties":{"tabId":"t","title":"x"},"childTabs":[`, deep) + "{}" + strings.Repeat(`]}`, deep)
	for _, text := range []string{`{"tabs":[{"documentTab":{"body":{"content":[` + cell + `]}}}]}`, `{"tabs":[` + tabs + `]}`} {
		if _, err := body.Doc(t.Context(), []byte(text), "https://x.example"); err != nil {
			t.Error(err)
		}
	}
	if _, err := body.HTML(t.Context(), strings.Repeat("<div><p>", 100_000)); err != nil {
		t.Error(err)
	}
}

func FuzzDoc(f *testing.F) {
	f.Add(`{"tabs":[{"documentTab":{"body":{"content":[{"paragraph":{"elements":[{"textRun":{"content":"x"}}],"bullet":{"listId":"l","nestingLevel":3}}}]}}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = body.Doc(t.Context(), []byte(text), "https://docs.google.com/document/d/D/edit")
	})
}

func FuzzHTML(f *testing.F) {
	f.Add(`<div><p><a href="#cmnt_ref1" id="cmnt1">[a]</a>x</p></div><sup><a id="cmnt_ref1" href="#cmnt1">[a]</a></sup><p>y`)
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := body.HTML(t.Context(), text); err != nil {
			t.Error(err)
		}
	})
}
