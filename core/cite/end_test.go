package cite_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/cite"
	"pgregory.net/rapid"
)

// tokens are what Markdown and citations are made of, so that random texts meet every rule of the
// scanner.
var tokens = []string{
	"[", "]", "[1]", "[[1]]", "[2, 3]", "(", ")", "](", "](http://x", "<", ">", "`", "``", "```", "\n```\n", "~~~", "\n", "\n\n", "    ", "\t", "> ", "- ", "1. ",
	"# ", "| ", "---", "\\", "\\(", "\\)", "\\[", "\\]", "$", "$$", "<code>", "</code>", "<a ", "<!--", "-->", "http://x", "www.", "!", "^", ":", "\"", "'", "=", "/", "a", "word ", "9",
	"【", "】", "［", "†", "é",
}

// looks is how often a byte may be looked at in the mean: a bracket expression that turns out to be
// none is read again from its second byte on.
const looks = 3

// checkEnds reads a text. Reading ends, for every text however it is cut: no byte is looked at more
// than so often, but for those that can be held back.
func checkEnds(t interface {
	Helper()
	Errorf(string, ...any)
}, deltas ...string) (fed int) {
	t.Helper()
	p := cite.NewProcessor(library(), cite.Options{})
	var events []cite.Event
	size := 0
	for _, d := range deltas {
		events = p.Push(d, events[:0])
		size += len(d)
		if held := p.Held(); held > 2*maxHeld {
			t.Errorf("%q: %d bytes are held back", deltas, held)
		}
	}
	p.Flush(events[:0])
	fed = p.Fed()
	if fed > looks*size+maxHeld {
		t.Errorf("%q: %d bytes were looked at %d times", deltas, size, fed)
	}
	return fed
}

// maxHeld is more than can be held back at any moment.
const maxHeld = 1 << 10

func TestScanningEndsForEveryShortText(t *testing.T) {
	t.Parallel()
	var walk func(text []string, depth int)
	walk = func(text []string, depth int) {
		whole := strings.Join(text, "")
		for i := range len(whole) + 1 {
			checkEnds(t, whole[:i], whole[i:])
		}
		if depth == 0 {
			return
		}
		for _, token := range tokens {
			walk(append(text, token), depth-1)
		}
	}
	walk(nil, 2)
	for _, one := range tokens {
		for _, other := range tokens {
			text := strings.Repeat(one+other, 40)
			checkEnds(t, text)
			checkEnds(t, bytewise(text)...)
		}
	}
}

func TestScanningEndsForEveryText(t *testing.T) {
	t.Parallel()
	most := 0.0
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.SampledFrom(tokens), 1, 12).Draw(t, "some")
		whole := strings.Repeat(strings.Join(some, ""), rapid.IntRange(1, 40).Draw(t, "times"))
		uncut := checkEnds(t, whole)
		if size := len(whole); size > 200 {
			most = max(most, float64(uncut)/float64(size))
		}
		checkEnds(t, bytewise(whole)...)
		checkEnds(t, cut(whole, rapid.SliceOf(rapid.Byte()).Draw(t, "cuts"))...)
	})
	t.Logf("a byte is looked at %.2f times at most, in the mean of a text", most)
}
