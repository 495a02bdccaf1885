package answer_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/markdown/answer"
	"pgregory.net/rapid"
)

// tokens are what Markdown is made of, so that random texts meet every rule by which a text is held
// back.
var tokens = []string{
	"*", "**", "_", "~~", "`", "``", "```", "\n```\n", "~~~\n", "[", "]", "](", ")", "![", "<", ">", "<a href=\"", "<!--", "-->", "&", "&amp;", "\\", "\n", "\n\n", "    ", "> ", "- ",
	"1. ", "# ", "|", "\n|a|b|\n", "|-|-|\n", "---\n", "===\n", "http://x.example/", "www.", "me@x.example", "(", "\"", "'", ":", "word ", "a", "9", "é", "日本", "👩‍👩‍👧",
}

// ends reads a text as it grows. It ends for every text, however it is cut: each question what can
// be shown reads the text at most so many times, and once more so many for each mark that is given
// up, which happens once.
func ends(t interface {
	Helper()
	Fatalf(string, ...any)
}, deltas ...string) {
	t.Helper()
	var g answer.Growing
	last, size := "", 0
	for _, d := range deltas {
		g.Write(d)
		size += len(d)
		shown := g.Stable()
		if !strings.HasPrefix(shown, last) {
			t.Fatalf("%q: what was shown is taken back\nshown %q\nnow   %q", deltas, last, shown)
		}
		last = shown
	}
	marks := 0
	for _, d := range deltas {
		for _, c := range d {
			if strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", c) {
				marks++
			}
		}
	}
	if most := answer.MaxLooks * (len(deltas) + marks); g.Looked() > most {
		t.Fatalf("%q: %d bytes were read %d times, more than %d", deltas, size, g.Looked(), most)
	}
}

func TestHoldingBackEndsForEveryShortText(t *testing.T) {
	t.Parallel()
	for _, one := range tokens {
		for _, other := range tokens {
			text := one + other
			for i := range len(text) + 1 {
				ends(t, text[:i], text[i:])
				if once := answer.Closed(text[:i]); answer.Closed(once) != once {
					t.Errorf("%q is not closed", once)
				}
			}
			text = strings.Repeat(text, 30)
			ends(t, text)
			for i := range 16 {
				ends(t, text[:i*len(text)/16], text[i*len(text)/16:])
			}
		}
	}
}

func TestHoldingBackEndsForEveryText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.SampledFrom(tokens), 1, 12).Draw(t, "some")
		text := strings.Repeat(strings.Join(some, ""), rapid.IntRange(1, 12).Draw(t, "times"))
		ends(t, text)
		var deltas []string
		for rest := text; rest != ""; {
			n := min(rapid.IntRange(1, 17).Draw(t, "cut"), len(rest))
			deltas, rest = append(deltas, rest[:n]), rest[n:]
		}
		ends(t, deltas...)
	})
}
