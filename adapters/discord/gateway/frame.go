package gateway

import (
	"encoding/json"
	"slices"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
)

// maxFrame bounds a packet of the gateway. The largest describe a server with all of its channels,
// roles and emojis.
const maxFrame = 8 << 20

// Limits of what the client decodes. An event that exceeds them is not handed to it.
var (
	largeEvents = boundedjson.Limits{Bytes: maxFrame, Elements: 200_000, Depth: 32}
	// a message has 64 KiB at most
	events = boundedjson.Limits{Bytes: 256 << 10, Elements: 20_000, Depth: 32}
)

// large are the kinds of events that describe servers or lists of people.
var large = []string{"READY", "GUILD_CREATE", "GUILD_UPDATE", "GUILD_MEMBERS_CHUNK", "GUILD_EMOJIS_UPDATE", "GUILD_STICKERS_UPDATE",
	"THREAD_LIST_SYNC"}

// frame is what the relay reads of a gateway packet.
type frame struct {
	Op   int             `json:"op"`
	Seq  *int64          `json:"s"`
	Type string          `json:"t"`
	Data json.RawMessage `json:"d"`
}

// readFrame reads a packet, which is text: the bot asks for no compression.
func readFrame(data []byte) (p frame, err error) {
	err = json.Unmarshal(data, &p)
	return p, err
}

// fits reports whether an event is small enough to be handed to the client.
func (p frame) fits(data []byte) bool {
	if slices.Contains(large, p.Type) {
		return largeEvents.Check(data) == nil
	}
	return events.Check(data) == nil
}
