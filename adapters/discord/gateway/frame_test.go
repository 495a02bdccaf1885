package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"
	"github.com/footnotehq/footnote/core/footprint/footprinttest"
	"github.com/gorilla/websocket"
	"golang.org/x/sync/errgroup"
)

func dispatched(kind, before, again string, times int, after string) string {
	return `{"op":0,"s":1,"t":"` + kind + `","d":` + before + strings.Repeat(again, times) + after + `}`
}

func TestFrameFits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		fits       bool
	}{
		{"a message", dispatched("MESSAGE_CREATE", `{"content":"`, "a", 4000, `"}`), true},
		{"a message with everything that fits", dispatched("MESSAGE_CREATE", `{"content":"`, "a", 64<<10, `"}`), true},
		{"a server with many channels", dispatched("GUILD_CREATE", `{"channels":[`, `{"id":"1","name":"a","topic":"b","position":1},`, 20_000, `{}]}`), true},
		{"a message that is too long", dispatched("MESSAGE_CREATE", `{"content":"`, "a", 1<<20, `"}`), false},
		{"a message with too many embeds", dispatched("MESSAGE_CREATE", `{"embeds":[`, "{},", 60_000, `{}]}`), false},
		{"a message that is too deep", dispatched("MESSAGE_CREATE", "", "[", 100, strings.Repeat("]", 100)), false},
		{"a server with too many members", dispatched("GUILD_CREATE", `{"members":[`, "{},", 1_000_000, `{}]}`), false},
		{"an unknown event that is too large", dispatched("SOMETHING", `{"a":[`, "{},", 1_000_000, `{}]}`), false},
	} {
		p, err := readFrame([]byte(tc.text))
		if err != nil || p.fits([]byte(tc.text)) != tc.fits {
			t.Errorf("%s: fits %v, error %v", tc.name, !tc.fits, err)
		}
	}
}

// flood is a gateway that sends hostile events, a genuine one, and then a packet without an end.
func flood(t *testing.T, packets []string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }() // the client ends it
		for _, p := range packets {
			if conn.WriteMessage(websocket.TextMessage, []byte(p)) != nil {
				return
			}
		}
		endless, err := conn.NextWriter(websocket.TextMessage)
		for block := []byte(strings.Repeat("a", 64<<10)); err == nil; {
			_, err = endless.Write(block)
		}
	}))
	t.Cleanup(server.Close)
	return "ws" + strings.TrimPrefix(server.URL, "http")
}

// hear decodes what a relay hands on, as the SDK does, until the connection ends.
func hear(t *testing.T, gateway string) (kinds []string, err error) {
	r := &relay{dialer: &websocket.Dialer{}, gateway: gateway, limit: time.Hour, identified: func() {}, skipped: func(string, int) {}}
	conn, res, err := r.websocket().DialContext(t.Context(), "ws://gateway.discord", nil)
	if err != nil {
		return nil, err
	}
	_ = res.Body.Close() // it is empty
	for {
		kind, data, err := conn.ReadMessage()
		if err != nil {
			_ = conn.Close() // the relay has ended
			r.wait()
			return kinds, nil
		}
		var event discordgo.Event
		var guild discordgo.GuildCreate
		if err := json.Unmarshal(data, &event); err != nil || kind != websocket.TextMessage {
			return nil, fmt.Errorf("a packet of kind %d: %w", kind, err)
		}
		if event.Type == "GUILD_CREATE" {
			if err := json.Unmarshal(event.RawData, &guild); err != nil {
				return nil, err
			}
		}
		kinds = append(kinds, event.Type)
	}
}

func TestLittleMemoryGatewayFrames(t *testing.T) {
	const limit = 512 << 20
	footprinttest.Limited(t, limit, func(t *testing.T) {
		gateway := flood(t, []string{
			`{"op":10,"d":{"heartbeat_interval":3600000}}`, `{"op":0,"s":1,"t":"READY","d":{}}`,
			dispatched("GUILD_CREATE", `{"members":[`, "{},", 2_000_000, `{}]}`),
			dispatched("GUILD_CREATE", `{"members":[`, "{},", 97_000, `{}]}`),
			dispatched("GUILD_CREATE", `{"name":"`, "a", 7<<20, `"}`),
			dispatched("MESSAGE_CREATE", `{"embeds":[`, "{},", 60_000, `{}]}`),
			dispatched("MESSAGE_CREATE", "", "[", 8_000, strings.Repeat("]", 8_000)),
			dispatched("MESSAGE_CREATE", `{"content":"`, "a", 6<<20, `"}`),
			dispatched("MESSAGE_CREATE", `{"content":"`, "a", 10, `"}`),
		})
		var group errgroup.Group
		for range 8 {
			group.Go(func() error {
				kinds, err := hear(t, gateway)
				if want := []string{"", "READY", "GUILD_CREATE", "GUILD_CREATE", "MESSAGE_CREATE"}; err == nil && !slices.Equal(kinds, want) {
					return fmt.Errorf("heard %q, want %q", kinds, want)
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
	})
}
