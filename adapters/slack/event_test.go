package slack

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/thread"
	"github.com/google/go-cmp/cmp"
)

// heard is a Handler that remembers.
type heard struct {
	Messages  []Message
	Reactions []Reaction
	Commands  []Command
	Presses   []Press
	fail      error
}

func (h *heard) Message(_ context.Context, m Message) error {
	h.Messages = append(h.Messages, m)
	return h.fail
}
func (h *heard) Reaction(_ context.Context, r Reaction) error {
	h.Reactions = append(h.Reactions, r)
	return h.fail
}
func (h *heard) Command(_ context.Context, c Command) (string, error) {
	h.Commands = append(h.Commands, c)
	return "said", h.fail
}
func (h *heard) Press(_ context.Context, p Press) error {
	if p.Value == "panic" {
		panic("pressed")
	}
	h.Presses = append(h.Presses, p)
	return h.fail
}

func connected(t *testing.T) *Client {
	t.Helper()
	c, err := New(Config{BotToken: "xoxb-1"})
	if err != nil {
		t.Fatal(err)
	}
	c.identity.Store(&Identity{Team: "T1", User: "U0BOT", Bot: "B0BOT"})
	return c
}

func TestMessagesAreStatedAsSlackTellsOfThem(t *testing.T) {
	t.Parallel()
	at := time.Unix(1700000000, 100000)
	ref := thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "1700000000.000100"}
	root := Message{EventKey: "Ev1", Ref: ref, ID: "1700000000.000100", Author: "U1", Starter: "U1", At: at, Text: "hi"}
	with := func(edit func(*Message)) Message {
		m := root
		edit(&m)
		return m
	}
	tests := []struct {
		name, event string
		want        Message
	}{
		{"mention", `{"type":"app_mention","channel":"C1","user":"U1","text":"<@U0BOT> hi","ts":"1700000000.000100"}`,
			with(func(m *Message) { m.Mentioned = true })},
		{"message", `{"type":"message","channel":"C1","channel_type":"channel","user":"U1","text":"hi","ts":"1700000000.000100"}`, root},
		{"reply", `{"type":"message","channel":"C1","user":"U1","text":"hi","ts":"1700000000.000100","thread_ts":"1690000000.000001","parent_user_id":"U2"}`,
			with(func(m *Message) { m.Ref.Thread, m.InThread, m.Starter = "1690000000.000001", true, "U2" })},
		{"root that has replies", `{"type":"message","channel":"C1","user":"U1","text":"hi","ts":"1700000000.000100","thread_ts":"1700000000.000100"}`, root},
		{"direct", `{"type":"message","channel":"D1","channel_type":"im","user":"U1","text":"hi","ts":"1700000000.000100"}`,
			with(func(m *Message) { m.Ref.Channel, m.Direct = "D1", true })},
		{"own", `{"type":"message","channel":"C1","user":"U0BOT","bot_id":"B0BOT","text":"hi","ts":"1700000000.000100"}`,
			with(func(m *Message) { m.Author, m.Starter, m.Own, m.Bot = "U0BOT", "U0BOT", true, true })},
		{"other bot", `{"type":"message","subtype":"bot_message","channel":"C1","bot_id":"B2","text":"hi","ts":"1700000000.000100"}`,
			with(func(m *Message) { m.Author, m.Starter, m.Bot = "", "", true })},
		{"joined", `{"type":"message","subtype":"channel_join","channel":"C1","user":"U1","text":"hi","ts":"1700000000.000100"}`,
			with(func(m *Message) { m.System = true })},
		{"with a file", `{"type":"message","subtype":"file_share","channel":"C1","user":"U1","text":"hi","ts":"1700000000.000100"}`, root},
		{"edited", `{"type":"message","subtype":"message_changed","channel":"C1","ts":"1700000009.000100","message":{"user":"U1","text":"hi","ts":"1700000000.000100"}}`,
			with(func(m *Message) { m.Change = Edited })},
		{"own one edited", `{"type":"message","subtype":"message_changed","channel":"C1","message":{"user":"U0BOT","text":"hi","ts":"1700000000.000100"}}`,
			with(func(m *Message) { m.Change, m.Own, m.Author, m.Starter = Edited, true, "U0BOT", "U0BOT" })},
		{"deleted", `{"type":"message","subtype":"message_deleted","channel":"C1","deleted_ts":"1700000000.000100","previous_message":{"user":"U1","text":"hi"}}`,
			with(func(m *Message) { m.Change = Deleted })},
		{"with blocks that nobody knows", `{"type":"message","channel":"C1","user":"U1","text":"hi","ts":"1700000000.000100","blocks":[{"type":"hologram","x":[1]}]}`, root},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var h heard
			raw := `{"type":"event_callback","team_id":"T1","event_id":"Ev1","event":` + tt.event + `}`
			if _, err := connected(t).handle(t.Context(), &h, "events_api", []byte(raw), 0); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]Message{tt.want}, h.Messages); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOtherPayloads(t *testing.T) {
	t.Parallel()
	channel := thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1"}
	inThread := channel
	inThread.Thread = "1.1"
	tests := []struct {
		name, kind, raw string
		want            heard
	}{
		{"reaction", "events_api", `{"event":{"type":"reaction_added","user":"U1","reaction":"octagonal_sign::skin-tone-2","item":{"type":"message","channel":"C1","ts":"1.2"}}}`,
			heard{Reactions: []Reaction{{Ref: channel, Message: "1.2", Name: "octagonal_sign", By: "U1"}}}},
		{"own reaction", "events_api", `{"event":{"type":"reaction_added","user":"U0BOT","reaction":"x","item":{"type":"message","channel":"C1","ts":"1.2"}}}`, heard{}},
		{"reaction to a file", "events_api", `{"event":{"type":"reaction_added","user":"U1","reaction":"x","item":{"type":"file"}}}`, heard{}},
		{"stop button of the client", "events_api", `{"event":{"type":"agent_session_stopped","user":"U1","channel":"C1","streaming_message_ts":["1.2"]}}`,
			heard{Reactions: []Reaction{{Ref: channel, Message: "1.2", By: "U1", Stopped: true}}}},
		{"another workspace", "events_api", `{"team_id":"T2","event":{"type":"app_mention","channel":"C1","user":"U1"}}`, heard{}},
		{"unknown event", "events_api", `{"event":{"type":"something_new"}}`, heard{}},
		{"no event at all", "events_api", `[]`, heard{}},
		{"command", "slash_commands", `{"command":"/ask","text":" why? ","channel_id":"C1","user_id":"U1","user_name":"ann","trigger_id":"t1"}`,
			heard{Commands: []Command{{Name: "/ask", Text: "why?", EventKey: "trigger:t1", Ref: channel, By: thread.Person{ID: "U1", Name: "ann"}}}}},
		{"button", "interactive", `{"type":"block_actions","user":{"id":"U1"},"channel":{"id":"C1"},"message":{"ts":"1.2","thread_ts":"1.1"},"actions":[{"action_id":"footnote.stop","value":"turn"}]}`,
			heard{Presses: []Press{{Action: ActionStop, Value: "turn", Ref: inThread, Message: "1.2", By: "U1"}}}},
		{"button of another app", "interactive", `{"type":"block_actions","actions":[{"action_id":"theirs"}]}`, heard{}},
		{"view", "interactive", `{"type":"view_submission"}`, heard{}},
		{"unknown kind", "something_new", `{}`, heard{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var h heard
			if _, err := connected(t).handle(t.Context(), &h, tt.kind, []byte(tt.raw), 0); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, h, cmp.AllowUnexported(heard{})); diff != "" {
				t.Errorf("heard (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFailureOfTheHandlerIsReported(t *testing.T) {
	t.Parallel()
	down := errors.New("the database is down")
	if _, err := connected(t).handle(t.Context(), &heard{fail: down}, "events_api", []byte(`{"event":{"type":"message","channel":"C1","ts":"1.1"}}`), 0); !errors.Is(err, down) {
		t.Errorf("handle() = %v", err)
	}
	raw := `{"type":"block_actions","actions":[{"action_id":"footnote.stop","value":"panic"}]}`
	if _, err := connected(t).handle(t.Context(), &heard{}, "interactive", []byte(raw), 0); err == nil {
		t.Error("a panic of the handler was not reported")
	}
}

func FuzzHandle(f *testing.F) {
	f.Add("events_api", `{"event":{"type":"message","subtype":"message_changed","message":null}}`)
	f.Add("events_api", `{"event":{"type":"message","subtype":"message_deleted"}}`)
	f.Add("interactive", `{"type":"block_actions","actions":[{}]}`)
	f.Add("slash_commands", `{}`)
	f.Fuzz(func(t *testing.T, kind, raw string) {
		_, err := connected(t).handle(t.Context(), &heard{}, kind, []byte(raw), 0)
		if err != nil && json.Valid([]byte(raw)) && kind == "events_api" {
			t.Errorf("valid JSON was not taken in: %v", err)
		}
	})
}
