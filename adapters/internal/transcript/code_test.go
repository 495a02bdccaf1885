package transcript_test

import (
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/transcript"
	"github.com/footnotehq/footnote/core/document"
	"github.com/google/go-cmp/cmp"
)

func TestSaidPartsCodeFromText(t *testing.T) {
	t.Parallel()
	const who = "Ann (2025-01-02 03:04 UTC): "
	code := func(language, text string) document.Block {
		return document.Block{Kind: document.Code, Language: language, Text: text}
	}
	for name, tt := range map[string]struct {
		text string
		want []document.Block
	}{
		"no code":               {"Hi.", []document.Block{{Text: who + "Hi."}}},
		"code within a line":    {"Run ```ls -l``` now.", []document.Block{{Text: who + "Run ```ls -l``` now."}}},
		"a block":               {"Run:\n```\nls\n  -l\n```\nNow.", []document.Block{{Text: who + "Run:"}, code("", "ls\n  -l"), {Text: "Now."}}},
		"in Slack":              {"Run ```ls\n-l``` now.", []document.Block{{Text: who + "Run"}, code("", "ls\n-l"), {Text: "now."}}},
		"with its language":     {"```go\nx := 1\n```", []document.Block{{Text: who[:len(who)-1]}, code("go", "x := 1")}},
		"a first line of words": {"```select\nfrom t\n```", []document.Block{{Text: who[:len(who)-1]}, code("", "select\nfrom t")}},
		"alone in its line":     {"Run\n```make```\nnow. ```", []document.Block{{Text: who + "Run"}, code("", "make"), {Text: "now. ```"}}},
		"two blocks":            {"```\na\n```\n```\nb\n```", []document.Block{{Text: who[:len(who)-1]}, code("", "a"), code("", "b")}},
		"nothing between":       {"a ``` ``` b\n```\n\n```", []document.Block{{Text: who + "a ``` ``` b\n```\n\n```"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := transcript.Said("", "Ann", time.Date(2025, 1, 2, 3, 4, 0, 0, time.UTC), tt.text).Blocks
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}
