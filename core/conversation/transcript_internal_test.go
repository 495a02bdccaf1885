package conversation

import (
	"testing"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/google/go-cmp/cmp"
)

func TestEarlierMessages(t *testing.T) {
	t.Parallel()
	all, since := &chat.Reading{}, func(id thread.MessageID) *chat.Reading { return &chat.Reading{After: id} }
	for _, tt := range []struct {
		name      string
		mentioned bool
		thread    session.Thread
		want      *chat.Reading
	}{
		{"a mention after messages to others", true, session.Thread{Known: true, LastSeen: "400", CaughtUp: "300"}, since("300")},
		{"a mention after nothing", true, session.Thread{Known: true, LastSeen: "300", CaughtUp: "300"}, nil},
		{"a reply after messages to others", false, session.Thread{Known: true, LastSeen: "400", CaughtUp: "300"}, nil},
		{"a mention in a thread of the bot", true, session.Thread{Known: true, LastSeen: "400"}, since("100")},
		{"a mention in a thread that was not read", true, session.Thread{Known: true, LastSeen: "400", CaughtUp: session.Unread}, all},
		{"a reply in a thread that was not read", false, session.Thread{Known: true, LastSeen: "400", CaughtUp: session.Unread}, nil},
		{"a reply in a thread whose messages changed", false, session.Thread{Known: true, LastSeen: "400", CaughtUp: session.Stale}, all},
	} {
		m := chat.Message{ID: "500"}
		m.Ref.Thread, m.InThread, m.Mentioned = "100", true, tt.mentioned
		if diff := cmp.Diff(tt.want, earlierMessages(m, answer.Judgement{Thread: tt.thread})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
