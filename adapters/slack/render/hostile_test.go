package render_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/stream"
)

// pieces is how many bytes come between two writes: 200 writes are more than an answer of 100 kB
// gets.
const pieces = 512

// streamed streams a text in pieces of n bytes and returns what the messages hold in the end.
func streamed(text string, n int) string {
	view, tail := rendertest.View(rendertest.Cited()...), renderer().Tail()
	var b strings.Builder
	take := func() {
		piece, _ := tail(view)
		b.WriteString(piece.Markdown + strings.Join(piece.Rolls, ""))
	}
	for len(text) > 0 {
		n := min(n, len(text))
		view.Apply(packet.Packet{Payload: packet.MessageDelta{Text: text[:n]}})
		text = text[n:]
		take()
	}
	view.Apply(packet.Packet{Payload: packet.Stop{}})
	take()
	return b.String()
}

func rendered(text string, form stream.Form) {
	view := rendertest.View(append(rendertest.Cited(), packet.MessageDelta{Text: text})...)
	view.Form = form
	renderer().Render(view)
	view.Phase = stream.Done
	renderer().Render(view)
}

func TestHostileAnswersAreStreamedInLinearTime(t *testing.T) {
	hostiletest.Linear(t, func(text string) { streamed(text, pieces) })
}

// A platform that takes every byte by itself costs little more, and is told all the same.
func TestHostileAnswersCutAtEveryByteAreStreamedInLinearTime(t *testing.T) {
	hostiletest.Linear(t, func(text string) { streamed(text, 1) })
}

func TestAnswerThatIsAskedForTooOftenIsShownAllTheSame(t *testing.T) {
	t.Parallel()
	text := strings.Repeat(strings.Repeat("some words that go on and on, ", 300)+"\n\n", 20)
	view, tail, shown, late := rendertest.View(rendertest.Cited()...), renderer().Tail(), 0, 0
	for i := range len(text) {
		view.Apply(packet.Packet{Payload: packet.MessageDelta{Text: text[i : i+1]}})
		piece, _ := tail(view)
		shown += len(piece.Markdown + strings.Join(piece.Rolls, ""))
		late = max(late, i-shown)
	}
	if late > 8<<10 {
		t.Errorf("%d bytes were not shown", late)
	}
}

// One table in an answer must not end the process.
func TestAnswerWithATableOfMissingCellsTakesLittleMemory(t *testing.T) {
	hostiletest.Peak(t, 500<<20, func() {
		table := hostiletest.EmptyRows(50_000)
		for _, text := range []string{table, "> " + strings.ReplaceAll(table, "\n", "\n> "), "- " + strings.ReplaceAll(table, "\n", "\n  ")} {
			if out := streamed(text, pieces); strings.Count(out, "a") < strings.Count(text, "a") {
				t.Errorf("%.20q: the text was lost", text)
			}
			rendered(text, stream.Whole)
		}
	})
}

// What never ends is shown all the same, long before the answer is complete.
func TestUnfinishedTagIsShownWhileItIsWritten(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"<x ", "| a | b |", "<a href='", "*a ", "[a ", "`a "} {
		view, tail := rendertest.View(rendertest.Cited()...), renderer().Tail()
		view.Apply(packet.Packet{Payload: packet.MessageDelta{Text: strings.Repeat(token, 40_000/len(token))}})
		if piece, ok := tail(view); !ok || len(piece.Markdown) < 7000 {
			t.Errorf("of 40 kB of %q only %d bytes are shown", token, len(piece.Markdown))
		}
	}
}

func FuzzHostileAnswer(f *testing.F) {
	for text := range hostiletest.One(2000) {
		f.Add(text.Text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		hostiletest.Bounded(t, text, func() { streamed(text, pieces); streamed(text, 64); rendered(text, stream.Whole) })
	})
}

func TestHostileAnswersAreRenderedInLinearTime(t *testing.T) {
	for name, form := range map[string]stream.Form{"blocks": stream.Whole, "mrkdwn": stream.Bare} {
		t.Run(name, func(t *testing.T) {
			hostiletest.Linear(t, func(text string) { rendered(text, form) })
		})
	}
}
