package answer_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/google/go-cmp/cmp"
)

func TestClosed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"whole text":               {"Some **bold** text.", "Some **bold** text."},
		"open bold":                {"Some **bold te", "Some **bold te**"},
		"open bold, blank":         {"Some **bold ", "Some **bold**"},
		"bold just opened":         {"Some **", "Some"},
		"bold within italics":      {"*a **b", "*a **b***"},
		"bold half closed":         {"**a*", "**a**"},
		"multiplication":           {"2 * 3", "2 * 3"},
		"underscore in a name":     {"snake_case", "snake_case"},
		"open strike":              {"~~gone", "~~gone~~"},
		"open code":                {"run `make te", "run `make te`"},
		"code just opened":         {"run `", "run"},
		"double backticks":         {"run ``a`b", "run ``a`b``"},
		"open fence":               {"a\n```go\nx := 1", "a\n```go\nx := 1\n```\n"},
		"fence without content":    {"a\n```go", "a\n"},
		"fence line being written": {"a\n``", "a\n"},
		"fence being closed":       {"```\nx\n``", "```\nx\n```\n"},
		"closed fence":             {"```\nx\n```\n", "```\nx\n```\n"},
		"fence in an item":         {"- a\n  ```\n  x", "- a\n  ```\n  x\n  ```\n"},
		"fence in a quotation":     {"> ```\n> x", "> ```\n> x\n> ```\n"},
		"label":                    {"see [the man", "see"},
		"label just closed":        {"see [the manual]", "see"},
		"address":                  {"see [the manual](https://docs.exa", "see"},
		"title":                    {`see [the manual](https://docs.example "The`, "see"},
		"footnote":                 {"so [[1]](https://docs", "so"},
		"link in bold":             {"**see [x](", "**see**"},
		"brackets that are none":   {"a[0] = 1", "a[0] = 1"},
		"image":                    {"see ![alt", "see"},
		"entity":                   {"a &am", "a"},
		"ampersand":                {"a & b", "a & b"},
		"tag":                      {"a <spa", "a"},
		"less than":                {"a < b", "a < b"},
		"bare address":             {"see https://docs.exa", "see"},
		"header of a table":        {"a\n\n| x | y |", "a\n\n"},
		"header without delimiter": {"a\n\n| x | y |\n", "a\n\n"},
		"delimiter row":            {"| x | y |\n|--", ""},
		"table row":                {"| x | y |\n|---|---|\n| 1 ", "| x | y |\n|---|---|\n"},
		"whole rows":               {"| x | y |\n|---|---|\n| 1 | 2 |\n", "| x | y |\n|---|---|\n| 1 | 2 |\n"},
		"marker":                   {"a\n- ", "a\n"},
		"number":                   {"a\n\n12.", "a\n\n"},
		"heading":                  {"a\n\n##", "a\n\n"},
		"item with open bold":      {"- **a", "- **a**"},
		"bold across items":        {"- **a\n- b", "- **a\n- b"},
		"backslash":                {`a \`, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := answer.Closed(c.text)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if again := answer.Closed(got); again != got {
				t.Errorf("closed again it is %q, not %q", again, got)
			}
		})
	}
}

// stable feeds a text in pieces and returns what could be shown after each.
func stable(pieces ...string) []string {
	var g answer.Growing
	var shown []string
	for _, p := range pieces {
		g.Write(p)
		shown = append(shown, g.Stable())
	}
	return append(shown, g.All())
}

func TestStable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ pieces, want []string }{
		"words":          {[]string{"One tw", "o three"}, []string{"One ", "One two ", "One two three"}},
		"bold":           {[]string{"So **bo", "ld** now "}, []string{"So ", "So **bold** now ", "So **bold** now "}},
		"never closed":   {[]string{"So **bo\n\n", "x "}, []string{"So **bo\n\n", "So **bo\n\nx ", "So **bo\n\nx "}},
		"link":           {[]string{"See [a](htt", "ps://x.example) "}, []string{"See ", "See [a](https://x.example) ", "See [a](https://x.example) "}},
		"code":           {[]string{"```go\nx := ", "1\n"}, []string{"```go\nx := ", "```go\nx := 1\n", "```go\nx := 1\n"}},
		"mention":        {[]string{"```\n<!chan", "nel>\n"}, []string{"", "```\n<!channel>\n", "```\n<!channel>\n"}},
		"half character": {[]string{"日\xe6", "\x9c\xac"}, []string{"日", "日本", "日本"}},
		"line ends":      {[]string{"a\r", "\nb "}, []string{"", "a\nb ", "a\nb "}},
		"table":          {[]string{"|a|\n", "|-|\n", "|1|\n|2"}, []string{"", "|a|\n|-|\n", "|a|\n|-|\n|1|\n", "|a|\n|-|\n|1|\n|2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, stable(c.pieces...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A star that is never closed must not keep a long paragraph from its readers.
func TestStableGivesUpOnAMark(t *testing.T) {
	t.Parallel()
	shown := stable("A *star and " + strings.Repeat("many words ", 100))
	if want := `A \*star and many`; !strings.HasPrefix(shown[0], want) || len(shown[0]) < 1000 {
		t.Errorf("%d bytes can be shown: %.60q…", len(shown[0]), shown[0])
	}
}

func FuzzClosed(f *testing.F) {
	f.Add("# a\n- **b [[1]](https://docs.example/a)\n```go\n<@U1>\n```\n| a | b |\n|---|---|\n| 1 | 2 |", 20)
	f.Add("*a **b ~~c `d` [e](f \"g\") <h> &amp; \\", 30)
	f.Add("> - 1. ```\n> x", 9)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		defer hostiletest.Bound(t, len(text), 0)()
		text = text[:min(max(cut, 0), len(text))]
		once := answer.Closed(text)
		if twice := answer.Closed(once); twice != once {
			t.Fatalf("closed twice %q differs from %q", twice, once)
		}
		answer.Parse(once)
	})
}
