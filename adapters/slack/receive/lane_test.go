package receive

import (
	"encoding/json"
	"testing"

	"github.com/footnotehq/footnote/adapters/slack/event"
)

func TestEventsOfAThreadShareALane(t *testing.T) {
	t.Parallel()
	const root = `{"event":{"type":"app_mention","channel":"C1","ts":"1.0"}}`
	for _, c := range []struct {
		name    string
		payload string
		other   bool // than that of the thread's first message
	}{
		{name: "the same message as another event", payload: `{"event":{"type":"message","channel":"C1","ts":"1.0"}}`},
		{name: "a reply", payload: `{"event":{"type":"message","channel":"C1","ts":"2.0","thread_ts":"1.0"}}`},
		{name: "an edit", payload: `{"event":{"type":"message","subtype":"message_changed","channel":"C1","ts":"9.0","message":{"ts":"1.0"},"previous_message":{"ts":"1.0"}}}`},
		{name: "an edited reply", payload: `{"event":{"type":"message","subtype":"message_changed","channel":"C1","ts":"9.0","message":{"ts":"2.0","thread_ts":"1.0"},"previous_message":{"ts":"2.0","thread_ts":"1.0"}}}`},
		{name: "a deletion", payload: `{"event":{"type":"message","subtype":"message_deleted","channel":"C1","ts":"9.0","deleted_ts":"1.0"}}`},
		{name: "a deleted reply", payload: `{"event":{"type":"message","subtype":"message_deleted","channel":"C1","ts":"9.0","deleted_ts":"2.0","previous_message":{"ts":"2.0","thread_ts":"1.0"}}}`},
		{name: "a reaction", payload: `{"event":{"type":"reaction_added","item":{"channel":"C1","ts":"1.0"}}}`},
		{name: "another thread", payload: `{"event":{"type":"message","channel":"C1","ts":"3.0"}}`, other: true},
		{name: "another channel", payload: `{"event":{"type":"message","channel":"C2","ts":"1.0"}}`, other: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if same := laneFor(t, c.payload) == laneFor(t, root); same == c.other {
				t.Errorf("shares the lane: %v", same)
			}
		})
	}
	if laneFor(t, `{"event":{"channel":"D1","ts":"1.0"}}`) != laneFor(t, `{"event":{"channel":"D1","ts":"2.0"}}`) {
		t.Error("direct messages do not share a lane")
	}
	if laneFor(t, `not JSON`) != laneFor(t, `{}`) {
		t.Error("what cannot be read has no lane")
	}
}

func laneFor(t *testing.T, payload string) int {
	t.Helper()
	return laneOf(event.Envelope{Payload: json.RawMessage(payload)})
}
