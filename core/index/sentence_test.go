package index

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/footnotehq/footnote/core/document"
)

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
		for name, cut := range map[string]func(string) []int{"sentences": document.Sentences, "lines": lines, "items": items} {
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
