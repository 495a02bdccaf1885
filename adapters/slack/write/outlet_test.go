package write_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/render"
	"github.com/footnotehq/footnote/adapters/slack/write"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/thread"
)

// unseen are characters that reorder, hide or end text: ESC, BEL, bidi marks, a soft hyphen, blank
// letters and tags.
const unseen = "\x1b\a\u009b\u202e\u2066\u00ad\u115f\u3164\U000e0041"

const hostile = "in" + unseen + "voice"

// carried are the words that a request carries, in whichever form, decoded.
func carried(body []byte) string {
	text := string(body)
	if form, err := url.ParseQuery(text); err == nil && len(form) > 0 && !json.Valid(body) {
		text = ""
		for _, values := range form {
			text += strings.Join(values, "\n") + "\n"
		}
	}
	var out strings.Builder
	for line := range strings.Lines(text) {
		var value any
		if json.Unmarshal([]byte(line), &value) != nil {
			out.WriteString(line)
			continue
		}
		walk(value, &out)
	}
	return out.String()
}

func walk(value any, out *strings.Builder) {
	switch v := value.(type) {
	case string:
		out.WriteString(v + "\n")
	case []any:
		for _, one := range v {
			walk(one, out)
		}
	case map[string]any:
		for _, one := range v {
			walk(one, out)
		}
	}
}

func TestSlackIsHandedNothingUnseen(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	sent := map[string]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		sent[r.URL.Path] += carried(bytes.TrimSpace(body))
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"ok":true,"team_id":"T1","user_id":"U0","bot_id":"B0","channel":"C1","ts":"1.1","channel_id":"C1"}`) // the client has gone
	}))
	t.Cleanup(server.Close)
	client, err := slack.New(call.Config{BotToken: "xoxb-1", AppToken: "xapp-1", APIURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	to := thread.Ref{Platform: call.Platform, Workspace: "T1", Channel: "C1", Thread: "1.0"}
	surface := client.Surface(write.SurfaceOptions{Turn: "turn-1", Question: "1.0", Recipient: "U1"})
	button := thread.Button{Action: thread.ActionStop, Label: hostile}
	ctx := t.Context()
	for name, show := range map[string]func() error{
		"a title":      func() error { return client.Title(ctx, to, hostile) },
		"a suggestion": func() error { return client.Suggest(ctx, to, []write.Prompt{{Title: hostile, Message: hostile}}) },
		"a session":    func() error { _, err := client.Working(ctx, to, "U1", hostile); return err },
		"a status":     func() error { return surface.Status(ctx, to, hostile) },
		"a notice":     func() error { _, err := client.Tell(ctx, to, hostile, "turn-1", button); return err },
		"a whisper":    func() error { return client.Whisper(ctx, to, "U1", hostile, false, "turn-1", button) },
		"a question": func() error {
			_, err := client.Ask(ctx, "C1", thread.Person{ID: "U1", Name: hostile}, hostile)
			return err
		},
		"a private one": func() error {
			_, _, err := client.Private(ctx, "C1", "turn-1", hostile, false)
			return err
		},
		"a form": func() error {
			return client.Open(ctx, "trigger", write.Form{Action: thread.ActionDown, Title: hostile, Submit: hostile, Ref: to, Fields: []write.Field{
				{Name: "a", Label: hostile, Hint: hostile, Given: hostile}, {Name: "b", Label: hostile, Choices: []write.Choice{{Value: "v", Label: hostile}}},
			}})
		},
		"a page": func() error {
			view := rendertest.View(packet.MessageStart{}, packet.MessageDelta{Text: hostile}, packet.Stop{Reason: "answered", Notices: []string{hostile}})
			_, err := surface.Post(ctx, to, (&render.Renderer{}).Render(view)[0])
			return err
		},
	} {
		mu.Lock()
		clear(sent)
		mu.Unlock()
		if err := show(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		mu.Lock()
		all := ""
		for _, text := range sent {
			all += text
		}
		mu.Unlock()
		if strings.ContainsAny(all, unseen) || !strings.Contains(all, "invoice") {
			t.Errorf("%s is shown as %q", name, all)
		}
	}
}

func TestTaskCardsShowNothingUnseen(t *testing.T) {
	t.Parallel()
	view, tail := rendertest.View(packet.SearchStart{}, packet.SearchQueries{Queries: []string{hostile}}), (&render.Renderer{}).Tail()
	tail(view)
	for _, p := range []packet.Payload{
		packet.CitationInfo{Number: 1, Document: document.ID("a"), Title: hostile, URL: "https://docs.example/a"}, packet.Stop{},
	} {
		view.Apply(packet.Packet{Payload: p})
	}
	piece, _ := tail(view)
	if len(piece.Tasks) != 1 || len(piece.Tasks[0].Sources) != 1 || strings.ContainsAny(piece.Tasks[0].Title, unseen) || piece.Tasks[0].Sources[0].Title != "invoice" {
		t.Errorf("shown as %+v", piece.Tasks)
	}
}
