package main_test

import (
	"strings"
	"testing"
)

// The program's own sentence model tells questions about other matters from those that documents
// answer, unless a setting or little memory leaves it out.
func TestSentenceModelDecidesWhetherToQuote(t *testing.T) {
	t.Parallel()
	p := newProgram(t)
	p.run(t, "index", folder(t, map[string]string{
		"rack.md": "# Racks\n\nTo move a server to another rack, shut it down first and take out both cables. The ticket says which cable belongs to which port.",
	}))
	const answerable, elsewhere = "How do I move a server to another rack?", "Who takes the ticket at the cable car?"
	for name, tt := range map[string]struct {
		env, question string
		quotes        bool
	}{
		"on topic":                 {"EMBEDDER=", answerable, true},
		"off topic":                {"EMBEDDER=", elsewhere, false},
		"off topic, by words":      {"EMBEDDER=words", elsewhere, true},
		"off topic, little memory": {"GOMEMLIMIT=200MiB", elsewhere, true},
	} {
		got := p.with("EMBEDDER=", tt.env).run(t, "ask", tt.question)
		if quotes := strings.Contains(got.stdout, "shut it down") || strings.Contains(got.stdout, "which port"); quotes != tt.quotes {
			t.Errorf("%s: %q", name, got.stdout)
		}
	}
}
