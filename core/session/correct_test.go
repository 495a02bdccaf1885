package session_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
)

func TestCorrectionKeepsItsFootnotes(t *testing.T) {
	t.Parallel()
	answer := message.Message{Role: message.Assistant, Turn: 3, Citations: []message.Citation{
		{Number: 1, ModelSees: 7, Document: document.Ref{ID: "a"}, Link: "https://docs.example/a b"},
		{Number: 2, ModelSees: 4, Document: document.Ref{ID: "b"}, Link: "https://docs.example/b"},
	}, Documents: []message.Reference{{Number: 7, Document: document.Ref{ID: "a"}}, {Number: 9, Document: document.Ref{ID: "c"}}}}
	for _, tt := range []struct {
		name, text, shown, model string
		cited                    []document.ID
	}{
		{"none", "Plain.", "Plain.", "Plain.", nil},
		{"all, in another order", "B [[2]](https://docs.example/b), A [[1]](https://docs.example/a%20b), B [[2]](https://docs.example/b).",
			"B [[1]](https://docs.example/b), A [[2]](https://docs.example/a%20b), B [[1]](https://docs.example/b).", "B [4], A [7], B [4].",
			[]document.ID{"b", "a"}},
		{"bent to another address", "A [[1]](https://evil.example).", "A [[1]](https://evil.example).", "A https://evil.example.", nil},
		{"a number of nobody", "A [[9]](https://docs.example/b).", "A [[9]](https://docs.example/b).", "A https://docs.example/b.", nil},
		{"a link of the person's own", "See [the wiki](https://wiki.example).", "See [the wiki](https://wiki.example).", "See [the wiki](https://wiki.example).", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := session.Correction{Text: tt.text}
			shown, cited := c.Shown(answer)
			if shown != tt.shown || len(cited) != len(tt.cited) {
				t.Fatalf("shown is %q with %+v", shown, cited)
			}
			for i, id := range tt.cited {
				if cited[i].Document.ID != id || cited[i].Number != i+1 {
					t.Errorf("source %d is %+v, want %s", i+1, cited[i], id)
				}
			}
			m := c.Message(session.Run{Messages: []message.Message{answer}})
			if m.Text != tt.model || m.Turn != 3 || m.Role != message.Assistant || len(m.Documents) != 2 {
				t.Errorf("the model is given %+v, want %q", m, tt.model)
			}
		})
	}
}
