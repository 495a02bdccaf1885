package tiktoken

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/footnotehq/footnote/core/budget"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// prose draws texts in which all that splits text occurs side by side.
var prose = rapid.Custom(func(t *rapid.T) string {
	parts := []string{
		"a", "Leave", "days", "don't", "I'LL", " ", "  ", "\n", "\n\n", "\r\n", "\t", " \n ", "7", "2026",
		"!", "...", "/", "//", "<b>", "'s", "ü", "Straße", "今天", "🛑", "e\u0301", "\u00a0", "\u3000",
	}
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 40).Draw(t, "parts"), "")
})

func TestASeamChangesNoToken(t *testing.T) {
	t.Parallel()
	for _, counter := range []*Counter{cl100k(), o200k()} {
		t.Run(counter.Encoding(), func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				text := prose.Draw(t, "text")
				whole := counter.Encode(text)
				for i := range len(text) {
					if !seam(text, i) {
						continue
					}
					split := slices.Concat(counter.Encode(text[:i]), counter.Encode(text[i:]))
					if diff := cmp.Diff(whole, split); diff != "" {
						t.Fatalf("cut %q | %q (-whole +split):\n%s", text[:i], text[i:], diff)
					}
				}
			})
		})
	}
}

func TestPartsAreTheText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		counter := &Counter{chunk: rapid.IntRange(8, 64).Draw(t, "chunk")}
		text := strings.Repeat(prose.Draw(t, "text"), rapid.IntRange(1, 30).Draw(t, "repeat"))
		var joined strings.Builder
		for part := range counter.parts(text) {
			if part == "" || len(part) > counter.chunk {
				t.Fatalf("a part of %d bytes, chunk %d", len(part), counter.chunk)
			}
			if !utf8.ValidString(part) {
				t.Fatalf("part %q tears a rune", part)
			}
			joined.WriteString(part)
		}
		if joined.String() != text {
			t.Fatalf("parts are %q, want %q", joined.String(), text)
		}
	})
}

func TestALongTextHasTheTokensOfItsWhole(t *testing.T) {
	t.Parallel()
	counter := cl100k()
	whole := newCounter(counter.codec, counter.name, 1<<30)
	text := strings.Repeat("Employees have thirty days of leave.\n\nAsk your manager first; don't book before. ", 2000)
	if diff := cmp.Diff(whole.Encode(text), counter.Encode(text)); diff != "" {
		t.Errorf("tokens (-whole +parts):\n%s", diff)
	}
}

// tally is a counter that notes how many bytes it was asked to count.
type tally struct {
	plain
	bytes int
}

func (c *tally) Count(text string) int {
	c.bytes += len(text)
	return c.plain.Count(text)
}

// The same passages in another order and company are hardly counted anew.
func TestPassagesAreCountedOnceWhereverTheyStand(t *testing.T) {
	t.Parallel()
	words := strings.Fields("the address of every page is decided by where its source says that it lies and not by a file or the name it has there")
	random := rand.New(rand.NewPCG(1, 2))
	passages := make([]string, 20)
	for i := range passages {
		for range 400 {
			passages[i] += words[random.IntN(len(words))] + " "
		}
	}
	counter := newCounter(o200k().codec, "", chunkBytes)
	spy := &tally{plain: plain{counter}}
	counter.memo = budget.NewMemo(spy)
	prompt := func() string { return "what is asked " + strings.Join(passages, `"},{"contents":"`) }
	for range 3 {
		random.Shuffle(len(passages), func(i, j int) { passages[i], passages[j] = passages[j], passages[i] })
		spy.bytes = 0
		text := prompt()
		if got, want := counter.Count(text), len(counter.Encode(text)); got != want {
			t.Errorf("%d tokens, want %d", got, want)
		}
	}
	if all := len(prompt()); spy.bytes > all/2 {
		t.Errorf("%d of %d bytes were counted anew", spy.bytes, all)
	}
}

func TestPiecesAreTheTextAndHaveItsTokens(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(prose.Draw(t, "text"), rapid.IntRange(1, 30).Draw(t, "repeat"))
		if got := strings.Join(slices.Collect(pieces(text)), ""); got != text {
			t.Fatalf("pieces are %q, want %q", got, text)
		}
		if got, want := cl100k().Count(text), len(cl100k().Encode(text)); got != want {
			t.Fatalf("%q: %d tokens, want %d", text, got, want)
		}
	})
}
