package discord_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/core/packet"
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

func TestStrangersAreCode(t *testing.T) {
	t.Parallel()
	rendertest.CheckStrangers(t, func(markdown string) string {
		view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: markdown})...)
		view.Phase = stream.Done
		content, _, _ := strings.Cut(renderer().Render(view)[0].Content, "\n\n-# **Sources**")
		return content
	})
}

func TestInvisibleCharactersAreTakenOut(t *testing.T) {
	t.Parallel()
	rendertest.CheckInvisible(t, func(markdown string) string {
		view := rendertest.View(packet.MessageDelta{Text: markdown})
		view.Phase = stream.Done
		return renderer().Render(view)[0].Content
	})
}
