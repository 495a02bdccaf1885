package render

import (
	"regexp"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/core/cite"
	"pgregory.net/rapid"
)

var renderDialects = map[string]answer.Dialect{"markdown": markdown{}, "mrkdwn": mrkdwn{}}

var renderPolicy = answer.Policy{
	Known: func(address string) bool { return !strings.Contains(address, "evil") },
	Cited: func(n int, address string) (string, bool) { // as foot.Policy does, in a form that nothing misreads
		safe, ok := cite.LinkURL(address)
		return safe, ok && n < 3
	},
}

// renderTokens are what Markdown is made of, so that random texts hit its rules.
var renderTokens = []string{
	"a", "word", "Some text. ", " ", "  ", "    ", "\n", "\n\n", "\n", "*", "**", "***", "_", "__", "~~", "~", "`", "``", "```", "```go\n", "\n```\n", "~~~\n",
	"[", "]", "(", ")", "](", "[[1]](https://docs.example/a)", "[[2]](https://docs.example/b)", "[[9]](https://evil.example)", "![", "!",
	"[label](https://x.example/p_q \"title\")", "[pi|pe](<https://x.example/a b>)", "<", ">", "> ", "<b>", "</b>", "<br>", "<https://x.example>", "<!--", "-->",
	"&", "&amp;", "&lt;", "&quot;", "&#60;", "&nb", ";", "\\", "\\*", "C:\\new", "- ", "* ", "+ ", "1. ", "2. ", "7) ", "- [ ] ", "- [x] ", "# ", "## ", "#",
	"---\n", "===\n", "|", "| a | b |\n", "|---|:-:|\n", "| 1 | 2 |\n", "|  | x\\|y |\n", "https://x.example/a_b(c)", "http://evil.example/?q=1", "www.x.example",
	"me@x.example", "@here", "@channel", "@everyone", "<@U123>", "<!channel>", "<#C12>", "<!subteam^S1|x>", "👩‍👩‍👧", "🇩🇪", "é", "日本語。", "\t", "\r\n", "=", ":",
	"evil.com/?q=1", "a.evil.com", ".рф", "/", "?x=1", "evil.", "mailto:", "ftp://", "ü", "\u200b", "\u200d", "\ufe0f", "\U000e0041", "❤️",
}

func renderText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(renderTokens), 0, 60).Draw(t, "tokens"), "")
}

var renderPings = regexp.MustCompile(`<(@[A-Z0-9]|#[CGD][A-Z0-9]|!(here|channel|everyone|subteam))`)

// renderLetters are what must not be lost on the way.
func renderLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

func renderPlain(pages []answer.Page) string {
	var b strings.Builder
	for _, p := range pages {
		b.WriteString(p.Plain + "\n")
	}
	return b.String()
}

func checkPages(t interface{ Fatalf(string, ...any) }, source string, limit int) {
	tree := answer.Parse(source)
	for name, d := range renderDialects {
		for unit, count := range map[string]func(string) int{"runes": answer.RuneCount, "utf16": answer.UTF16Count, "bytes": func(s string) int { return len(s) }} {
			pages := tree.Pages(d, renderPolicy, count, limit)
			for i, p := range pages {
				if n := count(p.Text); n > limit {
					t.Fatalf("%s: page %d has %d %s, limit %d\nsource %q\npage %q", name, i, n, unit, limit, source, p.Text)
				}
				if !utf8.ValidString(p.Text) {
					t.Fatalf("%s: page %d is not UTF-8: %q", name, i, p.Text)
				}
				if m := renderPings.FindString(p.Text); m != "" {
					t.Fatalf("%s: %q mentions somebody\nsource %q\npage %q", name, m, source, p.Text)
				}
			}
		}
		whole := tree.Pages(d, answer.Policy{}, answer.RuneCount, 1<<30) // all addresses are words
		parts := tree.Pages(d, answer.Policy{}, answer.RuneCount, limit)
		if len(whole) > 1 {
			t.Fatalf("%s: %d pages without a limit", name, len(whole))
		}

		if want, got := renderLetters(renderPlain(whole)), renderLetters(renderPlain(parts)); want != got {
			t.Fatalf("%s: pages lose or add text at limit %d\nsource %q\nwant %q\ngot  %q", name, limit, source, want, got)
		}
	}
}

// flowText is what a flow shows: its pages, of which those that were left behind are known.
type flowText struct {
	pages []string
}

func (f *flowText) take(first int, pages []answer.Page) string {
	if len(pages) > 0 {
		f.pages = f.pages[:first]
	}
	for _, p := range pages {
		f.pages = append(f.pages, p.Text)
	}
	return strings.Join(f.pages, "\x00")
}

func checkTail(t interface{ Fatalf(string, ...any) }, source string, cuts []int, limit int) {
	flow := answer.NewFlow(markdown{}, answer.RuneCount, limit)
	var text flowText
	last, from := "", 0
	for _, cut := range append(cuts, len(source)) {
		cut = max(min(cut, len(source)), from)
		flow.Write(source[from:cut])
		from = cut
		shown := text.take(flow.Pages(renderPolicy))
		if !strings.HasPrefix(shown, last) {
			t.Fatalf("what was shown is taken back after %q\nshown %q\nnow   %q", source[:cut], last, shown)
		}
		last = shown
	}
	if shown := text.take(flow.End(renderPolicy)); !strings.HasPrefix(shown, last) {
		t.Fatalf("what was shown is taken back at the end of %q\nshown %q\nnow   %q", source, last, shown)
	}
}

// What is shown of an address that nobody knows is as final as any word, wherever the text is cut.
func TestStrangersAreNotTakenBack(t *testing.T) {
	t.Parallel()
	for _, s := range rendertest.Strangers {
		s = "Go " + s + " and on.\n\n" + s
		for cut := range s {
			checkTail(t, s, []int{cut, cut + 3}, 400)
		}
	}
}

// Whether a word is an address may depend on what a mark in its midst becomes.
func TestMarksWithinAddressesTakeNothingBack(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"~", "~~", "*", "**", "_", "._", ".*", "-~"} {
		for _, rest := range []string{"Ï", "x y", "x" + mark + " y", "x y" + mark, "/x" + mark} {
			s := "Go 0.0.evil" + mark + rest
			for cut := range s {
				checkTail(t, s, []int{cut, cut + 1}, 400)
			}
		}
	}
}

func TestPagesHoldTheirLimit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) { checkPages(t, renderText(t), rapid.IntRange(50, 400).Draw(t, "limit")) })
}

func TestNothingIsTakenBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := renderText(t)
		cuts := rapid.SliceOfN(rapid.IntRange(0, len(s)), 0, 8).Draw(t, "cuts")
		checkTail(t, s, cuts, 400)
	})
}

func TestClosingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := renderText(t)
		once := answer.Closed(s)
		if twice := answer.Closed(once); twice != once {
			t.Fatalf("closed twice %q differs from %q", twice, once)
		}
	})
}

func FuzzRender(f *testing.F) {
	f.Add("# a\n- b **c** [[1]](https://docs.example/a)\n```go\n<@U123> @everyone\n```\n| a | b |\n|---|---|\n| 1 | 2 |", 50, 20)
	f.Add(strings.Join(renderTokens, ""), 77, 100)
	f.Add(strings.Join(renderTokens, "\n\n"), 120, 300)
	f.Fuzz(func(t *testing.T, source string, limit, cut int) {
		defer hostiletest.Bound(t, len(source), 0)()
		if limit < 50 || limit > 5000 {
			limit = 50 + (limit&0x7fffffff)%1000
		}
		checkPages(t, source, limit)
		checkTail(t, source, []int{cut, cut + 7}, 400)
	})
}

// unlimited is for pages that are never full.
const unlimited = 1 << 30

// Texts that are longer than a segment are parted where nothing was shown yet.
func TestNothingOfAHostileTextIsTakenBack(t *testing.T) {
	t.Parallel()
	for text := range hostiletest.Few(12_000) {
		var cuts []int
		for cut := 0; cut < len(text.Text); cut += 531 {
			cuts = append(cuts, cut)
		}
		checkTail(t, text.Text, cuts, unlimited)
	}
	signs := strings.Repeat("❤️&a", 2_000) // what looks like a reference ends with a word, and words are cut anew as the text grows
	var cuts []int
	for cut := 0; cut < len(signs); cut += 1_000 {
		cuts = append(cuts, cut)
	}
	checkTail(t, signs, cuts, unlimited)
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SliceOfN(rapid.SampledFrom(renderTokens), 1, 6).Draw(t, "tokens")
		s := strings.Repeat(strings.Join(tokens, ""), 1+18_000/len(strings.Join(tokens, "")))
		cuts := []int{rapid.IntRange(0, len(s)).Draw(t, "first")}
		for step := rapid.IntRange(1000, 5000).Draw(t, "step"); cuts[len(cuts)-1] < len(s); {
			cuts = append(cuts, cuts[len(cuts)-1]+step)
		}
		checkTail(t, s, cuts, unlimited)
	})
}

// The search for addresses costs no more than its text is long, however many there are.
func TestStrangersCostWhatTheyAreLong(t *testing.T) {
	cost := func(token string, n int) uint64 {
		tree := answer.Parse(strings.Repeat(token, n))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		tree.Pages(markdown{}, renderPolicy, answer.RuneCount, 1<<30)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for _, token := range []string{"a.co/x `c` ", "**a.co**/x ", "ü.ü./x", "a.b.co,", "x@a.co?b ", "a:/\\/b "} {
		small, large := cost(token, 500), cost(token, 4000)
		if large > 20*small {
			t.Errorf("%q: %d bytes for 500 and %d for 4000", token, small, large)
		}
	}
}
