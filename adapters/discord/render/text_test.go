package render

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
)

func TestTitle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"a question", "How do I reset it?", "How do I reset it?"},
		{"only the first line", "How?\nI tried a lot.", "How?"},
		{"without Markdown", "How does **`x`** work, ~~not~~ _y_?", "How does x work, not y?"},
		{"nothing", " \n ", "Question"},
		{"only Markdown", "***", "Question"},
		{"cut at a word", strings.Repeat("word ", 30), strings.TrimSpace(strings.Repeat("word ", 18)) + "…"},
		{"one long word", strings.Repeat("x", 200), strings.Repeat("x", 89) + "…"},
		{"emoji count twice", strings.Repeat("😀", 60), strings.Repeat("😀", 44) + "…"},
		{"control characters", "a\x00b\u202ec", "abc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Title(tt.text); got != tt.want {
				t.Errorf("title(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

// Discord takes names of 1 to 100 characters.
func FuzzTitle(f *testing.F) {
	f.Add("How do I reset it?")
	f.Add(strings.Repeat("😀 ", 99))
	f.Add("\xff\xfe")
	f.Fuzz(func(t *testing.T, text string) {
		defer hostiletest.Bound(t, len(text), 0)()
		text = strings.ToValidUTF8(text, "?") // as questions are once they are stored
		got := Title(text)
		if n := Units(got); n < 1 || n > 100 || !utf8.ValidString(got) || strings.Contains(got, "\n") {
			t.Errorf("title(%q) = %q with %d units", text, got, n)
		}
	})
}
