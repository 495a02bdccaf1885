package assistant_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/assistant"
	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
)

var cited = []message.Citation{
	{Number: 1, Document: document.Ref{ID: "d"}, Link: "https://docs.example/r#wal"}, {Number: 2, Document: document.Ref{ID: "f"}, Link: "file:///srv/f.md"}, {Number: 3, Document: document.Ref{ID: "n"}},
}

func show(text string) string { return assistant.Markdown(text, cited) }

func TestMarkdownLinksOnlyCitedDocuments(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":  "",
		"x": "x",
		"Set it [[1]](https://docs.example/r#wal), [[2]](file:///srv/f.md) and [3].":       "Set it [[1]](https://docs.example/r#wal), [2] and [3].",
		"[[1]](https://evil.example/?q=1)":                                                 `\[1] (` + "`https://evil.example/?q=1`)",
		"![p](https://evil.example/?q=1) [y](https://evil.example/z)":                      "p (`https://evil.example/?q=1`) y (`https://evil.example/z`)",
		"![p](https://docs.example/r#wal)":                                                 "[p](https://docs.example/r#wal)",
		"a\u202eb\x00c":                                                                    "abc",
		"# H\n\n- a\n- **b**\n\n```go\nx := 1\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |": "# H\n\n- a\n- **b**\n\n```go\nx := 1\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
	} {
		if got := show(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	if long := strings.Repeat("word ", 50_000); len(show(long)) < len(long)-1 {
		t.Error("a long answer is cut")
	}
}

func TestStrangersAreCode(t *testing.T) {
	t.Parallel()
	rendertest.CheckStrangers(t, show)
}

func TestInvisibleCharactersAreTakenOut(t *testing.T) {
	t.Parallel()
	rendertest.CheckInvisible(t, show)
}
