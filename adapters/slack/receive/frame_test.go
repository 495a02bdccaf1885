package receive

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/boundedjson"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/core/footprint/footprinttest"
	"golang.org/x/sync/errgroup"
)

// hostile are payloads that are small and become large, or are too large.
func hostile() map[string]string {
	message := func(before, again string, times int, after string) string {
		return `{"type":"event_callback","team_id":"T1","event":{"type":"message","channel":"C1","user":"U1","ts":"1.1",` + before +
			strings.Repeat(again, times) + after + `}}`
	}
	return map[string]string{
		"files":          message(`"files":[`, "{},", 300_000, "{}]"),
		"blocks":         message(`"blocks":[`, "{},", 300_000, "{}]"),
		"as allowed":     message(`"files":[`, "{},", 14_000, "{}]"),
		"attachments":    message(`"attachments":[`, `{"blocks":[{}]},`, 60_000, "{}]"),
		"depth":          message(`"blocks":`, "[", 9_000, strings.Repeat("]", 9_000)),
		"text":           message(`"text":"`, "a", event.MaxPayload, `"`),
		"authorizations": `{"type":"event_callback","team_id":"T1","authorizations":[` + strings.Repeat("{},", 300_000) + `{}],"event":{"type":"message"}}`,
	}
}

func TestHandleDropsHostilePayloads(t *testing.T) {
	t.Parallel()
	for name, payload := range hostile() {
		h := &heard{}
		if _, err := connected(t).handle(t.Context(), h.handle, "events_api", []byte(payload)); err != nil {
			t.Errorf("%s: %v; Slack would deliver it again", name, err)
		}
		if taken := len(h.Events) > 0; taken != (name == "as allowed") {
			t.Errorf("%s: taken in: %v", name, taken)
		}
	}
}

func TestDecodeRefusesTooManyElements(t *testing.T) {
	t.Parallel()
	_, err := event.Decode[event.Callback]("an event", []byte(hostile()["files"]))
	if err == nil || !strings.Contains(err.Error(), boundedjson.ErrLimit.Error()) {
		t.Errorf("error %v", err)
	}
	if !json.Valid([]byte(hostile()["files"])) {
		t.Error("the payload is refused for another reason")
	}
}

func TestLittleMemorySlackPayloads(t *testing.T) {
	footprinttest.Limited(t, 256<<20, func(t *testing.T) {
		for _, text := range hostile() {
			payload := []byte(text)
			var group errgroup.Group
			for range 8 {
				c := connected(t)
				group.Go(func() error {
					c.peek(t.Context(), "events_api", payload)
					_, err := c.handle(t.Context(), (&heard{}).handle, "events_api", payload)
					return err
				})
			}
			if err := group.Wait(); err != nil {
				t.Error(err)
			}
		}
	})
}
