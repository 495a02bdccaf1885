package tool_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/tool"
)

func TestHalve(t *testing.T) {
	t.Parallel()
	doc := func(n int, contents string) tool.Document { return tool.Document{Number: n, Contents: contents} }
	three := tool.DocumentsJSON([]tool.Document{doc(1, "a < b"), doc(2, "b"), doc(3, "c")}, "2 more")
	for _, tc := range []struct {
		name, content, want string
		halved              bool
	}{
		{"three documents", three, tool.DocumentsJSON([]tool.Document{doc(1, "a < b"), doc(2, "b")}, ""), true},
		{"one document", tool.DocumentsJSON([]tool.Document{doc(7, "äöüß")}, ""), tool.DocumentsJSON([]tool.Document{doc(7, "äö…")}, ""), true},
		{"no document", tool.DocumentsJSON(nil, "nothing"), tool.DocumentsJSON(nil, "nothing"), false},
		{"text", "This call failed.", "This call failed.", false},
	} {
		if got, halved := tool.Halve(tc.content); got != tc.want || halved != tc.halved {
			t.Errorf("%s: %q, %v", tc.name, got, halved)
		}
	}
}
