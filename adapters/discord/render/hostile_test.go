package render_test

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
)

func rendered(text string) {
	view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: text})...)
	r := render.Renderer{}
	r.Render(view)
	view.Phase = stream.Done
	r.Render(view)
}

func TestHostileAnswersAreRenderedInLinearTime(t *testing.T) { hostiletest.Linear(t, rendered) }

func FuzzHostileAnswer(f *testing.F) {
	for text := range hostiletest.One(2000) {
		f.Add(text.Text)
	}
	f.Fuzz(func(t *testing.T, text string) { hostiletest.Bounded(t, text, func() { rendered(text) }) })
}
