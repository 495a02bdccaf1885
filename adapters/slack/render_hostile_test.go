package slack_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
)

// pieces is how many bytes come between two writes: 200 writes are more than an answer of 100 kB gets.
const pieces = 512

// streamed streams a text piece by piece and returns what the messages hold in the end.
func streamed(text string) string {
	view, tail := rendertest.View(rendertest.Cited()...), renderer().Tail()
	var b strings.Builder
	take := func() {
		piece, _ := tail.Next(view)
		b.WriteString(piece.Markdown + strings.Join(piece.Rolls, ""))
	}
	for len(text) > 0 {
		n := min(pieces, len(text))
		view.Apply(packet.Packet{Payload: packet.MessageDelta{Text: text[:n]}})
		text = text[n:]
		take()
	}
	view.Apply(packet.Packet{Payload: packet.Stop{}})
	take()
	return b.String()
}

func rendered(r *slack.Renderer, text string) {
	view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: text})...)
	r.Render(view)
	view.Phase = stream.Done
	r.Render(view)
}

func TestHostileAnswersAreStreamedInLinearTime(t *testing.T) {
	hostiletest.Linear(t, func(text string) { streamed(text) })
}

// One table in an answer must not end the process.
func TestAnswerWithATableOfMissingCellsTakesLittleMemory(t *testing.T) {
	hostiletest.Peak(t, 500<<20, func() {
		table := hostiletest.EmptyRows(50_000)
		for _, text := range []string{table, "> " + strings.ReplaceAll(table, "\n", "\n> "), "- " + strings.ReplaceAll(table, "\n", "\n  ")} {
			if out := streamed(text); strings.Count(out, "a") < strings.Count(text, "a") {
				t.Errorf("%.20q: the text was lost", text)
			}
			rendered(renderer(), text)
		}
	})
}

// What never ends is shown all the same, long before the answer is complete.
func TestUnfinishedTagIsShownWhileItIsWritten(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"<x ", "| a | b |", "<a href='", "*a ", "[a ", "`a "} {
		view, tail := rendertest.View(rendertest.Cited()...), renderer().Tail()
		view.Apply(packet.Packet{Payload: packet.MessageDelta{Text: strings.Repeat(token, 40_000/len(token))}})
		if piece, ok := tail.Next(view); !ok || len(piece.Markdown) < 7000 {
			t.Errorf("of 40 kB of %q only %d bytes are shown", token, len(piece.Markdown))
		}
	}
}

func FuzzHostileAnswer(f *testing.F) {
	for text := range hostiletest.One(2000) {
		f.Add(text.Text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		hostiletest.Bounded(t, text, func() { streamed(text); rendered(renderer(), text) })
	})
}

func TestHostileAnswersAreRenderedInLinearTime(t *testing.T) {
	for name, mrkdwn := range map[string]bool{"blocks": false, "mrkdwn": true} {
		t.Run(name, func(t *testing.T) {
			r := renderer()
			r.Mrkdwn = mrkdwn
			hostiletest.Linear(t, func(text string) { rendered(r, text) })
		})
	}
}
