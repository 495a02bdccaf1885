package document_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/document"
)

func TestAPieceOfATableIsShownUnderItsHeader(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]document.Chunk{
		"a | b":               {Text: "a | b"},
		"name | value\na | b": {Text: "a | b", Lead: "name | value"},
	} {
		if got := c.Shown(); got != want {
			t.Errorf("Shown() = %q, want %q", got, want)
		}
	}
}

func TestLinkLeadsToTheSection(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ url, anchor, want string }{
		{"https://d.example/a", "s", "https://d.example/a#s"},
		{"https://d.example/a", "", "https://d.example/a"},
		{"https://d.example/a#x", "s", "https://d.example/a#x"},
		{"", "s", ""},
		{"", "https://d.example/b", ""},
		{"https://d.example/a#x", "https://d.example/b?c=d", "https://d.example/b?c=d"},
		{"https://d.example", "https://d.example/b", "https://d.example/b"},
		{"https://d.example/a", "https://d.example.evil.example/b", "https://d.example/a#https://d.example.evil.example/b"},
		{"https://d.example/a", "http://d.example/b", "https://d.example/a#http://d.example/b"},
		{"a/b", "://x", "a/b#://x"},
	} {
		if got := (document.Ref{URL: tt.url}).Link(tt.anchor); got != tt.want {
			t.Errorf("Link of %q to %q = %q, want %q", tt.url, tt.anchor, got, tt.want)
		}
	}
}
