package conversation_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/conversation"
)

func TestTranscript(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		said []conversation.Said
		more bool
		want string
	}{
		{"nothing", nil, false, ""},
		{"who said what", []conversation.Said{{Author: "Ann\nB.", Text: "It hums."}, {Bot: true, Text: "42"}, {Text: "So?"}}, false, "Ann B.: It hums.\nA bot: 42\nSomeone: So?"},
		{"files", []conversation.Said{{Author: "Ann", Files: []string{"a b.txt", "c\n.txt"}}, {Author: "Bob"}}, false, "Ann:  [file: a b.txt] [file: c .txt]"},
		{"not all of it", []conversation.Said{{Author: "Ann", Text: "x"}}, true, "(Not all of it could be read.)\nAnn: x"},
	} {
		file, ok := conversation.Transcript("Earlier", tt.said, tt.more)
		if ok != (tt.want != "") || file.Text != tt.want {
			t.Errorf("%s: %q, %t, want %q", tt.name, file.Text, ok, tt.want)
		}
	}
	long, _ := conversation.Transcript("Earlier", []conversation.Said{{Author: "Ann", Text: strings.Repeat("ä", 30_000) + " the end"}}, false)
	if n := len([]rune(long.Text)); n > 24_100 || !strings.HasSuffix(long.Text, "the end") || !strings.HasPrefix(long.Text, "(Not all") {
		t.Errorf("of a long thread %d characters are kept, from %.40q", n, long.Text)
	}
}
