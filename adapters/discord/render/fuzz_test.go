package render

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
	"pgregory.net/rapid"
)

// renderTokens are what Markdown is made of, so that random texts hit its rules.
var renderTokens = []string{
	"a", "word", "Some text. ", " ", "  ", "    ", "\n", "\n\n", "\n", "*", "**", "***", "_", "__", "~~", "~", "||", "`", "``", "```", "```go\n", "\n```\n", "~~~\n",
	"[", "]", "(", ")", "](", "[[1]](https://docs.example/a)", "[[9]](https://evil.example)", "![", "[label](https://docs.example/p_q \"title\")", "<", ">", "> ",
	"<b>", "<br>", "<https://x.example>", "<!--", "-->", "&amp;", "&lt;", "&#60;", "\\", "\\*", "C:\\new", "- ", "* ", "1. ", "2. ", "- [ ] ", "# ", "#### ", "-# ",
	"---\n", "|", "| a | b |\n", "|---|:-:|\n", "| 1 | 2 |\n", "https://docs.example/a_b(c)", "http://evil.example/?q=1", "me@x.example", "@here", "@everyone",
	"<@123>", "<@&456>", "<#789>", "<@!1>", "👩‍👩‍👧", "🇩🇪", "é", "日本語。", "\t",
}

func renderText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(renderTokens), 0, 60).Draw(t, "tokens"), "")
}

var renderPings = regexp.MustCompile(`(?i)<@[!&]?[0-9]|<#[0-9]|@everyone|@here`)

func renderLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

func checkPages(t interface{ Fatalf(string, ...any) }, source string, limit int) {
	tree := answer.Parse(source)
	words := func(limit int) string {
		var b strings.Builder
		for i, p := range tree.Pages(dialect{}, answer.Policy{}, answer.UTF16Count, limit) {
			if n := answer.UTF16Count(p.Text); n > limit {
				t.Fatalf("page %d has %d units, limit %d\nsource %q\npage %q", i, n, limit, source, p.Text)
			}
			if !utf8.ValidString(p.Text) {
				t.Fatalf("page %d is not UTF-8: %q", i, p.Text)
			}
			if m := renderPings.FindString(p.Text); m != "" {
				t.Fatalf("%q mentions somebody\nsource %q\npage %q", m, source, p.Text)
			}
			b.WriteString(p.Plain + "\n")
		}
		return renderLetters(b.String())
	}
	if whole, parts := words(1<<30), words(limit); whole != parts {
		t.Fatalf("pages lose or add text at limit %d\nsource %q\nwant %q\ngot  %q", limit, source, whole, parts)
	}
	v := &stream.View{}
	v.Apply(packet.Packet{Payload: packet.CitationInfo{Number: 1, Title: source, URL: "https://docs.example/a"}})
	v.Apply(packet.Packet{Payload: packet.MessageDelta{Text: source}})
	for _, phase := range []stream.Phase{stream.Writing, stream.Done} {
		v.Phase = phase
		v.Message, v.Notices = source, []string{source}
		for i, p := range (&Renderer{Links: func(string) bool { return true }}).Render(v) {
			if n := answer.UTF16Count(p.Content); n > MaxContent || n == 0 {
				t.Fatalf("message %d has %d units\nsource %q\n%q", i, n, source, p.Content)
			}
			if m := renderPings.FindString(p.Content); m != "" {
				t.Fatalf("%q mentions somebody\nsource %q\nmessage %q", m, source, p.Content)
			}
		}
	}
}

func TestPagesHoldTheirLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkPages(t, renderText(t), rapid.IntRange(50, 400).Draw(t, "limit")) })
}

func FuzzRender(f *testing.F) {
	f.Add("# a\n- b **c** [[1]](https://docs.example/a)\n```go\n<@123> @everyone\n```\n| a | b |\n|---|---|\n| 1 | 2 |", 50)
	f.Add(strings.Join(renderTokens, ""), 77)
	f.Add(strings.Join(renderTokens, "\n\n"), 120)
	f.Fuzz(func(t *testing.T, source string, limit int) {
		defer hostiletest.Bound(t, len(source), 0)()
		if limit < 50 || limit > 5000 {
			limit = 50 + (limit&0x7fffffff)%1000
		}
		checkPages(t, source, limit)
	})
}
