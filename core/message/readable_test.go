package message_test

import (
	"slices"
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"pgregory.net/rapid"
)

// Whatever the audience may read, nothing that rests on another document is left, and everything
// else is.
func TestReadable(t *testing.T) {
	t.Parallel()
	ids := rapid.SampledFrom([]document.ID{"a", "b", "c"})
	rapid.Check(t, func(t *rapid.T) {
		var history []message.Message
		hidden := make(map[int]bool)
		allowed := rapid.SliceOf(ids).Draw(t, "allowed")
		may := func(id document.ID) bool { return slices.Contains(allowed, id) }
		for turn := range rapid.IntRange(0, 6).Draw(t, "turns") {
			answer := message.Message{Turn: turn, Role: message.Assistant}
			for _, id := range rapid.SliceOfN(ids, 0, 3).Draw(t, "documents") {
				answer.Documents = append(answer.Documents, message.Reference{Document: document.Ref{ID: id}})
				hidden[turn] = hidden[turn] || !may(id)
			}
			for _, id := range rapid.SliceOfN(ids, 0, 1).Draw(t, "citations") {
				answer.Citations = append(answer.Citations, message.Citation{Document: document.Ref{ID: id}})
				hidden[turn] = hidden[turn] || !may(id)
			}
			history = append(history, message.Message{Turn: turn, Role: message.User}, message.Message{Turn: turn, Role: message.ToolCall},
				message.Message{Turn: turn, Role: message.ToolResult}, answer)
		}
		before := slices.Clone(history)
		got := message.Readable(history, may)
		want := 0
		for _, m := range history {
			if m.Role == message.User || !hidden[m.Turn] {
				want++
			}
		}
		if len(got) != want || len(history) != len(before) {
			t.Fatalf("%d messages are left of %d, want %d", len(got), len(before), want)
		}
		for _, m := range got {
			for _, r := range m.Documents {
				if !may(r.Document.ID) {
					t.Fatalf("document %s is left", r.Document.ID)
				}
			}
		}
	})
}
