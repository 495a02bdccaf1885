// Package budgettest helps to test token budgets. It has the suite that every [budget.Counter] must
// pass. It also has two counters whose sizes can be computed by hand.
package budgettest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/core/budget"
)

var texts = []struct{ name, text string }{
	{"empty", ""},
	{"one letter", "a"},
	{"sentence", "The quick brown fox jumps over the lazy dog."},
	{"spaces around", "  two  spaces  "},
	{"lines", "first\n\nsecond\r\n\tthird\n"},
	{"code", "func main() { fmt.Println(\"hello\") }\n"},
	{"json", `{"documents":[{"document":1,"title":"Leave policy"}]}`},
	{"numbers", "1234567890 3.14159 2026-11-21"},
	{"umlauts", "Größenwahn über Österreich"},
	{"cyrillic", "Привет, как дела?"},
	{"chinese", "今天天气很好,我们去公园吧。"},
	{"arabic", "مرحبا بالعالم"},
	{"emoji", "👩‍👩‍👧‍👦 🛑 🏳️‍🌈 é"},
	{"replacement character", "before \uFFFD after"},
	{"special marks", "<|endoftext|> <|im_start|>system<|im_end|><|fim_prefix|>"},
	{"url", "https://example.org/a/b?c=d&e=f#g"},
	{"control characters", "a\x00b\x1b[0m\x7f\x7f"},
	{"long word", strings.Repeat("abcdefghij", 300)},
	{"long line", strings.Repeat("one two three ", 800)},
}

// Suite checks that counter meets the contract of [budget.Counter].
func Suite(t *testing.T, counter budget.Counter) {
	t.Helper()
	for _, tt := range texts {
		t.Run(tt.name, func(t *testing.T) { check(t, counter, tt.text) })
	}
	t.Run("any text", func(t *testing.T) {
		// The seed is fixed, so that failures can be reproduced.
		random := rand.New(rand.NewPCG(1, 2))
		for range 300 {
			check(t, counter, anyText(random))
		}
	})
	t.Run("invalid bytes are counted", func(t *testing.T) {
		for _, text := range []string{"\xff", "ok \xc3( bad", "\xe2\x82", strings.Repeat("\x80", 500)} {
			if got, want := counter.Count(text), len(counter.Encode(text)); got != want || got == 0 {
				t.Errorf("Count(%q) = %d, Encode has %d tokens", text, got, want)
			}
		}
	})
	t.Run("unknown tokens are left out", func(t *testing.T) {
		tokens := slices.Concat([]int{-1}, counter.Encode("known"), []int{1 << 40})
		if got := counter.Decode(tokens); got != "known" {
			t.Errorf("Decode with unknown tokens = %q, want %q", got, "known")
		}
	})
	t.Run("the parts of a text decode to the text", func(t *testing.T) {
		text := "Zwölf Boxkämpfer 👩‍👩‍👧 jagen 今天 durch Sylt."
		tokens := counter.Encode(text)
		for i := range len(tokens) + 1 {
			if got := counter.Decode(tokens[:i]) + counter.Decode(tokens[i:]); got != text {
				t.Fatalf("parts at %d decode to %q, want %q", i, got, text)
			}
		}
	})
	t.Run("concurrent use", func(t *testing.T) { concurrently(t, counter) })
}

func anyText(random *rand.Rand) string {
	highest := []rune{0x7f, 0x7f, 0x7ff, 0xd7ff, 0x10ffff}
	text := make([]rune, random.IntN(41))
	for i := range text {
		// Halves of surrogate pairs become U+FFFD.
		text[i] = random.Int32N(highest[random.IntN(len(highest))] + 1)
	}
	return string(text)
}

func check(t *testing.T, counter budget.Counter, text string) {
	t.Helper()
	tokens := counter.Encode(text)
	if got := counter.Count(text); got != len(tokens) {
		t.Fatalf("Count(%q) = %d, Encode has %d tokens", text, got, len(tokens))
	}
	if got := counter.Decode(tokens); got != text {
		t.Fatalf("Decode(Encode(%q)) = %q", text, got)
	}
	if (text == "") != (len(tokens) == 0) {
		t.Fatalf("Encode(%q) has %d tokens", text, len(tokens))
	}
}

func concurrently(t *testing.T, counter budget.Counter) {
	t.Helper()
	want := make([]int, len(texts))
	for i, tt := range texts {
		want[i] = counter.Count(tt.text)
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i, tt := range texts {
				tokens := counter.Encode(tt.text)
				if got := counter.Count(tt.text); got != want[i] || len(tokens) != want[i] {
					t.Errorf("%s: Count = %d, Encode has %d, want %d", tt.name, got, len(tokens), want[i])
				}
				if got := counter.Decode(tokens); got != tt.text {
					t.Errorf("%s: Decode = %q, want %q", tt.name, got, tt.text)
				}
			}
		})
	}
	group.Wait()
}
