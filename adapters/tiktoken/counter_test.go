package tiktoken_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/footnotehq/footnote/adapters/tiktoken"
	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/budget/budgettest"
)

func TestCounter(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"gpt-4", "gpt-4o"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			budgettest.Suite(t, tiktoken.ForModel(model))
		})
	}
}

func TestForModel(t *testing.T) {
	t.Parallel()
	tests := []struct{ model, want string }{
		{"gpt-4o", "o200k_base"},
		{"gpt-4o-mini-2024-07-18", "o200k_base"},
		{"gpt-4.1-nano", "o200k_base"},
		{"gpt-5.1", "o200k_base"},
		{"GPT-5-mini", "o200k_base"},
		{"o3-mini", "o200k_base"},
		{"openai/gpt-4o", "o200k_base"},
		{"ft:gpt-4o-mini:acme::abc", "o200k_base"},
		{"ft:gpt-4:acme::abc", "cl100k_base"},
		{"gpt-4", "cl100k_base"},
		{"gpt-4-turbo", "cl100k_base"},
		{"gpt-3.5-turbo", "cl100k_base"},
		{"text-embedding-3-small", "cl100k_base"},
		{"llama3.1:8b", "cl100k_base"},
		{"anthropic/claude-sonnet", "cl100k_base"},
		{"", "cl100k_base"},
	}
	for _, tt := range tests {
		t.Run(tt.model, func(t *testing.T) {
			t.Parallel()
			if got := tiktoken.ForModel(tt.model).Encoding(); got != tt.want {
				t.Errorf("ForModel(%q) uses %s, want %s", tt.model, got, tt.want)
			}
		})
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		model, text string
		want        []int
	}{
		{"gpt-4", "tiktoken is great!", []int{83, 1609, 5963, 374, 2294, 0}},
		{"gpt-4o", "tiktoken is great!", []int{83, 8251, 2488, 382, 2212, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.model, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tiktoken.ForModel(tt.model).Encode(tt.text)); diff != "" {
				t.Errorf("Encode(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestSpecialMarksArePlainText(t *testing.T) {
	t.Parallel()
	if got := tiktoken.ForModel("gpt-4").Count("<|endoftext|>"); got != 7 {
		t.Errorf("Count = %d, want 7", got)
	}
}

// TestEveryCharacterIsCounted holds that no character is free of charge or lost:
// the library's pattern skips one.
func TestEveryCharacterIsCounted(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"gpt-4", "gpt-4o"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			counter := tiktoken.ForModel(model)
			for first := rune(0); first <= unicode.MaxRune; first += 0x1000 {
				var text strings.Builder
				for r := first; r < first+0x1000; r++ {
					if utf8.ValidRune(r) {
						text.WriteRune(r)
					}
				}
				tokens := counter.Encode(text.String())
				if got := counter.Decode(tokens); got != text.String() {
					t.Errorf("characters from %U are not decoded as they were encoded", first)
				}
				if got := counter.Count(text.String()); got != len(tokens) {
					t.Errorf("characters from %U: Count = %d, Encode has %d tokens", first, got, len(tokens))
				}
			}
		})
	}
}

// TestFit has vectors in real tokens. " word" and "word" are one token each.
func TestFit(t *testing.T) {
	t.Parallel()
	counter := tiktoken.ForModel("gpt-4")
	const marker = " cut"
	fitter, err := budget.NewFitter(counter, budget.Config{Window: budget.MinWindow, Reserve: 500, Marker: marker})
	if err != nil {
		t.Fatal(err)
	}
	fitted, err := fitter.Fit([]budget.Section{{Kind: budget.User, Text: "word" + strings.Repeat(" word", 999)}})
	if err != nil {
		t.Fatal(err)
	}
	// 495 less the conversation's 5 are the room; a message that runs alone has 80 % of it, the
	// message's own 3 and the marker included.
	want := "word" + strings.Repeat(" word", 195) + marker + strings.Repeat(" word", 196)
	if got := fitted.Sections[0].Text; got != want {
		t.Errorf("%d tokens are left, want %d", counter.Count(got), counter.Count(want))
	}
}

// TestHostileTextsAreCounted does not end within the time limit of the tests if the work grows
// with the square of the length.
func TestHostileTextsAreCounted(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	tests := []struct {
		name, unit string
		// least and most are the plausible numbers of bytes for one token.
		least, most int
	}{
		{"one letter", "a", 2, 16},
		{"spaces", " ", 16, 256},
		{"spaces and line ends", " \n", 1, 8},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			counter := tiktoken.ForModel("gpt-4o")
			text := strings.Repeat(tt.unit, size/len(tt.unit))
			n := counter.Count(text)
			if n < len(text)/tt.most || n > len(text)/tt.least {
				t.Errorf("%d bytes have %d tokens, want between %d and %d", len(text), n, len(text)/tt.most, len(text)/tt.least)
			}
		})
	}
}

func BenchmarkCount(b *testing.B) {
	counter := tiktoken.ForModel("gpt-4o")
	text := strings.Repeat("Employees have thirty days of leave in each year. ", 2000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		counter.Count(text)
	}
}
