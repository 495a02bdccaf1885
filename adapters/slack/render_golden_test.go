package slack_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
	"github.com/google/go-cmp/cmp"
)

func renderer() *slack.Renderer {
	return &slack.Renderer{
		Now:   func() time.Time { return rendertest.Now },
		Links: func(address string) bool { return strings.HasPrefix(address, "https://docs.example") },
	}
}

// TestCorpus renders each text of the corpus in every form that Slack is sent.
func TestCorpus(t *testing.T) {
	t.Parallel()
	rendertest.Corpus(t, func(t *testing.T, view *stream.View) string {
		standard, fallback := renderer(), renderer()
		fallback.Mrkdwn = true
		var b strings.Builder
		for _, p := range standard.Render(view) {
			fmt.Fprintf(&b, "== markdown\n%s\n", p.Markdown)
		}
		for _, p := range fallback.Render(view) {
			fmt.Fprintf(&b, "== mrkdwn\n%s\n", strings.Join(p.Sections, "\n== section\n"))
		}
		for _, p := range standard.Render(view) {
			text, _, _ := strings.Cut(p.Text, "\nSources:")
			fmt.Fprintf(&b, "== text\n%s\n", text)
		}
		piece, _ := standard.Tail().Next(view)
		if diff := cmp.Diff(standard.Render(view)[0].Markdown, piece.Markdown); diff != "" {
			t.Errorf("a stream shows something else than a message (-message +stream):\n%s", diff)
		}
		return b.String()
	})
}

func TestStrangersAreCode(t *testing.T) {
	t.Parallel()
	rendertest.CheckStrangers(t, func(markdown string) string {
		view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: markdown})...)
		view.Phase = stream.Done
		fallback := renderer()
		fallback.Mrkdwn = true
		piece, _ := renderer().Tail().Next(view)
		return renderer().Render(view)[0].Markdown + "\n\n" + strings.Join(fallback.Render(view)[0].Sections, "\n") + "\n\n" + piece.Markdown
	})
}

func TestInvisibleCharactersAreTakenOut(t *testing.T) {
	t.Parallel()
	rendertest.CheckInvisible(t, func(markdown string) string {
		view := rendertest.View(packet.MessageDelta{Text: markdown})
		view.Phase = stream.Done
		return renderer().Render(view)[0].Markdown
	})
}
