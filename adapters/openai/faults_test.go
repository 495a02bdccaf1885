package openai_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/openai"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/retrieve"
)

func TestStreamFaults(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		reply openaitest.Reply
		want  error
		says  string
	}{
		"401":               {openaitest.Reply{Fault: openaitest.Unauthorized}, llm.ErrAuth, "OPENAI_API_KEY"},
		"403":               {openaitest.Reply{Fault: openaitest.Forbidden}, llm.ErrAuth, "LLM_MODEL"},
		"404":               {openaitest.Reply{Fault: openaitest.NotFound}, llm.ErrNotFound, `"scripted"`},
		"quota":             {openaitest.Reply{Fault: openaitest.QuotaExhausted}, llm.ErrAuth, "billing"},
		"context":           {openaitest.Reply{Fault: openaitest.ContextTooLong}, llm.ErrContextTooLong, "window"},
		"400":               {openaitest.Reply{Fault: openaitest.BadRequest}, llm.ErrBadRequest, "HTTP 400"},
		"500":               {openaitest.Reply{Fault: openaitest.ServerError}, llm.ErrUnavailable, "try again later"},
		"503":               {openaitest.Reply{Fault: openaitest.Overloaded}, llm.ErrUnavailable, "HTTP 503"},
		"502 page":          {openaitest.Reply{Fault: openaitest.HTMLError}, llm.ErrUnavailable, "HTTP 502"},
		"200 page":          {openaitest.Reply{Fault: openaitest.HTMLPage}, llm.ErrNotFound, "/v1"},
		"hang-up":           {openaitest.Reply{Fault: openaitest.Hangup}, llm.ErrUnavailable, "no answer"},
		"cut":               {openaitest.Reply{Text: "a b c", Fault: openaitest.Cut, FaultAfter: 2}, llm.ErrIncomplete, ""},
		"cut at once":       {openaitest.Reply{Text: "a b c", Fault: openaitest.Cut}, llm.ErrIncomplete, ""},
		"[DONE] too early":  {openaitest.Reply{Text: "a b c", Fault: openaitest.CutDone, FaultAfter: 2}, llm.ErrIncomplete, ""},
		"malformed":         {openaitest.Reply{Text: "a b c", Fault: openaitest.Malformed, FaultAfter: 2}, llm.ErrIncomplete, "not valid JSON"},
		"error event":       {openaitest.Reply{Text: "a b c", Fault: openaitest.ErrorEvent, FaultAfter: 2}, llm.ErrUnavailable, "an internal fault"},
		"named error event": {openaitest.Reply{Text: "a b c", Fault: openaitest.NamedErrorEvent, FaultAfter: 2}, llm.ErrUnavailable, "overloaded"},
		"stalled":           {openaitest.Reply{Text: "a b c", Fault: openaitest.Stalled, FaultAfter: 2}, llm.ErrStalled, "silence"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := openaitest.New(t, test.reply)
			m := newModel(t, server, func(c *openai.Config) {
				if errors.Is(test.want, llm.ErrStalled) { // a busy machine may pause any of the others for as long
					c.IdleTimeout = 100 * time.Millisecond
				}
			})
			got, err := collect(t.Context(), m, ask("What does the merger agreement say?"))
			if !errors.Is(err, test.want) {
				t.Fatalf("error is %v, want %v", err, test.want)
			}
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("error %q does not say %q", err, test.says)
			}
			if got.Finish != "" {
				t.Errorf("a broken stream finished with %q", got.Finish)
			}
			if strings.Contains(err.Error(), key) || strings.Contains(err.Error(), "merger") {
				t.Errorf("error %q holds what is secret", err)
			}
			if n := len(server.Requests()); n != 1 {
				t.Errorf("%d requests were sent, want 1: retrying is not the adapter's", n)
			}
		})
	}
}

func TestRateLimit(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		header http.Header
		after  string
		low    time.Duration
		high   time.Duration
	}{
		"nothing said":      {nil, "", 0, 0},
		"seconds":           {nil, "7", 7 * time.Second, 7 * time.Second},
		"fraction":          {nil, "1.5", 1500 * time.Millisecond, 1500 * time.Millisecond},
		"date":              {nil, time.Now().Add(30 * time.Minute).UTC().Format(http.TimeFormat), 15 * time.Minute, 30 * time.Minute},
		"milliseconds":      {http.Header{"Retry-After-Ms": {"250"}}, "", 250 * time.Millisecond, 250 * time.Millisecond},
		"reset duration":    {http.Header{"X-Ratelimit-Reset-Requests": {"1m2s"}}, "", 62 * time.Second, 62 * time.Second},
		"the limit reached": {http.Header{"X-Ratelimit-Reset-Requests": {"6m0s"}, "X-Ratelimit-Remaining-Requests": {"9"}, "X-Ratelimit-Reset-Tokens": {"350ms"}, "X-Ratelimit-Remaining-Tokens": {"0"}}, "", 350 * time.Millisecond, 350 * time.Millisecond},
		"absurd":            {nil, "1e300", time.Hour, time.Hour},
		"negative":          {nil, "-3", 0, 0},
		"nonsense":          {nil, "soon", 0, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := openaitest.New(t, openaitest.Reply{Fault: openaitest.RateLimited, RetryAfter: test.after, Header: test.header})
			_, err := collect(t.Context(), newModel(t, server, nil), ask("hi"))
			var limited *llm.RateLimitError
			if !errors.As(err, &limited) {
				t.Fatalf("error is %v, want a RateLimitError", err)
			}
			if limited.RetryAfter < test.low || limited.RetryAfter > test.high {
				t.Errorf("wait is %s, want %s to %s", limited.RetryAfter, test.low, test.high)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	closed := openaitest.New(t)
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ address, says string }{
		"refused": {closed.URL(), "nothing listens at 127.0.0.1:"}, "unknown name": {"http://no-such-host.invalid/v1", "could not be resolved"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, closed, func(c *openai.Config) { c.BaseURL = tt.address })
			_, err := collect(t.Context(), m, ask("hi"))
			e := newEmbedder(t, closed, func(c *openai.EmbedderConfig) { c.BaseURL, c.AddressSetting = tt.address, "EMBEDDING_BASE_URL" })
			_, fault := e.Embed(t.Context(), retrieve.ForQuery, []string{"hi"})
			for setting, err := range map[string]error{"OPENAI_BASE_URL": err, "EMBEDDING_BASE_URL": fault} {
				if !errors.Is(err, llm.ErrUnavailable) || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), setting) {
					t.Errorf("error is %v, want %q and %s", err, tt.says, setting)
				}
			}
		})
	}
}
