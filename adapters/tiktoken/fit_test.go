package tiktoken_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/footnotehq/footnote/adapters/tiktoken"
	"github.com/footnotehq/footnote/core/budget"
)

var fitText = rapid.Custom(func(t *rapid.T) string {
	parts := []string{
		"Employees have thirty days of leave. ", "今天天气很好", "👩‍👩‍👧‍👦", "🛑", "ü", "e\u0301", "\n\n", "    ",
		`{"document":1,"title":"Leave"}`, "supercalifragilistic", "\x7f", "مرحبا ",
	}
	text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 1, 8).Draw(t, "parts"), "")
	return strings.Repeat(text, rapid.IntRange(0, 60).Draw(t, "repeat"))
})

// TestFitInRealTokens checks the total with a vocabulary in which the tokens of
// joined texts are not those of their parts, and in which tokens tear runes.
func TestFitInRealTokens(t *testing.T) {
	t.Parallel()
	counter := tiktoken.ForModel("gpt-4")
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.IntRange(budget.MinWindow, 5000).Draw(t, "window")
		fitter, err := budget.NewFitter(counter, budget.Config{Window: window})
		if err != nil {
			t.Fatal(err)
		}
		kinds := []budget.Kind{
			budget.System, budget.Tools, budget.History, budget.History, budget.Agent, budget.Project,
			budget.User, budget.ToolCall, budget.ToolResult, budget.ToolResult, budget.Reminder,
		}
		var sections []budget.Section
		for _, kind := range kinds {
			section := budget.Section{Kind: kind, Group: 2, Text: fitText.Draw(t, kind.String())}
			if kind == budget.History {
				section.Group = 1
			}
			sections = append(sections, section)
		}
		got, err := fitter.Fit(sections)
		if err != nil {
			t.Fatal(err)
		}
		total := 5
		for _, k := range got.Sections {
			total += 3 + counter.Count(k.Text)
			if !utf8.ValidString(k.Text) {
				t.Fatalf("section %d is not valid UTF-8: %q", k.Index, k.Text)
			}
		}
		if total != got.Report.After || total > got.Report.Limit {
			t.Fatalf("%d tokens, reported %d, limit %d", total, got.Report.After, got.Report.Limit)
		}
	})
}

// TestFitAHugeTurn fits what no window holds; it does not end within the time limit
// of the tests if a text is tokenised again for each token that is taken out.
func TestFitAHugeTurn(t *testing.T) {
	t.Parallel()
	fitter, err := budget.NewFitter(tiktoken.ForModel("gpt-4o"), budget.Config{Window: 8192, Reserve: 1024})
	if err != nil {
		t.Fatal(err)
	}
	huge := strings.Repeat("Employees have thirty days of leave in each year. ", 4000)
	got, err := fitter.Fit([]budget.Section{
		{Kind: budget.System, Text: huge},
		{Kind: budget.User, Text: huge},
		{Kind: budget.ToolResult, Text: huge},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Report.After > 8192-1024 || len(got.Sections) != 3 {
		t.Errorf("%d sections with %d tokens, want 3 with at most %d", len(got.Sections), got.Report.After, 8192-1024)
	}
}

func FuzzCounter(f *testing.F) {
	for _, seed := range []string{"", "plain words", "\x7f\x00", "\xff\xc3(", "<|endoftext|>", "今天\u0301 🛑\r\n", strings.Repeat(" \n", 400)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		counter := tiktoken.ForModel("gpt-4o")
		tokens := counter.Encode(text)
		if got := counter.Count(text); got != len(tokens) {
			t.Errorf("Count(%q) = %d, Encode has %d tokens", text, got, len(tokens))
		}
		if got := counter.Decode(tokens); utf8.ValidString(text) && got != text {
			t.Errorf("Decode(Encode(%q)) = %q", text, got)
		}
	})
}
