package document_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/google/go-cmp/cmp"
)

func TestOutline(t *testing.T) {
	t.Parallel()
	var o document.Outline
	o.Block(document.Paragraph, "Before.\n")
	o.Heading(2, "A", "a")
	o.Block(document.Paragraph, "In A.")
	o.Heading(4, "B", "b") // a level is missing
	o.Heading(10, "term", "t")
	o.Block(document.List, "- x")
	o.Close(10)
	o.Block(document.Code, "  code\n\n")
	o.Close(10) // nothing to close
	o.Block(document.Paragraph, " \n")
	o.Heading(1, "C", "")
	want := []document.Section{
		{Blocks: []document.Block{{Kind: document.Paragraph, Text: "Before."}}},
		{Heading: []string{"A"}, Anchor: "a", Blocks: []document.Block{{Kind: document.Heading, Text: "## A"}, {Text: "In A."}}},
		{Heading: []string{"A", "B"}, Anchor: "b", Blocks: []document.Block{{Kind: document.Heading, Text: "#### B"}}},
		{Heading: []string{"A", "B", "term"}, Anchor: "t", Blocks: []document.Block{
			{Kind: document.Heading, Text: "###### term"}, {Kind: document.List, Text: "- x"},
		}},
		{Heading: []string{"A", "B"}, Anchor: "b", Blocks: []document.Block{{Kind: document.Code, Text: "  code"}}},
		{Heading: []string{"C"}, Blocks: []document.Block{{Kind: document.Heading, Text: "# C"}}},
	}
	if diff := cmp.Diff(want, o.Sections()); diff != "" {
		t.Errorf("Sections() (-want +got):\n%s", diff)
	}
	if o.Title() != "C" {
		t.Errorf("Title() = %q, want the first of the highest headings", o.Title())
	}
	d := document.Document{Sections: o.Sections()}
	if want := "Before.\n\n## A\n\nIn A.\n\n#### B\n\n###### term\n\n- x\n\n```\n  code\n```\n\n# C"; d.Text() != want {
		t.Errorf("Text() = %q, want %q", d.Text(), want)
	}
}

func TestInlineCode(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{"x": "`x`", "a`b": "``a`b``", "``": "``` `` ```", "`x": "`` `x ``"} {
		if got := document.InlineCode(code); got != want {
			t.Errorf("InlineCode(%q) = %q, want %q", code, got, want)
		}
	}
}

func TestInlineLink(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, address, want string }{
		{"of the web", "the form", "https://forms.example.org/a", "the form (https://forms.example.org/a)"},
		{"of a mailbox", "us", "mailto:ops@example.org?subject=x", "us (ops@example.org)"},
		{"named already", "forms.example.org/a", "https://forms.example.org/a/", "forms.example.org/a"},
		{"relative", "this", "../other.md", "this"},
		{"another scheme", "this", "javascript:alert(1)", "this"},
		{"without text", "", "https://example.org", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := document.InlineLink(tt.text, tt.address); got != tt.want {
				t.Errorf("InlineLink(%q, %q) = %q, want %q", tt.text, tt.address, got, tt.want)
			}
		})
	}
}

func TestLink(t *testing.T) {
	t.Parallel()
	tests := []struct{ url, anchor, want string }{
		{"https://example.org/a", "b", "https://example.org/a#b"},
		{"https://example.org/a#x", "b", "https://example.org/a#x"},
		{"https://example.org/a", "", "https://example.org/a"},
		{"", "b", ""},
	}
	for _, tt := range tests {
		if got := (document.Ref{URL: tt.url}).Link(tt.anchor); got != tt.want {
			t.Errorf("Link(%q) of %q = %q, want %q", tt.anchor, tt.url, got, tt.want)
		}
	}
}
