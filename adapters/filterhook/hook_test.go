package filterhook_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/filterhook"
	"github.com/footnotehq/footnote/core/filter"
)

const paragraph = "A paragraph with words that nobody else is to see."

func TestReview(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reply   func(w http.ResponseWriter)
		verdict filter.Verdict
		text    string
		fault   string
	}{
		"allow":                     {reply: writes(`{"action":"allow"}`)},
		"replace":                   {reply: writes(`{"action":"replace","text":"Other."}`), verdict: filter.Replace, text: "Other."},
		"leave out":                 {reply: writes(`{"action":"replace","text":""}`), verdict: filter.Replace},
		"block":                     {reply: writes(`{"action":"block","reason":"x"}`), verdict: filter.Block},
		"replace with nothing said": {reply: writes(`{"action":"replace"}`), fault: `its action is not "allow"`},
		"another action":            {reply: writes(`{"action":"maybe"}`), fault: `its action is not "allow"`},
		"no JSON":                   {reply: writes(`fine`), fault: "does not answer with a JSON object"},
		"an error":                  {reply: func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) }, fault: "status 502"},
		"elsewhere": {reply: func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(http.StatusTemporaryRedirect)
		}, fault: "status 307"},
		"without end": {reply: writes(strings.Repeat("x", 300<<10)), fault: "more than 262144 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var got map[string]any
				if err := json.NewDecoder(r.Body).Decode(&got); err != nil || got["text"] != paragraph || got["turn"] != "t1" || got["model"] != "m" || got["paragraph"] != 2.0 {
					t.Errorf("it is sent %v (%v)", got, err)
				}
				if r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer k" || r.Header.Get("Content-Type") != "application/json" {
					t.Errorf("%s with %v", r.Method, r.Header)
				}
				tt.reply(w)
			}))
			t.Cleanup(server.Close)
			hook, err := filterhook.New(filterhook.Config{URL: server.URL + "/check?key=hidden", Token: "k", HTTP: server.Client()})
			if err != nil {
				t.Fatal(err)
			}
			verdict, text, err := hook.Review(t.Context(), filter.Paragraph{Answer: filter.Answer{Turn: "t1", Model: "m"}, Number: 2, Text: paragraph})
			if tt.fault == "" && (err != nil || verdict != tt.verdict || text != tt.text) {
				t.Errorf("it says %v %q (%v)", verdict, text, err)
			}
			if tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)) {
				t.Errorf("the error is %v, want %q", err, tt.fault)
			}
		})
	}
}

func writes(text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { _, _ = io.WriteString(w, text) }
}

func TestServiceThatIsAwayOrSlow(t *testing.T) {
	t.Parallel()
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the server sees the client leave
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	for name, url := range map[string]string{"away": "http://127.0.0.1:1/check?key=hidden", "slow": slow.URL + "/check?key=hidden"} {
		hook, err := filterhook.New(filterhook.Config{URL: url, Timeout: 50 * time.Millisecond, HTTP: slow.Client()})
		if err != nil {
			t.Fatal(err)
		}
		_, _, err = hook.Review(t.Context(), filter.Paragraph{Text: paragraph})
		if err == nil || strings.Contains(err.Error(), "hidden") || strings.Contains(err.Error(), paragraph) {
			t.Errorf("%s: the error is %v", name, err)
		}
		if name == "slow" && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("it ends with %v", err)
		}
	}
	if _, err := filterhook.New(filterhook.Config{URL: "ftp://x", HTTP: slow.Client()}); err == nil {
		t.Error("an address of another kind is taken")
	}
}
