package receive

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/chat"
	"github.com/google/go-cmp/cmp"
)

// Sources find new messages of a channel themselves, but not what changes, nor replies to old
// threads.
func TestChangesThatSourcesDoNotFindAreReported(t *testing.T) {
	t.Parallel()
	now, old := fmt.Sprintf("%d.000001", time.Now().Unix()), fmt.Sprintf("%d.000001", time.Now().Add(-20*24*time.Hour).Unix())
	reported := func(key string, urgent bool) []chat.Changed {
		return []chat.Changed{{Workspace: "T1", Channel: "C1", Key: key, Urgent: urgent}}
	}
	tests := []struct {
		name, event string
		want        []chat.Changed
	}{
		{"new", `{"type":"message","channel":"C1","user":"U1","text":"hi","ts":"` + now + `"}`, nil},
		{"reply to an old thread", `{"type":"message","channel":"C1","user":"U1","text":"hi","ts":"` + now + `","thread_ts":"` + old + `"}`, reported(old, false)},
		{"edited", `{"type":"message","subtype":"message_changed","channel":"C1","message":{"user":"U1","text":"hi","ts":"` + now + `"}}`, reported(now, true)},
		{"deleted", `{"type":"message","subtype":"message_deleted","channel":"C1","deleted_ts":"` + now + `","previous_message":{"user":"U1","text":"hi"}}`, reported(now, true)},
		{"an unfurl", `{"type":"message","subtype":"message_changed","channel":"C1","message":{"user":"U1","text":"hi","ts":"` + now + `"},` +
			`"previous_message":{"user":"U1","text":"hi","ts":"` + now + `"}}`, nil},
		{"own one edited", `{"type":"message","subtype":"message_changed","channel":"C1","message":{"user":"U0BOT","text":"hi","ts":"` + now + `"}}`, nil},
		{"edited in a direct message", `{"type":"message","subtype":"message_changed","channel":"D1","message":{"user":"U1","text":"hi","ts":"` + now + `"}}`, nil},
		{"a channel that became private", `{"type":"channel_converted_to_private","channel":"C1"}`, reported("", true)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []chat.Changed
			_, err := connected(t).handle(t.Context(), func(_ context.Context, e chat.Event) (chat.Reply, error) {
				if e.Changed != nil {
					got = append(got, *e.Changed)
				}
				return chat.Reply{}, nil
			}, "events_api", []byte(`{"team_id":"T1","event_id":"Ev1","event":`+tt.event+`}`))
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("changes (-want +got), error %v:\n%s", err, diff)
			}
		})
	}
}
