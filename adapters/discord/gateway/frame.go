package gateway

import (
	"encoding/json"
	"slices"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
)

// maxFrame is the largest accepted gateway packet, in bytes. The largest packets describe a server
// with all its channels, roles and emojis.
const maxFrame = 8 << 20

// These are the size limits for decoding events. Larger events are dropped.
var (
	largeEvents = boundedjson.Limits{Bytes: maxFrame, Elements: 200_000, Depth: 32}
	// events is the limit for the event types that are not in large. A message has at most 64 KiB.
	events = boundedjson.Limits{Bytes: 256 << 10, Elements: 20_000, Depth: 32}
)

// large lists the event types to which largeEvents applies. They contain whole servers or lists of
// people.
var large = []string{"READY", "GUILD_CREATE", "GUILD_UPDATE", "GUILD_MEMBERS_CHUNK", "GUILD_EMOJIS_UPDATE", "GUILD_STICKERS_UPDATE",
	"THREAD_LIST_SYNC"}

type frame struct {
	Op   int             `json:"op"`
	Seq  *int64          `json:"s"`
	Type string          `json:"t"`
	Data json.RawMessage `json:"d"`
}

// readFrame parses a packet. Packets are always text, because the bot requests no compression.
func readFrame(data []byte) (p frame, err error) {
	err = json.Unmarshal(data, &p)
	return p, err
}

func (p frame) fits(data []byte) bool {
	if slices.Contains(large, p.Type) {
		return largeEvents.Check(data) == nil
	}
	return events.Check(data) == nil
}
