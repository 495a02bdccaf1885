package receive

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
	"io"
	"strings"

	"github.com/footnotehq/footnote/adapters/slack/event"
)

// laneOf returns the index of the worker for an envelope. Events of one thread go to the same
// worker, which keeps them in order. Direct messages and events without a thread are assigned by
// channel. A reaction names only a message, so it may overtake the events of its thread.
func laneOf(e event.Envelope) int {
	type message struct {
		TS       string `json:"ts"`
		ThreadTS string `json:"thread_ts"`
	}
	var where struct {
		Event struct {
			message

			Channel   string  `json:"channel"`
			Message   message `json:"message"` // new state after an edit
			Previous  message `json:"previous_message"`
			DeletedTS string  `json:"deleted_ts"`
			Item      struct {
				message

				Channel string `json:"channel"`
			} `json:"item"`
		} `json:"event"`
		Channel   json.RawMessage `json:"channel"`
		ChannelID string          `json:"channel_id"`
	}
	_ = json.Unmarshal(e.Payload, &where) // an invalid payload may go to any lane
	event := where.Event
	channel := cmp.Or(event.Channel, event.Item.Channel, where.ChannelID, string(where.Channel))
	h := fnv.New32a()
	_, _ = io.WriteString(h, channel) // never fails for a hash
	if !strings.HasPrefix(channel, "D") {
		_, _ = io.WriteString(h, cmp.Or(event.Message.ThreadTS, event.Previous.ThreadTS, event.ThreadTS,
			event.Message.TS, event.Previous.TS, event.DeletedTS, event.Item.TS, event.TS))
	}
	return int(h.Sum32() % lanes)
}
