package discord_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/core/stream"
)

func renderer() *discord.Renderer {
	return &discord.Renderer{
		Now:   func() time.Time { return rendertest.Now },
		Links: func(address string) bool { return strings.HasPrefix(address, "https://docs.example") },
	}
}

// TestCorpus renders each text of the corpus in the form that Discord is sent.
func TestCorpus(t *testing.T) {
	t.Parallel()
	rendertest.Corpus(t, func(_ *testing.T, view *stream.View) string {
		var b strings.Builder
		for _, p := range renderer().Render(view) {
			content, _, _ := strings.Cut(p.Content, "\n\n-# **Sources**")
			fmt.Fprintf(&b, "== page\n%s\n", content)
		}
		return b.String()
	})
}
