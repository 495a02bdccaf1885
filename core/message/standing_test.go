package message_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
)

func TestStands(t *testing.T) {
	t.Parallel()
	const text = "ann: where is the toner?\n\nbob: in the  blue\ncupboard\n\neve: thanks"
	for shown, want := range map[string]bool{
		"bob: in the blue cupboard": true, "ann: where is the toner?\n\neve: thanks": true, "cupboard\n\neve:": true, "": true,
		"bob: in the red cupboard": false, "ann: where is the toner?\n\nbob: in the wardrobe": false,
	} {
		if got := message.Stands(shown, text); got != want {
			t.Errorf("%q stands: %v", shown, got)
		}
	}
}

// An answer whose prompt held what was taken back is left out with its turn, and so are later ones
// that had the document from it; questions stay.
func TestStandingLeavesOutWhatWasTakenBack(t *testing.T) {
	t.Parallel()
	thread := document.Ref{ID: "thread"}
	turn := func(n int, documents ...message.Reference) []message.Message {
		return []message.Message{{Turn: n, Role: message.User}, {Turn: n, Role: message.ToolCall}, {Turn: n, Role: message.Assistant, Documents: documents}}
	}
	history := append(turn(1, message.Reference{Number: 1, Document: thread, Text: "gone"}, message.Reference{Number: 2, Document: thread, Text: "there"}),
		append(turn(2, message.Reference{Number: 1, Document: thread}), turn(3, message.Reference{Number: 2, Document: thread})...)...)
	kept := message.Standing(history, func(r message.Reference) bool { return r.Text == "gone" })
	var turns []int
	for _, m := range kept {
		if m.Role != message.User {
			turns = append(turns, m.Turn)
		}
	}
	if len(kept) != 5 || len(turns) != 2 || turns[0] != 3 {
		t.Errorf("left are %+v", kept)
	}
	if got := message.Standing(history, func(message.Reference) bool { return false }); len(got) != len(history) {
		t.Errorf("nothing was taken back, and left are %d of %d", len(got), len(history))
	}
}
