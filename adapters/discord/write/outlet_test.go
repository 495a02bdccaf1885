package write

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/call"
	"github.com/footnotehq/footnote/adapters/discord/directory"
	"github.com/footnotehq/footnote/adapters/discord/event"
	"github.com/footnotehq/footnote/adapters/discord/render"
	"github.com/footnotehq/footnote/adapters/internal/markdown/rendertest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// unseen are characters that reorder, hide or end text: ESC, BEL, bidi marks, a soft hyphen, blank
// letters and tags.
const unseen = "\x1b\a\u009b\u202e\u2066\u00ad\u115f\u3164\U000e0041"

const hostile = "in" + unseen + "voice"

// recorder is an API that takes everything and remembers it, decoded.
type recorder struct {
	mu   sync.Mutex
	sent string
}

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		r.note(body)
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Request: req, Body: io.NopCloser(strings.NewReader(`{"id":"2"}`)),
	}, nil
}

func (r *recorder) note(body []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var value any
	if json.Unmarshal(body, &value) != nil {
		r.sent += string(body)
		return
	}
	r.walk(value)
}

func (r *recorder) walk(value any) {
	switch v := value.(type) {
	case string:
		r.sent += v + "\n"
	case []any:
		for _, one := range v {
			r.walk(one)
		}
	case map[string]any:
		for _, one := range v {
			r.walk(one)
		}
	}
}

func TestDiscordIsHandedNothingUnseen(t *testing.T) {
	t.Parallel()
	r := &recorder{}
	b, err := call.NewBot(call.Config{Token: "token", Wrap: func(http.RoundTripper) http.RoundTripper { return r }})
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewWriter(b, directory.NewDirectory(b))
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	turn := session.Turn{ID: "turn-1", Message: "2", Asker: thread.Person{ID: "7", Name: hostile}, Session: session.Session{Ref: thread.Ref{Workspace: "9", Channel: "1", Thread: "2"}}}
	at := thread.Ref{Thread: "1"}
	button := thread.Button{Action: thread.ActionStop, Label: hostile}
	inline := func(show func(event.Ticket) error) func() error { // as an answer to the request that brought it
		return func() error {
			source, out := event.NewInline(), httptest.NewRecorder()
			if err := show(event.Ticket{App: "1", Token: "t", ID: "3", At: time.Now(), Inline: source}); err != nil {
				return err
			}
			source.Serve(ctx, out)
			r.note(out.Body.Bytes())
			return nil
		}
	}
	for name, show := range map[string]func() error{
		"a note":         func() error { _, err := w.SayAt(ctx, at, "2", hostile); return err },
		"a changed note": func() error { return w.Resay(ctx, at, "2", hostile) },
		"a whisper":      func() error { return w.Whisper(ctx, turn, hostile, []thread.Button{button}) },
		"a request":      func() error { _, err := w.AskAbout(ctx, at, "2", hostile, hostile); return err },
		"a response":     inline(func(p event.Ticket) error { return w.Respond(ctx, p, hostile) }),
		"a reply":        inline(func(p event.Ticket) error { return w.reply(ctx, p, Reply{Markdown: hostile}, false) }),
		"a suggestion":   inline(func(p event.Ticket) error { return w.Suggest(ctx, p, []string{hostile}) }),
		"a form": inline(func(p event.Ticket) error {
			return w.Show(ctx, p, event.Form{ID: "f", Title: hostile, Label: hostile, Hint: hostile, Text: hostile})
		}),
		"a menu": inline(func(p event.Ticket) error {
			rows := SetupRows(Setup{Modes: []Choice{{Value: "a", Label: hostile, Help: hostile}}})
			return w.reply(ctx, p, Reply{Markdown: "invoice", Rows: rows}, false)
		}),
		"a question above its answer": func() error {
			view := rendertest.View(packet.MessageStart{}, packet.MessageDelta{Text: hostile}, packet.Stop{Reason: "answered", Notices: []string{hostile}})
			view.Question, view.Asker = hostile, hostile
			pages := (&render.Renderer{}).Render(view)
			body, err := json.Marshal(w.Surface(turn, false, false).outgoing(pages[0]))
			r.note(body)
			return err
		},
		"the name of a thread": func() error {
			body, err := json.Marshal(render.Title(hostile))
			r.note(body)
			return err
		},
	} {
		r.sent = ""
		if err := show(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if strings.ContainsAny(r.sent, unseen) || !strings.Contains(r.sent, "invoice") {
			t.Errorf("%s is shown as %q", name, r.sent)
		}
	}
}
