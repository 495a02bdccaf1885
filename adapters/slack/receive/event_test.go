package receive

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/internal/hostiletest"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/directory"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/read"
	"github.com/footnotehq/footnote/adapters/slack/write"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/google/go-cmp/cmp"
)

// heard remembers what a handler was given, apart from Changed.
type heard struct {
	Events []chat.Event
	fail   error
}

func (h *heard) handle(_ context.Context, e chat.Event) (chat.Reply, error) {
	if e.Press != nil && e.Press.Turn == "panic" {
		panic("pressed")
	}
	if e.Changed != nil {
		return chat.Reply{}, nil
	}
	h.Events = append(h.Events, e)
	return chat.Reply{Text: "said"}, h.fail
}

// connected is a receiver of a workspace that was signed in to.
func connected(t *testing.T) *Receiver {
	t.Helper()
	return receiver(t, call.Config{}, access.NewLocal())
}

func receiver(t *testing.T, config call.Config, known store) *Receiver {
	t.Helper()
	config.BotToken = "xoxb-1"
	w, err := call.NewWorkspace(config)
	if err != nil {
		t.Fatal(err)
	}
	w.Is(call.Identity{Team: "T1", User: "U0BOT", Bot: "B0BOT"})
	return NewReceiver(w, directory.NewDirectory(w, known, known, access.NewLocal()), read.NewReader(w), write.NewWriter(w))
}

// store is what replicas know together of who listens.
type store interface {
	access.Changes
	access.People
}

func TestMessagesAreStatedAsSlackTellsOfThem(t *testing.T) {
	t.Parallel()
	at := time.Unix(1700000000, 100000)
	ref := thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "1700000000.000100"}
	root := chat.Message{EventKey: "Ev1", Ref: ref, At: ref, ID: "1700000000.000100", Author: thread.Person{ID: "U1"}, Starter: "U1", Written: at, Text: "hi", Source: event.Source{}}
	with := func(edit func(*chat.Message)) chat.Event {
		m := root
		edit(&m)
		m.At = m.Ref
		return chat.Event{Message: &m}
	}
	deleted := func(of chat.Owner) chat.Event {
		return chat.Event{Deletion: &chat.Deletion{Ref: ref, Message: "1700000000.000100", Of: of}}
	}
	plain := chat.Event{Message: &root}
	tests := []struct {
		name, event string
		want        chat.Event
	}{
		{"mention", `{"type":"app_mention","channel":"C1","user":"U1","text":"<@U0BOT> hi","ts":"1700000000.000100"}`,
			with(func(m *chat.Message) {
				m.Mentioned, m.Attached, m.Source = true, true, event.Source{FilesUnknown: true}
			})},
		{"message", `{"type":"message","channel":"C1","channel_type":"channel","user":"U1","text":"hi","ts":"1700000000.000100"}`, plain},
		{"reply", `{"type":"message","channel":"C1","user":"U1","text":"hi","ts":"1700000000.000100","thread_ts":"1690000000.000001","parent_user_id":"U2"}`,
			with(func(m *chat.Message) { m.Ref.Thread, m.InThread, m.Starter = "1690000000.000001", true, "U2" })},
		{"root that has replies", `{"type":"message","channel":"C1","user":"U1","text":"hi","ts":"1700000000.000100","thread_ts":"1700000000.000100"}`, plain},
		{"direct", `{"type":"message","channel":"D1","channel_type":"im","user":"U1","text":"hi","ts":"1700000000.000100"}`,
			with(func(m *chat.Message) { m.Ref.Channel, m.Direct = "D1", true })},
		{"own", `{"type":"message","channel":"C1","user":"U0BOT","bot_id":"B0BOT","text":"hi","ts":"1700000000.000100"}`,
			with(func(m *chat.Message) { m.Author.ID, m.Starter, m.Own, m.Bot = "U0BOT", "U0BOT", true, true })},
		{"other bot", `{"type":"message","subtype":"bot_message","channel":"C1","bot_id":"B2","text":"hi","ts":"1700000000.000100"}`,
			with(func(m *chat.Message) { m.Author.ID, m.Starter, m.Bot = "B2", "B2", true })},
		{"joined", `{"type":"message","subtype":"channel_join","channel":"C1","user":"U1","text":"hi","ts":"1700000000.000100"}`,
			with(func(m *chat.Message) { m.System = true })},
		{"with a file", `{"type":"message","subtype":"file_share","channel":"C1","user":"U1","text":"hi","ts":"1700000000.000100",` +
			`"files":[{"id":"F1","name":"a.txt","mimetype":"text/plain","size":5,"url_private":"https://files.slack.com/a"}]}`,
			with(func(m *chat.Message) {
				m.Attached, m.Source = true, event.Source{Files: []event.File{{ID: "F1", Name: "a.txt", Media: "text/plain", Size: 5, URL: "https://files.slack.com/a"}}}
			})},
		{"an unfurl", `{"type":"message","subtype":"message_changed","channel":"C1","message":{"user":"U1","text":"hi","ts":"1700000000.000100"},` +
			`"previous_message":{"user":"U1","text":"hi","ts":"1700000000.000100"}}`,
			with(func(m *chat.Message) { m.Change, m.System = policy.Edited, true })},
		{"words of a bot's message that stand in its blocks are edited", `{"type":"message","subtype":"message_changed","channel":"C1",` +
			`"message":{"bot_id":"B2","text":"","ts":"1700000000.000100","attachments":[{"text":"hi"}]},` +
			`"previous_message":{"bot_id":"B2","text":"","ts":"1700000000.000100","attachments":[{"text":"the code is 4711"}]}}`,
			with(func(m *chat.Message) { m.Change, m.Author.ID, m.Starter, m.Bot = policy.Edited, "B2", "B2", true })},
		{"a deleted question that has replies", `{"type":"message","subtype":"message_changed","channel":"C1","message":{"subtype":"tombstone",` +
			`"user":"USLACKBOT","text":"This message was deleted.","ts":"1700000000.000100"},"previous_message":{"user":"U1","text":"hi"}}`,
			deleted(chat.OfPerson)},
		{"edited", `{"type":"message","subtype":"message_changed","channel":"C1","ts":"1700000009.000100","message":{"user":"U1","text":"hi","ts":"1700000000.000100"}}`,
			with(func(m *chat.Message) { m.Change = policy.Edited })},
		{"own one edited", `{"type":"message","subtype":"message_changed","channel":"C1","message":{"user":"U0BOT","text":"hi","ts":"1700000000.000100"}}`,
			with(func(m *chat.Message) { m.Change, m.Own, m.Author.ID, m.Starter = policy.Edited, true, "U0BOT", "U0BOT" })},
		{"deleted", `{"type":"message","subtype":"message_deleted","channel":"C1","deleted_ts":"1700000000.000100","previous_message":{"user":"U1","text":"hi"}}`,
			deleted(chat.OfPerson)},
		{"own one deleted", `{"type":"message","subtype":"message_deleted","channel":"C1","deleted_ts":"1700000000.000100","previous_message":{"user":"U0BOT","text":"hi"}}`,
			deleted(chat.OfBot)},
		{"with fields that are of another kind", `{"type":"message","channel":"C1","user":"U1","text":"hi","ts":"1700000000.000100","streaming_message_ts":"x",` +
			`"files":[{"id":"F1","name":"a.txt","mimetype":"text/plain","size":"5","url_private":"https://files.slack.com/a"}],"tab":7}`,
			with(func(m *chat.Message) {
				m.Attached, m.Source = true, event.Source{Files: []event.File{{ID: "F1", Name: "a.txt", Media: "text/plain", URL: "https://files.slack.com/a"}}}
			})},
		{"mention with a name", `{"type":"message","channel":"C1","user":"U1","text":"<@U0BOT|footnote> hi","ts":"1700000000.000100"}`,
			with(func(m *chat.Message) { m.Mentioned = true })},
		{"reply that is shown in the channel too", `{"type":"message","subtype":"thread_broadcast","channel":"C1","user":"U1","text":"hi","ts":"1700000000.000100",` +
			`"thread_ts":"1690000000.000001","root":{"user":"U2","ts":"1690000000.000001"}}`,
			with(func(m *chat.Message) { m.Ref.Thread, m.InThread, m.Starter = "1690000000.000001", true, "" })},
		{"without text but with blocks", `{"type":"message","channel":"C1","user":"U1","text":"","ts":"1700000000.000100","blocks":[{"type":"rich_text","elements":[` +
			`{"type":"rich_text_section","elements":[{"type":"user","user_id":"U0BOT"},{"type":"text","text":" hi"}]}]}]}`,
			with(func(m *chat.Message) { m.Mentioned = true })},
		{"with blocks that nobody knows", `{"type":"message","channel":"C1","user":"U1","text":"hi","ts":"1700000000.000100","blocks":[{"type":"hologram","x":[1]}]}`, plain},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var h heard
			raw := `{"type":"event_callback","team_id":"T1","event_id":"Ev1","event":` + tt.event + `}`
			if _, err := connected(t).handle(t.Context(), h.handle, "events_api", []byte(raw)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]chat.Event{tt.want}, h.Events); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOtherPayloads(t *testing.T) {
	t.Parallel()
	channel := thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1"}
	inThread := channel
	inThread.Thread = "1.1"
	one := func(e chat.Event) []chat.Event { return []chat.Event{e} }
	tests := []struct {
		name, kind, raw string
		want            []chat.Event
	}{
		{"reaction", "events_api", `{"event":{"type":"reaction_added","user":"U1","reaction":"octagonal_sign::skin-tone-2","item":{"type":"message","channel":"C1","ts":"1.2"}}}`,
			one(chat.Event{Reaction: &chat.Reaction{Ref: channel, Message: "1.2", Name: "octagonal_sign", By: session.Stopper{ID: "U1"}}})},
		{"own reaction", "events_api", `{"event":{"type":"reaction_added","user":"U0BOT","reaction":"x","item":{"type":"message","channel":"C1","ts":"1.2"}}}`, nil},
		{"reaction to a file", "events_api", `{"event":{"type":"reaction_added","user":"U1","reaction":"x","item":{"type":"file"}}}`, nil},
		{"stop button of the client", "events_api", `{"event":{"type":"agent_session_stopped","user":"U1","channel":"C1","streaming_message_ts":["1.2"]}}`,
			one(chat.Event{Reaction: &chat.Reaction{Ref: channel, Message: "1.2", By: session.Stopper{ID: "U1", Privileged: true}}})},
		{"stop button while nothing is streamed", "events_api", `{"event":{"type":"agent_session_stopped","user":"U1","channel":"C1","thread_ts":"1.1","streaming_message_ts":[]}}`,
			one(chat.Event{Reaction: &chat.Reaction{Ref: inThread, By: session.Stopper{ID: "U1"}}})},
		{"conversation opened", "events_api", `{"event":{"type":"app_home_opened","user":"U1","channel":"C1","tab":"messages"}}`,
			one(chat.Event{Opened: &chat.Opened{Ref: channel, By: "U1"}})},
		{"home opened", "events_api", `{"event":{"type":"app_home_opened","user":"U1","channel":"C1","tab":"home"}}`,
			one(chat.Event{Opened: &chat.Opened{Ref: channel, By: "U1", Home: true}})},
		{"assistant opened", "events_api", `{"event":{"type":"assistant_thread_started","assistant_thread":{"user_id":"U1","channel_id":"C1","thread_ts":"1.1"}}}`,
			one(chat.Event{Opened: &chat.Opened{Ref: inThread, By: "U1"}})},
		{"context of an agent", "events_api", `{"event":{"type":"app_context_changed","context":{"entities":[{"type":"slack#/types/channel_id","value":"C1"}]}}}`, nil},
		{"somebody who became a guest", "events_api", `{"event":{"type":"user_change","user":{"id":"U1","is_restricted":true}}}`, nil},
		{"a renamed channel", "events_api", `{"event":{"type":"channel_rename","channel":{"id":"C1","name":"x"}}}`, nil},
		{"tokens taken away", "events_api", `{"event":{"type":"tokens_revoked","tokens":{"bot":["U0BOT"]}}}`, nil},
		{"an event that comes by way of this workspace", "events_api", `{"team_id":"T2","context_team_id":"T1","event":{"type":"reaction_added","user":"U1","reaction":"x","item":{"type":"message","channel":"C1","ts":"1.2"}}}`,
			one(chat.Event{Reaction: &chat.Reaction{Ref: channel, Message: "1.2", Name: "x", By: session.Stopper{ID: "U1"}}})},
		{"another workspace", "events_api", `{"team_id":"T2","event_id":"Ev1","event":{"type":"app_mention","channel":"C1","user":"U1","ts":"1.1"}}`,
			one(chat.Event{Foreign: &chat.Message{
				EventKey: "Ev1", Ref: thread.Ref{Platform: call.Platform, Workspace: "T2", Channel: "C1", Thread: "1.1"}, At: inThread, ID: "1.1",
				Author: thread.Person{ID: "U1"}, Starter: "U1", Written: event.TimeOf("1.1"), Attached: true, Source: event.Source{FilesUnknown: true},
			}})},
		{"talk in another workspace", "events_api", `{"team_id":"T2","event":{"type":"message","channel":"C1","user":"U1","ts":"1.1","text":"hi"}}`, nil},
		{"a shared channel's event of the other side", "events_api", `{"team_id":"T2","authorizations":[{"team_id":"T1"}],"event":{"type":"reaction_added","user":"U1","reaction":"x","item":{"type":"message","channel":"C1","ts":"1.2"}}}`,
			one(chat.Event{Reaction: &chat.Reaction{Ref: channel, Message: "1.2", Name: "x", By: session.Stopper{ID: "U1"}}})},
		{"reaction of which Slack says less", "events_api", `{"event":{"type":"reaction_added","user":"U1","reaction":"x","item":{"channel":"C1","ts":"1.2"}}}`,
			one(chat.Event{Reaction: &chat.Reaction{Ref: channel, Message: "1.2", Name: "x", By: session.Stopper{ID: "U1"}}})},
		{"too many events", "events_api", `{"type":"app_rate_limited","team_id":"T1","minute_rate_limited":1518467820,"api_app_id":"A1"}`, nil},
		{"unknown event", "events_api", `{"event":{"type":"something_new"}}`, nil},
		{"no event at all", "events_api", `[]`, nil},
		{"command", "slash_commands", `{"command":"/ask","text":" why? ","channel_id":"C1","user_id":"U1","user_name":"ann","trigger_id":"t1"}`,
			one(chat.Event{Command: &chat.Command{Name: "/ask", Text: "why?", EventKey: pressKey("t1", "U1", "C1", "/ask", " why? "), Ref: channel, By: thread.Person{ID: "U1", Name: "ann"}}})},
		{"button", "interactive", `{"type":"block_actions","trigger_id":"t1","user":{"id":"U1"},"channel":{"id":"C1"},"message":{"ts":"1.2","thread_ts":"1.1"},"actions":[{"action_id":"footnote:stop:turn","value":"turn"}]}`,
			one(chat.Event{Press: &chat.Press{
				Action: thread.ActionStop, Turn: "turn", EventKey: pressKey("t1", "U1", "1.2", "footnote:stop:turn", "turn", ""), Ref: inThread, At: inThread,
				Message: "1.2", By: thread.Person{ID: "U1"}, Source: event.Source{Trigger: "t1"},
			}})},
		{"button of another app", "interactive", `{"type":"block_actions","actions":[{"action_id":"theirs"}]}`, nil},
		{"view of another app", "interactive", `{"type":"view_submission","view":{"callback_id":"theirs"}}`, nil},
		{"form", "interactive", `{"type":"view_submission","trigger_id":"t1","user":{"id":"U1"},"view":{"id":"V1","callback_id":"footnote:down:turn",` +
			`"private_metadata":"{\"v\":\"x\",\"c\":\"C1\",\"t\":\"1.1\",\"m\":\"1.2\"}","state":{"values":{"b":{"text":{"value":"too long"}}}}}}`,
			one(chat.Event{Press: &chat.Press{
				Action: thread.ActionDown, Turn: "turn", EventKey: pressKey("view:V1", "U1", "footnote:down:turn", "too long"), Ref: inThread, At: inThread,
				Message: "1.2", By: thread.Person{ID: "U1"}, Text: "too long", Submitted: true, Source: event.Source{Trigger: "t1"},
			}})},
		{"shortcut", "interactive", `{"type":"message_action","trigger_id":"t1","callback_id":"footnote:ask:","user":{"id":"U1","name":"ann"},"channel":{"id":"C1"},` +
			`"message":{"ts":"1.2","thread_ts":"1.1","user":"U2","text":"see <https://a.example|this>"}}`,
			one(chat.Event{Press: &chat.Press{
				Action: event.ActionAsk, EventKey: pressKey("t1", "U1", "C1", "1.2", "footnote:ask:"), Ref: inThread, At: inThread, Message: "1.2",
				By: thread.Person{ID: "U1", Name: "ann"}, Target: &chat.Target{Text: "see this (https://a.example)", Author: "U2"},
				Source: event.Source{Trigger: "t1"},
			}})},
		{"shortcut of another app", "interactive", `{"type":"message_action","callback_id":"theirs"}`, nil},
		{"unknown kind", "something_new", `{}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var h heard
			if _, err := connected(t).handle(t.Context(), h.handle, tt.kind, []byte(tt.raw)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, h.Events); diff != "" {
				t.Errorf("heard (-want +got):\n%s", diff)
			}
		})
	}
}

// Slack's documents show the same trigger for every command, and so may what stands in for it.
func TestPressesAreToldApart(t *testing.T) {
	t.Parallel()
	payloads := []struct{ kind, raw string }{
		{"slash_commands", `{"command":"/ask","text":"one","channel_id":"C1","user_id":"U1"}`},
		{"slash_commands", `{"command":"/ask","text":"one","channel_id":"C1","user_id":"U1"}`}, // said again
		{"slash_commands", `{"command":"/ask","text":"one","channel_id":"C1","user_id":"U1","trigger_id":"t"}`},
		{"slash_commands", `{"command":"/ask","text":"two","channel_id":"C1","user_id":"U1","trigger_id":"t"}`},
		{"slash_commands", `{"command":"/ask","text":"two","channel_id":"C1","user_id":"U2","trigger_id":"t"}`},
		{"interactive", `{"type":"block_actions","trigger_id":"t","user":{"id":"U1"},"message":{"ts":"1.2"},"actions":[{"action_id":"footnote:up:turn","action_ts":"1"}]}`},
		{"interactive", `{"type":"block_actions","trigger_id":"t","user":{"id":"U1"},"message":{"ts":"1.2"},"actions":[{"action_id":"footnote:down:turn","action_ts":"2"}]}`},
		{"interactive", `{"type":"block_actions","trigger_id":"t","user":{"id":"U1"},"message":{"ts":"1.2"},"actions":[{"action_id":"footnote:up:turn","action_ts":"3"}]}`},
	}
	c, h := connected(t), &heard{}
	for _, p := range payloads {
		if _, err := c.handle(t.Context(), h.handle, p.kind, []byte(p.raw)); err != nil {
			t.Fatal(err)
		}
	}
	keys := make(map[string]bool)
	for _, e := range h.Events {
		if e.Command != nil {
			keys[e.Command.EventKey] = true
		} else {
			keys[e.Press.EventKey] = true
		}
	}
	if len(keys) != len(payloads) {
		t.Errorf("%d different keys of %d commands and presses", len(keys), len(payloads))
	}
	if one, again := pressKey("t", "a", "b"), pressKey("t", "a", "b"); one != again {
		t.Errorf("a second delivery has another key: %s and %s", one, again)
	}
}

func TestWorkspaceThatNobodyNamedIsTheOnlyOne(t *testing.T) {
	t.Parallel()
	c := connected(t)
	c.slack.Is(call.Identity{User: "U0BOT"}) // nobody said which workspace it is
	var h heard
	if _, err := c.handle(t.Context(), h.handle, "events_api", []byte(`{"team_id":"T9","event":{"type":"message","channel":"C1","user":"U1","text":"hi","ts":"1.1"}}`)); err != nil {
		t.Fatal(err)
	}
	if len(h.Events) != 1 {
		t.Errorf("%d messages of the only workspace there is, want 1", len(h.Events))
	}
}

func TestFailureOfTheHandlerIsReported(t *testing.T) {
	t.Parallel()
	down := errors.New("the database is down")
	if _, err := connected(t).handle(t.Context(), (&heard{fail: down}).handle, "events_api", []byte(`{"event":{"type":"message","channel":"C1","ts":"1.1"}}`)); !errors.Is(err, down) {
		t.Errorf("handle() = %v", err)
	}
	raw := `{"type":"block_actions","actions":[{"action_id":"footnote:stop:panic"}]}`
	if _, err := connected(t).handle(t.Context(), (&heard{}).handle, "interactive", []byte(raw)); err == nil {
		t.Error("a panic of the handler was not reported")
	}
}

func FuzzHandle(f *testing.F) {
	f.Add("events_api", `{"event":{"type":"message","subtype":"message_changed","message":null}}`)
	f.Add("events_api", `{"event":{"type":"message","subtype":"message_deleted"}}`)
	f.Add("interactive", `{"type":"block_actions","actions":[{}]}`)
	f.Add("slash_commands", `{}`)
	f.Fuzz(func(t *testing.T, kind, raw string) {
		defer hostiletest.Bound(t, len(raw), 0)()
		_, err := connected(t).handle(t.Context(), (&heard{}).handle, kind, []byte(raw))
		if err != nil && json.Valid([]byte(raw)) && kind == "events_api" {
			t.Errorf("valid JSON was not taken in: %v", err)
		}
	})
}
