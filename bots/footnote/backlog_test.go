package main_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

// After the embedding model has changed, the doctor and the next run say how many chunks are to be
// embedded and what that costs: in money where the model has a price, else in tokens.
func TestChunksToEmbedAreCountedAndPriced(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	p := withPrices(t, server, "    dear-embedding: {embedding: 50000}\n")
	docs := handbook(t)
	p.run(t, "index", docs)
	if r := p.run(t, "doctor"); strings.Contains(r.stdout, "have no vector") {
		t.Errorf("with every vector there the doctor says:\n%s", r.stdout)
	}
	asked := len(server.Requests())
	for _, tt := range []struct {
		name, model, size string
	}{
		{"with a price", "dear-embedding", `\(about [1-9]\d* tokens, \d+\.\d+ EUR\)`},
		{"without a price", "free-embedding", `\(about [1-9]\d* tokens\)`},
		{"in the program", "", ``},
	} {
		with := p.with("EMBEDDING_MODEL=" + tt.model)
		chunks := `\d+ chunks`
		if tt.size != "" {
			chunks += " " + tt.size
		}
		if r := with.run(t, "doctor"); !regexp.MustCompile(`(?m)^✓ embedder: .*; ` + chunks + ` have no vector of it yet`).MatchString(r.stdout) {
			t.Errorf("%s the doctor says:\n%s", tt.name, r.stdout)
		}
		if r := with.run(t, "index", docs); !regexp.MustCompile(`(?m)^Embedding ` + chunks + ` with \S+$`).MatchString(r.stderr) {
			t.Errorf("%s the run says:\n%s", tt.name, r.stderr)
		}
		if r := with.run(t, "index", docs); strings.Contains(r.stderr, "Embedding") {
			t.Errorf("%s the run after that says:\n%s", tt.name, r.stderr)
		}
	}
	if n := len(server.Requests()) - asked; n < 2 {
		t.Errorf("%d requests for the vectors of two models", n)
	}
}
