package console_test

import (
	"strconv"
	"testing"

	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/core/packet"
)

// printed prints a text in pieces of n bytes.
func printed(text string, n int) {
	view, tail := rendertest.View(rendertest.Cited()...), (&console.Renderer{Terminal: true, Width: 80}).Tail()
	for len(text) > 0 {
		n := min(n, len(text))
		view.Apply(packet.Packet{Payload: packet.MessageDelta{Text: text[:n]}})
		text = text[n:]
		tail(view)
	}
	view.Apply(packet.Packet{Payload: packet.Stop{}})
	tail(view)
}

func TestHostileAnswersArePrintedInLinearTime(t *testing.T) {
	for _, n := range []int{1, 64} {
		t.Run(strconv.Itoa(n), func(t *testing.T) { hostiletest.Linear(t, func(text string) { printed(text, n) }) })
	}
}

func FuzzHostileAnswer(f *testing.F) {
	for text := range hostiletest.One(2000) {
		f.Add(text.Text)
	}
	f.Fuzz(func(t *testing.T, text string) { hostiletest.Bounded(t, text, func() { printed(text, 1) }) })
}
