package index

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSentences(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		want       []string
	}{
		{"plain", "One. Two! Three?", []string{"One. ", "Two! ", "Three?"}},
		{"numbers and names are whole", "Version 3.14 of main.go is out. Use it.", []string{"Version 3.14 of main.go is out. ", "Use it."}},
		{"abbreviations", "Use e.g. Postgres, i.e. J. Doe's. Done.", []string{"Use e.g. Postgres, i.e. J. Doe's. ", "Done."}},
		{"goes on in lower case", "The file etc. is read. Then it ends.", []string{"The file etc. is read. ", "Then it ends."}},
		{"quotes", `He said "Stop." Then he left. (Twice.) Really…`, []string{`He said "Stop." `, "Then he left. ", "(Twice.) ", "Really…"}},
		{"scripts without spaces", "これは文。次の文！終わり", []string{"これは文。", "次の文！", "終わり"}},
		{"no mark", "no mark at all", []string{"no mark at all"}},
		{"nothing", "", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, pick(tt.text, sentences(tt.text))); diff != "" {
				t.Errorf("sentences(%q) (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func pick(text string, lengths []int) []string {
	var parts []string
	for _, n := range lengths {
		parts, text = append(parts, text[:n]), text[n:]
	}
	return parts
}

func TestCutsLoseNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-zA-Z .!?。\n\-]*`)).Draw(t, "text")
		for name, cut := range map[string]func(string) []int{"sentences": sentences, "lines": lines, "items": items} {
			if got := strings.Join(pick(text, cut(text)), ""); got != text {
				t.Fatalf("%s of %q give %q", name, text, got)
			}
		}
	})
}

// perWord counts a token for each space that begins a piece, and one for a piece that begins
// without.
type perWord struct{ calls int }

func (p *perWord) Count(text string) int {
	p.calls++
	return len(strings.Fields(text))
}

func TestMeterRemembers(t *testing.T) {
	t.Parallel()
	counter := &perWord{}
	m := meter{counter: counter}
	text := strings.Repeat("all work and no play ", 1000) + strings.Repeat("x", 100)
	for range 3 {
		if got := m.count(text); got != 5001 {
			t.Fatalf("count() = %d, want 5001", got)
		}
	}
	if counter.calls > 10 {
		t.Errorf("the counter was called %d times for six different pieces", counter.calls)
	}
}
