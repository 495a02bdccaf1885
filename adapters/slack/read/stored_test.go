package read

import (
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/answer/policy"
	api "github.com/slack-go/slack"
)

// Slack keeps a tombstone in the place of a deleted message that has replies.
func TestTombstoneThatIsReadIsADeletedMessage(t *testing.T) {
	t.Parallel()
	w, err := call.NewWorkspace(call.Config{BotToken: "xoxb-1"})
	if err != nil {
		t.Fatal(err)
	}
	for subtype, want := range map[string]policy.Change{"": policy.Created, "tombstone": policy.Deleted} {
		m := NewReader(w).stored("D1", api.Message{Msg: api.Msg{SubType: subtype, User: "USLACKBOT", Text: "This message was deleted.", Timestamp: "1700000000.000100"}})
		if m.Change != want {
			t.Errorf("subtype %q: change %d, want %d", subtype, m.Change, want)
		}
	}
}
