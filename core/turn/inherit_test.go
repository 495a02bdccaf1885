package turn_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/message"
)

// An answer that repeats an earlier one without searching again is hidden together with it.
func TestAnswerInheritsHistoryDocuments(t *testing.T) {
	t.Parallel()
	first := ask("Who is on the list?", llmtest.Native(searching("1"), llmtest.Answer("Ada and Bob [1].")))
	report, _ := first.run(t, t.Context())
	history := append([]message.Message{{Turn: 1, Role: message.User, Text: "Who is on the list?"}}, report.Best().Messages(1, first.request.Now)...)
	for turn, question := range []string{"Say it again.", "And again."} {
		s := ask(question, llmtest.Native(llmtest.Answer("Ada and Bob.")))
		s.request.History = history
		report, _ := s.run(t, t.Context())
		history = append(history, message.Message{Turn: turn + 2, Role: message.User, Text: question})
		history = append(history, report.Best().Messages(turn+2, s.request.Now)...)
	}
	for _, m := range message.Readable(history[:len(history):len(history)], func(id document.ID) bool { return id != "docs:replication" }) {
		if m.Role != message.User {
			t.Errorf("turn %d still says %q", m.Turn, m.Text)
		}
	}
	// The next turn no longer has the first one, which was cut off with the rest of the long history.
	for _, m := range message.Readable(history[len(history)-2:], func(id document.ID) bool { return id != "docs:replication" }) {
		if m.Role != message.User {
			t.Errorf("turn %d still says %q without the first turn", m.Turn, m.Text)
		}
	}
}
