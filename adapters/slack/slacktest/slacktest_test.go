package slacktest_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/gorilla/websocket"
)

// room is a workspace with one person in one channel, and a thread.
type room struct {
	*slacktest.Server
	t       *testing.T
	ann     *slacktest.Person
	channel *slacktest.Channel
	root    string
}

func open(t *testing.T, config slacktest.Config) *room {
	t.Helper()
	r := &room{Server: slacktest.Start(config), t: t}
	t.Cleanup(r.Close)
	r.ann = r.Person("ann", nil)
	r.channel = r.Channel("general", nil, r.ann)
	r.root = r.ann.Say(r.channel, "", "root")
	return r
}

// call makes a request of the Web API in the channel and returns the answer, with the HTTP status
// as "status".
func (r *room) call(method, token string, fields ...string) map[string]any {
	r.t.Helper()
	form := url.Values{"token": {token}, "channel": {r.channel.ID}}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	res, err := http.PostForm(r.URL()+method, form)
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	out := map[string]any{}
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		r.t.Fatal(err)
	}
	out["status"], out["retry"] = res.StatusCode, res.Header.Get("Retry-After")
	return out
}

func (r *room) post(fields ...string) map[string]any {
	return r.call("chat.postMessage", slacktest.BotToken, fields...)
}

func TestWebAPIRefusesWhatSlackRefuses(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("x", n) }
	blocks := func(kind string, n int) string { return `[{"type":"` + kind + `","text":"` + long(n) + `"}]` }
	tests := []struct {
		name, method, token string
		fields              []string
		want                string
	}{
		{"unknown method", "chat.shout", "", nil, "unknown_method"},
		{"wrong token", "auth.test", "xoxb-other", nil, "invalid_auth"},
		{"token of the wrong kind", "auth.test", slacktest.AppToken, nil, "not_allowed_token_type"},
		{"missing scope", "conversations.members", "", nil, "missing_scope"},
		{"nothing to post", "chat.postMessage", "", nil, "no_text"},
		{"Markdown beside text", "chat.postMessage", "", []string{"text", "a", "markdown_text", "b"}, "markdown_text_conflict"},
		{"Markdown too long", "chat.postMessage", "", []string{"markdown_text", long(12001)}, "msg_too_long"},
		{"section too long", "chat.postMessage", "", []string{"blocks", blocks("section", 3001)}, "invalid_blocks"},
		{"Markdown blocks too long", "chat.postMessage", "", []string{"blocks", blocks("markdown", 12001)}, "msg_blocks_too_long"},
		{"too many blocks", "chat.postMessage", "", []string{"blocks", "[" + strings.Repeat(`{"type":"divider"},`, 50) + `{"type":"divider"}]`}, "msg_blocks_too_many"},
		{"unknown block", "chat.postMessage", "", []string{"blocks", blocks("hologram", 1)}, "invalid_blocks"},
		{"unknown thread", "chat.postMessage", "", []string{"text", "a", "thread_ts", "1.1"}, "thread_not_found"},
		{"edit of nothing", "chat.update", "", []string{"text", "a", "ts", "1.1"}, "message_not_found"},
		{"stream without a recipient", "chat.startStream", "", []string{"markdown_text", "a"}, "invalid_thread_ts"},
		{"append to nothing", "chat.appendStream", "", []string{"markdown_text", "a", "ts", "1.1"}, "message_not_found"},
	}
	scopes := []string{"chat:write"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := open(t, slacktest.Config{Scopes: scopes})
			if tt.token == "" {
				tt.token = slacktest.BotToken
			}
			if got := r.call(tt.method, tt.token, tt.fields...); got["error"] != tt.want || got["ok"] != false {
				t.Errorf("answer %v, want %s", got, tt.want)
			}
		})
	}
	t.Run("edit of somebody else's message", func(t *testing.T) {
		t.Parallel()
		r := open(t, slacktest.Config{})
		if got := r.call("chat.update", slacktest.BotToken, "text", "a", "ts", r.root); got["error"] != "cant_update_message" {
			t.Errorf("answer %v", got)
		}
	})
	t.Run("the missing scope is named", func(t *testing.T) {
		t.Parallel()
		r := open(t, slacktest.Config{Scopes: scopes})
		if got := r.call("conversations.info", slacktest.BotToken); got["needed"] != "channels:read" || got["provided"] != "chat:write" {
			t.Errorf("answer %v", got)
		}
	})
}

func TestStreamsHaveStates(t *testing.T) {
	t.Parallel()
	r := open(t, slacktest.Config{StreamLife: time.Hour})
	begin := []string{"thread_ts", r.root, "markdown_text", "a", "recipient_user_id", r.ann.ID, "recipient_team_id", slacktest.TeamID}
	for _, missing := range []string{"recipient_team_id", "recipient_user_id"} {
		if got := r.call("chat.startStream", slacktest.BotToken, append(begin, missing, "")...); got["error"] != "missing_"+missing {
			t.Errorf("without %s: %v", missing, got)
		}
	}
	ts, _ := r.call("chat.startStream", slacktest.BotToken, begin...)["ts"].(string)
	if got := r.call("chat.update", slacktest.BotToken, "ts", ts, "text", "x"); got["error"] != "streaming_state_conflict" {
		t.Errorf("update of a stream: %v", got)
	}
	r.call("chat.appendStream", slacktest.BotToken, "ts", ts, "markdown_text", "b")
	r.call("chat.stopStream", slacktest.BotToken, "ts", ts, "markdown_text", "c")
	if got := r.call("chat.appendStream", slacktest.BotToken, "ts", ts, "markdown_text", "d"); got["error"] != "message_not_in_streaming_state" {
		t.Errorf("append after the stop: %v", got)
	}
	if got := r.Answers(r.channel, r.root); len(got) != 1 || got[0].Shown() != "abc" {
		t.Errorf("the thread shows %+v", got)
	}
	other, _ := r.call("chat.startStream", slacktest.BotToken, begin...)["ts"].(string)
	r.ann.PressStop(r.channel, other)
	if got := r.call("chat.appendStream", slacktest.BotToken, "ts", other, "markdown_text", "d"); got["error"] != "stopped_by_user" {
		t.Errorf("append after the person's stop: %v", got)
	}
}

func TestTiersAreCounted(t *testing.T) {
	t.Parallel()
	r := open(t, slacktest.Config{Minute: time.Hour})
	ts, _ := r.post("text", "a")["ts"].(string)
	for i := range 50 {
		if got := r.call("chat.update", slacktest.BotToken, "ts", ts, "text", "b"); got["status"] != http.StatusOK {
			t.Fatalf("update %d: %v", i, got)
		}
	}
	got := r.call("chat.update", slacktest.BotToken, "ts", ts, "text", "c")
	if got["status"] != http.StatusTooManyRequests || got["retry"] == "" || got["error"] != "ratelimited" {
		t.Errorf("update 51: %v", got)
	}
	if n := r.Limited(); n != 1 {
		t.Errorf("%d refusals counted", n)
	}
}

func TestEnvelopesAreDeliveredUntilTheyAreAcknowledged(t *testing.T) {
	t.Parallel()
	r := open(t, slacktest.Config{AckWithin: 20 * time.Millisecond, Redeliver: []time.Duration{0, 0}})
	opened := r.call("apps.connections.open", slacktest.AppToken)
	address, _ := opened["url"].(string)
	conn, res, err := websocket.DefaultDialer.Dial(address, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = conn.Close(), res.Body.Close() }()
	if _, res, err := websocket.DefaultDialer.Dial(address, nil); err == nil {
		t.Error("a ticket was good twice")
	} else {
		_ = res.Body.Close()
	}
	read := func() map[string]any {
		frame := map[string]any{}
		if err := conn.ReadJSON(&frame); err != nil {
			t.Fatal(err)
		}
		return frame
	}
	if hello := read(); hello["type"] != "hello" {
		t.Fatalf("the first frame is %v", hello)
	}
	r.Event(map[string]any{"type": "something"})
	about := func(frame map[string]any, event string) bool {
		payload, err := json.Marshal(frame["payload"])
		return err == nil && strings.Contains(string(payload), event)
	}
	for attempt := 0; attempt < 3; { // the message of the root is delivered as well
		frame := read()
		if !about(frame, "something") {
			continue
		}
		if frame["retry_attempt"] != float64(attempt) {
			t.Errorf("delivery %d is %v", attempt, frame)
		}
		attempt++
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	ended := func(event string) func() bool {
		return func() bool {
			return slices.ContainsFunc(r.Deliveries(), func(d slacktest.Delivery) bool { return d.Event == event })
		}
	}
	if err := r.Wait(ctx, "the event is given up", ended("something")); err != nil {
		t.Fatal(err)
	}
	r.Event(map[string]any{"type": "another"})
	for {
		frame := read()
		if err := conn.WriteJSON(map[string]any{"envelope_id": frame["envelope_id"]}); err != nil {
			t.Fatal(err)
		}
		if about(frame, "another") {
			break
		}
	}
	if err := r.Wait(ctx, "the event is acknowledged", ended("another")); err != nil {
		t.Fatal(err)
	}
	for _, d := range r.Deliveries() {
		if d.Event == "another" && d.Acked.IsZero() || d.Event == "something" && (!d.Acked.IsZero() || d.Attempts != 3) {
			t.Errorf("delivery: %+v", d)
		}
	}
}
