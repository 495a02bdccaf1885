package receive

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/access"
)

func TestSignedRequests(t *testing.T) {
	t.Parallel()
	const said = `{"type":"event_callback","event_id":"Ev1","event":{"type":"message","channel":"C1","user":"U1","text":"hi","ts":"1.1"}}`
	const form = "application/x-www-form-urlencoded"
	tests := []struct {
		name, kind, body string
		method           string
		sign             func(http.Header, string)
		secret           string
		fail             error
		status           int
		answer           string
		events           int
		query            string
	}{
		{name: "event", body: said, status: 200, events: 1},
		{name: "challenge", body: `{"type":"url_verification","challenge":"abc"}`, status: 200, answer: "abc"},
		{name: "unknown event", body: `{"type":"event_callback","event":{"type":"new"}}`, status: 200},
		{name: "event that is not taken in", body: said, fail: errors.New("no database"), status: 503, events: 1},
		{name: "command", kind: form, body: url.Values{"command": {"/ask"}, "text": {"why"}}.Encode(), status: 200, answer: `{"response_type":"ephemeral","text":"said"}`, events: 1},
		{name: "command that fails", kind: form, body: "command=%2Fask", fail: errors.New("no database"), status: 200, answer: "Try again", events: 1},
		{name: "button", kind: form, body: url.Values{"payload": {`{"type":"block_actions"}`}}.Encode(), status: 200},
		{name: "form that is nothing", kind: form, body: "a=b", status: 400},
		{name: "not a form", kind: "text/plain", body: "%zz", status: 400},
		{name: "broken JSON", body: `{"type":`, status: 400},
		{name: "look at the certificate", kind: form, body: "ssl_check=1&token=x", status: 200},
		{name: "look at the certificate, read only", method: http.MethodGet, query: "?ssl_check=1&token=x", status: 200},
		{name: "no signature", body: said, sign: func(http.Header, string) {}, status: 401},
		{name: "signature of another body", body: said, sign: func(h http.Header, _ string) { slacktest.Sign(h, []byte("x"), time.Now()) }, status: 401},
		{name: "old request", body: said, sign: func(h http.Header, b string) { slacktest.Sign(h, []byte(b), time.Now().Add(-6*time.Minute)) }, status: 401},
		{name: "request of the future", body: said, sign: func(h http.Header, b string) { slacktest.Sign(h, []byte(b), time.Now().Add(6*time.Minute)) }, status: 401},
		{name: "no secret", body: said, secret: "none", status: 401},
		{name: "too large", body: `{"x":"` + strings.Repeat("x", event.MaxPayload) + `"}`, status: 413},
		{name: "read only", method: http.MethodGet, status: 405},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var config call.Config
			if tt.secret == "" {
				config.SigningSecret = slacktest.SigningSecret
			}
			c := receiver(t, config, access.NewLocal())
			method := tt.method
			if method == "" {
				method = http.MethodPost
			}
			r := httptest.NewRequest(method, "/slack/events"+tt.query, strings.NewReader(tt.body))
			r.Header.Set("Content-Type", "application/json")
			if tt.kind != "" {
				r.Header.Set("Content-Type", tt.kind)
			}
			if tt.sign == nil {
				tt.sign = func(h http.Header, b string) { slacktest.Sign(h, []byte(b), time.Now()) }
			}
			tt.sign(r.Header, tt.body)
			h := &heard{fail: tt.fail}
			w := httptest.NewRecorder()
			c.Handler(h.handle).ServeHTTP(w, r)
			body, err := io.ReadAll(w.Body)
			if err != nil {
				t.Fatal(err)
			}
			if w.Code != tt.status || !strings.Contains(string(body), tt.answer) || len(h.Events) != tt.events {
				t.Errorf("status %d, %d events, body %s; want %d, %d, %s", w.Code, len(h.Events), body, tt.status, tt.events, tt.answer)
			}
		})
	}
}

func TestAnswersToCommandsFitAnAcknowledgement(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{"ascii": "- `channel:slack:C0123456789`: you are in this channel\n", "one line": "x", "wide": "- Kanäle & <Straßen> 🛑\n"} {
		raw, err := json.Marshal(ephemeral(strings.Repeat(line, 60_000/len(line))))
		if err != nil {
			t.Fatal(err)
		}
		if len(raw) >= 20<<10 || len(raw) < 8<<10 || !strings.Contains(string(raw), "… and more, which Slack does not show at once.") {
			t.Errorf("%s: %d bytes: …%s", name, len(raw), raw[len(raw)-120:])
		}
	}
	if got := ephemeral("Done.")["text"]; got != "Done." {
		t.Errorf("a short answer is %q", got)
	}
}
