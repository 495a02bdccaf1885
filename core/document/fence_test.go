package document_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"pgregory.net/rapid"
)

func TestBlockStandsBetweenFences(t *testing.T) {
	t.Parallel()
	code := func(language, text string) document.Block {
		return document.Block{Kind: document.Code, Language: language, Text: text}
	}
	for name, tt := range map[string]struct {
		block document.Block
		want  string
	}{
		"code":                       {code("Go", "x := 1"), "```go\nx := 1\n```"},
		"code of no language":        {code("", "x"), "```\nx\n```"},
		"an info string":             {code("{.js title=x}", "x"), "```js\nx\n```"},
		"no name of a language":      {code("a`b", "x"), "```\nx\n```"},
		"a name that is too long":    {code(strings.Repeat("x", 33), "x"), "```\nx\n```"},
		"a fence in code":            {code("md", "```go\nx\n```"), "````md\n```go\nx\n```\n````"},
		"backticks in a line":        {code("", "a ```` b"), "`````\na ```` b\n`````"},
		"more backticks than fences": {code("go", strings.Repeat("`", 16)+" x"), strings.Repeat("`", 16) + " x\n" + strings.Repeat("`", 16)},
		"many more":                  {code("go", strings.Repeat("`", 1<<20)), strings.Repeat("`", 1<<20)},
		"nothing":                    {code("go", " \n"), " \n"},
		"a paragraph":                {document.Block{Text: "Run `x`."}, "Run `x`."},
		"a fence left open":          {document.Block{Text: "Run:\n```sh\nls"}, "Run:\n```sh\nls\n```"},
		"a fence that is closed":     {document.Block{Text: "Run:\n```\nls\n```"}, "Run:\n```\nls\n```"},
		"code in a line":             {document.Block{Text: "```ls``` lists"}, "```ls``` lists"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := document.Document{Sections: []document.Section{{Blocks: []document.Block{tt.block}}}}
			if got := d.Text(); got != tt.want {
				t.Errorf("Text() = %.80q, want %.80q", got, tt.want)
			}
		})
	}
}

func TestChunkIsShownAndSearched(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		chunk        document.Chunk
		shown, words string
	}{
		"text":                    {document.Chunk{Text: "A."}, "A.", "A."},
		"a table":                 {document.Chunk{Text: "1 | 2", Lead: "a | b"}, "a | b\n1 | 2", "1 | 2"},
		"code":                    {document.Chunk{Text: "A.\n\n```go\nx\n\n  y\n```\n\nB."}, "A.\n\n```go\nx\n\n  y\n```\n\nB.", "A.\n\nx\n\n  y\n\nB."},
		"it begins inside":        {document.Chunk{Text: "  y\n```\n\nB.", Lead: "```go"}, "```go\n  y\n```\n\nB.", "y\n\nB."},
		"it ends inside":          {document.Chunk{Text: "A.\n\n```go\nx\n"}, "A.\n\n```go\nx\n```", "A.\n\nx"},
		"it lies inside":          {document.Chunk{Text: "x", Lead: "````"}, "````\nx\n````", "x"},
		"another block's fence":   {document.Chunk{Text: "``` select 1\nfrom x\n```"}, "``` select 1\nfrom x\n```", "select 1\nfrom x"},
		"a shorter fence in code": {document.Chunk{Text: "````\n```\n````\n\nB."}, "````\n```\n````\n\nB.", "```\n\nB."},
		"lines that end with CR":  {document.Chunk{Text: "```\r\nx\r\n```\r\n\r\nB."}, "```\r\nx\r\n```\r\n\r\nB.", "x\r\n\r\nB."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.chunk.Shown(); got != tt.shown {
				t.Errorf("Shown() = %q, want %q", got, tt.shown)
			}
			if got := tt.chunk.Words(); got != tt.words {
				t.Errorf("Words() = %q, want %q", got, tt.words)
			}
		})
	}
}

func TestJoinerClosesCodeBeforeDistantChunk(t *testing.T) {
	t.Parallel()
	var j document.Joiner
	for _, c := range []document.Chunk{
		{Ordinal: 3, Text: "```go\na\n", Start: 10, End: 18},
		{Ordinal: 4, Text: "b\n", Lead: "```go", Start: 18, End: 20},
		{Ordinal: 9, Text: "z\n```\n\nEnd.", Lead: "```sh", Start: 90, End: 101},
		{Ordinal: 10, Text: "End.\n\n```\nx", Start: 97, End: 107},
	} {
		j.Add(c)
	}
	if got, want := j.String(), "```go\na\nb\n```\n\n```sh\nz\n```\n\nEnd.\n\n```\nx\n```"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}

// What is shown of any chunk leaves no fence open, so that nothing after it becomes code.
func TestShownTextLeavesNoFenceOpen(t *testing.T) {
	t.Parallel()
	pieces := rapid.SliceOf(rapid.SampledFrom([]string{"```", "````", "```go", "``` x y", "`", "\n", "\n\n", "  ", "word", "- ", strings.Repeat("`", 17)}))
	rapid.Check(t, func(t *rapid.T) {
		c := document.Chunk{Text: strings.Join(pieces.Draw(t, "text"), ""), Lead: rapid.SampledFrom([]string{"", "```", "````go", "a | b"}).Draw(t, "lead")}
		if again := (document.Chunk{Text: c.Shown()}).After(); again != "" {
			t.Fatalf("%q leaves %q open", c.Shown(), again)
		}
	})
}
