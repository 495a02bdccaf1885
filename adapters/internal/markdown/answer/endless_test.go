package answer_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
)

// An opener within an address, or right behind one, is made a plain character like any other when
// it leaves too much open: the reader sees the paragraph go on, whatever the mark, the address, and
// wherever the text is cut.
func TestMarkInAnAddressHoldsNothingUpForEver(t *testing.T) {
	t.Parallel()
	prose := " " + strings.Repeat("in the proxy and then some more words ", 30)
	marks := []string{"*", "**", "***", "_", "__", "~", "~~", "`", "``", "[", "![", "<", "<a", "<!--", "&", "\\", "(", "![a](", "[a](", "*_", "**`", "_[", "<a href=\""}
	addresses := []string{
		"https://docs.example/v1", "https://docs.example/api/", "https://docs.example/v1?q=", "http://x.example/a_b(c", "www.x.example/", "me@x.example",
		"first.last+tag@docs.x.example", "https://docs.example/" + strings.Repeat("long/", 150), "https://日本.example/本", strings.Repeat("a.", 300) + "b@x.example", "x:https://a.example/b",
	}
	for _, mark := range marks {
		for _, address := range addresses {
			half := len(address) / 2
			for half > 0 && address[half]&0xc0 == 0x80 {
				half--
			}
			for _, text := range []string{
				address + mark, address + mark + "settings", address[:half] + mark + address[half:], mark + address, "(" + address + mark + "abc", "so " + address + "/" + mark + "/x " + address + mark,
			} {
				text = "Allow " + text + prose
				for _, step := range []int{1, 31, len(text)} {
					if len(mark)+len(address) > 40 && step < len(text) || step == 1 && len(mark)+len(address) > 16 {
						continue // enough is cut everywhere by the others
					}
					check(t, text, step)
				}
			}
		}
	}
}

func check(t *testing.T, text string, step int) {
	t.Helper()
	var g answer.Growing
	last := ""
	for from := 0; from < len(text); from += step {
		g.Write(text[from:min(from+step, len(text))])
		shown := g.Stable()
		if !strings.HasPrefix(shown, last) {
			t.Fatalf("%.80q: what was shown is taken back\nshown %q\nnow   %q", text, last, shown)
		}
		last = shown
	}
	if len(last) < len(text)-700 {
		t.Fatalf("%.80q in steps of %d: only %d of %d bytes are shown", text, step, len(last), len(text))
	}
}

// Who does not wait any more is not read to for long.
func TestParsingEndsWhenNobodyWaits(t *testing.T) {
	t.Parallel()
	asked := 0
	ended := func() bool { asked++; return asked > 1 }
	if tree := answer.ParseUntil(strings.Repeat("many words\n\n", 10_000), ended); len(tree.Blocks) != 1 || asked != 2 {
		t.Errorf("%d blocks, asked %d times", len(tree.Blocks), asked)
	}
	flow := answer.NewFlow(nothing{}, answer.RuneCount, 1000)
	flow.Until(func() bool { return true })
	flow.Write(strings.Repeat("many words\n\n", 10_000))
	if _, pages := flow.End(answer.Policy{}); len(pages) > 0 {
		t.Errorf("%d pages", len(pages))
	}
}

// nothing is a dialect that is asked for its traits alone.
type nothing struct{ answer.Dialect }

func (nothing) Traits() answer.Traits { return answer.Traits{} }

// A segment is what ends a text that never ends a paragraph; nothing is lost where it does.
func TestLongTextsAreParted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		kind answer.BlockKind
	}{
		"a paragraph": {strings.Repeat("many words ", 3000), answer.Paragraph},
		"one word":    {strings.Repeat("a", 50_000), answer.Paragraph},
		"marks":       {strings.Repeat("*a", 10_000), answer.Paragraph},
		"a list":      {strings.Repeat("- item\n", 10_000), answer.List},
		"code":        {"```go\n" + strings.Repeat("x := 1\n", 10_000) + "```\n", answer.Code},
		"long code":   {"```\n" + strings.Repeat("x", 100_000) + "\n```\n", answer.Code},
		"a table":     {"| a | b |\n|---|---|\n" + strings.Repeat("| 1 | 2 |\n", 5000), answer.Table},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := answer.Parse(c.text + "\nneedle")
			if len(tree.Blocks) < 3 {
				t.Errorf("%d blocks", len(tree.Blocks))
			}
			if tree.Blocks[0].Kind != c.kind || tree.Blocks[1].Kind != c.kind {
				t.Errorf("kinds %d, %d, want %d", tree.Blocks[0].Kind, tree.Blocks[1].Kind, c.kind)
			}
			last := tree.Blocks[len(tree.Blocks)-1]
			if c.kind != answer.List && !strings.HasSuffix(answer.Words(last.Inlines), "needle") {
				t.Errorf("the last block is %+v", last)
			}
		})
	}
}

// Numbers go on where a long list is read in parts, whatever the writer numbered its items.
func TestLongListKeepsItsNumbers(t *testing.T) {
	t.Parallel()
	tree, next := answer.Parse(strings.Repeat("1. item\n", 10_000)), 1
	for _, b := range tree.Blocks {
		if b.Kind != answer.List || b.Start != next {
			t.Fatalf("a block of kind %d begins with %d, want %d", b.Kind, b.Start, next)
		}
		next += len(b.Children)
	}
	if next != 10_001 {
		t.Errorf("%d items", next-1)
	}
}
