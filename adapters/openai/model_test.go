package openai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/footnotehq/footnote/adapters/openai"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/core/llm"
)

const key = "sk-secret-0123456789"

// Nothing goes on in the background when a stream was stopped or has failed.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// soon bounds the wait for what happens at once.
func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func newModel(t *testing.T, server *openaitest.Server, change func(*openai.Config)) *openai.Model {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(client.CloseIdleConnections)
	config := openai.Config{Endpoint: openai.Endpoint{BaseURL: server.URL(), APIKey: key, HTTP: client}, Model: "scripted"}
	if change != nil {
		change(&config)
	}
	m, err := openai.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// answer is a stream put together.
type answer struct {
	Text, Reasoning string
	Calls           []llm.ToolCall
	Usage           *llm.Usage
	Finish          llm.Finish
}

func collect(ctx context.Context, m llm.Model, req llm.Request) (answer, error) {
	var a answer
	for delta, err := range m.Stream(ctx, req) {
		if err != nil {
			return a, err
		}
		a.Text += delta.Text
		a.Reasoning += delta.Reasoning
		if c := delta.Call; c != nil {
			for len(a.Calls) <= c.Index {
				a.Calls = append(a.Calls, llm.ToolCall{})
			}
			if c.ID != "" {
				a.Calls[c.Index].ID = c.ID
			}
			a.Calls[c.Index].Name += c.Name
			a.Calls[c.Index].Arguments += c.Arguments
		}
		if delta.Usage != nil {
			a.Usage = delta.Usage
		}
		if delta.Finish != "" {
			a.Finish = delta.Finish
		}
	}
	return a, nil
}

func ask(text string) llm.Request {
	return llm.Request{Messages: []llm.Message{{Role: llm.User, Text: text}}}
}

func TestStream(t *testing.T) {
	t.Parallel()
	search := openaitest.Call{ID: "a", Name: "internal_search", Arguments: `{"queries":["x y"]}`}
	open := openaitest.Call{ID: "b", Name: "open_url", Arguments: `{"urls":["https://example.org/ä"]}`}
	calls := []llm.ToolCall{{ID: "a", Name: search.Name, Arguments: search.Arguments}, {ID: "b", Name: open.Name, Arguments: open.Arguments}}
	usage := &openaitest.Usage{Prompt: 7, Completion: 3, Total: 10}
	counted := &llm.Usage{Input: 7, Output: 3}
	tests := map[string]struct {
		reply openaitest.Reply
		want  answer
	}{
		"text":              {openaitest.Reply{Text: "Hello, wörld 🙂.", Usage: usage}, answer{Text: "Hello, wörld 🙂.", Usage: counted, Finish: llm.FinishStop}},
		"rune by rune":      {openaitest.Reply{Text: "Hello, wörld 🙂.", Usage: usage, Split: openaitest.Runes}, answer{Text: "Hello, wörld 🙂.", Usage: counted, Finish: llm.FinishStop}},
		"pings":             {openaitest.Reply{Text: "a b c", Usage: usage, Noise: true}, answer{Text: "a b c", Usage: counted, Finish: llm.FinishStop}},
		"reasoning_content": {openaitest.Reply{Reasoning: "hm, hm", Text: "x", Usage: usage}, answer{Reasoning: "hm, hm", Text: "x", Usage: counted, Finish: llm.FinishStop}},
		"think tags":        {openaitest.Reply{Text: "<think>\nhm\n</think>\n\nx y", Usage: usage}, answer{Reasoning: "\nhm\n", Text: "\n\nx y", Usage: counted, Finish: llm.FinishStop}},
		"open think tag":    {openaitest.Reply{Text: "<think>\nhm x", Usage: usage}, answer{Reasoning: "\nhm x", Usage: counted, Finish: llm.FinishStop}},
		"reasoning":         {openaitest.Reply{Reasoning: "hm", ReasoningField: "reasoning", Text: "x", Usage: usage}, answer{Reasoning: "hm", Text: "x", Usage: counted, Finish: llm.FinishStop}},
		"two calls":         {openaitest.Reply{Calls: []openaitest.Call{search, open}, Usage: usage, Split: openaitest.Runes}, answer{Calls: calls, Usage: counted, Finish: llm.FinishToolCalls}},
		"calls that stop":   {openaitest.Reply{Calls: []openaitest.Call{search}, Finish: "stop", Usage: usage}, answer{Calls: calls[:1], Usage: counted, Finish: llm.FinishToolCalls}},
		"text and a call":   {openaitest.Reply{Text: "Let me see.", Calls: []openaitest.Call{search}, Usage: usage}, answer{Text: "Let me see.", Calls: calls[:1], Usage: counted, Finish: llm.FinishToolCalls}},
		"length":            {openaitest.Reply{Text: "cut sho", Finish: "length", Usage: usage}, answer{Text: "cut sho", Usage: counted, Finish: llm.FinishLength}},
		"content filter":    {openaitest.Reply{Text: "I", Finish: "content_filter", Usage: usage}, answer{Text: "I", Usage: counted, Finish: llm.FinishRefusal}},
		"refusal":           {openaitest.Reply{Refusal: "I cannot help.", Usage: usage}, answer{Text: "I cannot help.", Usage: counted, Finish: llm.FinishRefusal}},
		"filtered prompt":   {openaitest.Reply{Fault: openaitest.Filtered}, answer{Finish: llm.FinishRefusal}},
		"empty":             {openaitest.Reply{Usage: usage}, answer{Usage: counted, Finish: llm.FinishStop}},
		"cached input": {openaitest.Reply{Text: "x", Usage: &openaitest.Usage{Prompt: 7, Completion: 3, Details: &openaitest.UsageDetails{Cached: 5}}},
			answer{Text: "x", Usage: &llm.Usage{Input: 7, Cached: 5, Output: 3}, Finish: llm.FinishStop}},
		"llama.cpp's timings": {openaitest.Reply{Text: "x", Usage: &openaitest.Usage{Prompt: 7, Completion: 3}, CacheN: 4},
			answer{Text: "x", Usage: &llm.Usage{Input: 7, Cached: 4, Output: 3}, Finish: llm.FinishStop}},
		"no usage":     {openaitest.Reply{Text: "x", Fault: openaitest.NoUsage}, answer{Text: "x", Finish: llm.FinishStop}},
		"no [DONE]":    {openaitest.Reply{Text: "x", Usage: usage, Fault: openaitest.NoDone}, answer{Text: "x", Usage: counted, Finish: llm.FinishStop}},
		"not streamed": {openaitest.Reply{Text: "x y", Calls: []openaitest.Call{search}, Usage: usage, Fault: openaitest.Whole}, answer{Text: "x y", Calls: calls[:1], Usage: counted, Finish: llm.FinishToolCalls}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := openaitest.New(t, test.reply)
			got, err := collect(t.Context(), newModel(t, server, nil), ask("hi"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

// However the provider cuts its answer into deltas, the answer is the same.
func TestStreamSplitInvariant(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	m := newModel(t, server, nil)
	rapid.Check(t, func(rt *rapid.T) {
		want := answer{
			Text: rapid.String().Draw(rt, "text"), Reasoning: rapid.String().Draw(rt, "reasoning"),
			Finish: llm.FinishToolCalls, Usage: &llm.Usage{Input: 1, Output: 2},
		}
		arguments, err := json.Marshal(rapid.MapOf(rapid.String(), rapid.String()).Draw(rt, "arguments"))
		if err != nil {
			rt.Fatal(err)
		}
		want.Calls = []llm.ToolCall{{ID: "a", Name: "t", Arguments: string(arguments)}}
		server.Push(openaitest.Reply{
			Text: want.Text, Reasoning: want.Reasoning, Calls: []openaitest.Call{{ID: "a", Name: "t", Arguments: string(arguments)}},
			Split: openaitest.Random(rapid.Uint64().Draw(rt, "seed")), Usage: &openaitest.Usage{Prompt: 1, Completion: 2},
			Noise: rapid.Bool().Draw(rt, "noise"),
		})
		got, err := collect(t.Context(), m, ask("hi"))
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			rt.Fatalf("answer (-want +got):\n%s", diff)
		}
	})
}

// Both ways to stop a stream end the request at the server, not only at the reader.
func TestStop(t *testing.T) {
	t.Parallel()
	tests := map[string]func(context.CancelCauseFunc) bool{
		"break":  func(context.CancelCauseFunc) bool { return false },
		"cancel": func(cancel context.CancelCauseFunc) bool { cancel(errStopped); return true },
	}
	for name, stop := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := openaitest.New(t, openaitest.Reply{Text: "a b c", Fault: openaitest.Stalled, FaultAfter: 2})
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			var last error
			var stopped time.Time
			for delta, err := range newModel(t, server, nil).Stream(ctx, ask("hi")) {
				last = err
				if delta.Text != "" {
					stopped = time.Now()
					if !stop(cancel) {
						break
					}
				}
			}
			if name == "cancel" && (!errors.Is(last, context.Canceled) || !errors.Is(last, errStopped)) {
				t.Errorf("error is %v, want the cancellation and its cause", last)
			}
			rec, err := server.WaitClosed(soon(t), 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("the server saw the connection closed after %s", rec.ClosedByClient.Sub(stopped))
		})
	}
}

// Over HTTP/2 the connection stays and the stream ends.
func TestStopHTTP2(t *testing.T) {
	t.Parallel()
	ended := make(chan string, 1)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		ended <- r.Proto
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	m, err := openai.New(openai.Config{Endpoint: openai.Endpoint{BaseURL: server.URL + "/v1", HTTP: server.Client()}, Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	for delta, err := range m.Stream(t.Context(), ask("hi")) {
		if err != nil || delta.Text != "a" {
			t.Fatalf("delta %+v, error %v", delta, err)
		}
		break
	}
	select {
	case proto := <-ended:
		if proto != "HTTP/2.0" {
			t.Errorf("protocol is %s", proto)
		}
	case <-soon(t).Done():
		t.Error("the server never saw the end")
	}
}

var errStopped = errors.New("stopped")

// A canceled context sends nothing.
func TestCanceledBefore(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := collect(ctx, newModel(t, server, nil), ask("hi")); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want context.Canceled", err)
	}
	if n := len(server.Requests()); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

// An optional field that the endpoint rejects is left out, then and later.
func TestFallback(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault openaitest.Fault
		holds func(*openaitest.Request) bool // the field in its first form
	}{
		"stream_options": {openaitest.NoStreamOptions, func(r *openaitest.Request) bool { return r.StreamOptions != nil }},
		"max_tokens":     {openaitest.NoMaxTokens, func(r *openaitest.Request) bool { return r.MaxTokens == 9 && r.MaxCompletionTokens == 0 }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply := openaitest.Reply{Text: "x", Fault: test.fault}
			server := openaitest.New(t, reply, reply, reply)
			m := newModel(t, server, nil)
			req := ask("hi")
			req.MaxTokens = 9
			for range 2 {
				got, err := collect(t.Context(), m, req)
				if err != nil || got.Text != "x" {
					t.Fatalf("answer %+v, error %v", got, err)
				}
			}
			var held []bool
			for _, rec := range server.ChatRequests() {
				held = append(held, test.holds(rec.Chat))
			}
			if diff := cmp.Diff([]bool{true, false, false}, held); diff != "" {
				t.Errorf("requests with the field (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"}}}}`)
	server := openaitest.New(t, openaitest.Reply{Text: "ok"})
	server.RequireKey(key)
	req := llm.Request{
		Messages: []llm.Message{
			{Role: llm.System, Text: "Be brief."},
			{Role: llm.User, Text: "What is it?", Images: []llm.Image{{Media: "image/png", Data: []byte{1, 2, 3}}}},
			{Role: llm.Assistant, ToolCalls: []llm.ToolCall{{ID: "a", Name: "s", Arguments: `{}`}, {ID: "b", Name: "s", Arguments: `{"broken`}}},
			{Role: llm.Tool, ToolCallID: "a", Text: "one"},
			{Role: llm.Tool, ToolCallID: "b"},
			{Role: llm.User, Text: "Cite."},
		},
		Tools:          []llm.ToolSpec{{Name: "s", Description: "Searches.", Parameters: schema}},
		Choice:         llm.ToolChoice{Mode: llm.Required, Name: "s"},
		MaxTokens:      100,
		Temperature:    0.5,
		ResponseFormat: json.RawMessage(`{"type":"object","additionalProperties":false}`),
	}
	if _, err := collect(t.Context(), newModel(t, server, nil), req); err != nil {
		t.Fatal(err)
	}
	got := server.Requests()[0]
	var body map[string]any
	if err := json.Unmarshal(got.Body, &body); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"model": "scripted", "stream": true, "max_tokens": 100., "temperature": .5,
		"stream_options":  map[string]any{"include_usage": true},
		"tool_choice":     map[string]any{"type": "function", "function": map[string]any{"name": "s"}},
		"response_format": map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "schema": map[string]any{"type": "object", "additionalProperties": false}, "strict": true}},
		"tools": []any{map[string]any{"type": "function", "function": map[string]any{"name": "s", "description": "Searches.", "parameters": map[string]any{
			"type": "object", "properties": map[string]any{"queries": map[string]any{"type": "array", "items": map[string]any{"type": "string"}}},
		}}}},
		"messages": []any{
			map[string]any{"role": "system", "content": "Be brief."},
			map[string]any{"role": "user", "content": []any{
				map[string]any{"type": "text", "text": "What is it?"},
				map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64,AQID"}},
			}},
			map[string]any{"role": "assistant", "tool_calls": []any{
				map[string]any{"id": "a", "type": "function", "function": map[string]any{"name": "s", "arguments": "{}"}},
				map[string]any{"id": "b", "type": "function", "function": map[string]any{"name": "s", "arguments": "{}"}},
			}},
			map[string]any{"role": "tool", "content": "one", "tool_call_id": "a"},
			map[string]any{"role": "tool", "content": "(empty)", "tool_call_id": "b"},
			map[string]any{"role": "user", "content": "Cite."},
		},
	}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

func TestRequestRefused(t *testing.T) {
	t.Parallel()
	tests := map[string]llm.Request{
		"unknown role":   {Messages: []llm.Message{{Role: "oracle", Text: "x"}}},
		"result of none": {Messages: []llm.Message{{Role: llm.Tool, Text: "x"}}},
		"bad tool":       {Messages: []llm.Message{{Role: llm.User, Text: "x"}}, Tools: []llm.ToolSpec{{Name: "s", Parameters: json.RawMessage(`[]`)}}},
		"bad format":     {Messages: []llm.Message{{Role: llm.User, Text: "x"}}, ResponseFormat: json.RawMessage(`"text"`)},
	}
	for name, req := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := openaitest.New(t)
			if _, err := collect(t.Context(), newModel(t, server, nil), req); !errors.Is(err, llm.ErrBadRequest) {
				t.Errorf("error is %v, want ErrBadRequest", err)
			}
			if n := len(server.Requests()); n != 0 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
}

// Reasoning models of OpenAI take other parameters, and the SDK refuses wrong ones.
func TestReasoningModels(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"o3-mini", "gpt-5", "gpt-6-sol", "openai/gpt-5-mini"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := openaitest.New(t, openaitest.Reply{Text: "ok"})
			req := ask("hi")
			req.MaxTokens, req.Temperature = 50, 0.2
			req.Tools = []llm.ToolSpec{{Name: "s", Parameters: json.RawMessage(`{"type":"object"}`)}}
			if _, err := collect(t.Context(), newModel(t, server, func(c *openai.Config) { c.Model = name }), req); err != nil {
				t.Fatal(err)
			}
			sent := server.ChatRequests()[0].Chat
			if sent.MaxTokens != 0 || sent.MaxCompletionTokens != 50 || sent.Temperature != nil {
				t.Errorf("max_tokens %d, max_completion_tokens %d, temperature %v", sent.MaxTokens, sent.MaxCompletionTokens, sent.Temperature)
			}
		})
	}
}

func TestInfo(t *testing.T) {
	t.Parallel()
	no := false
	tests := map[string]struct {
		config openai.Config
		want   llm.Info
	}{
		"known":      {openai.Config{Model: "gpt-4o-mini"}, llm.Info{Name: "gpt-4o-mini", Window: 128_000, Reply: 8_192, Vision: true, NativeTools: true}},
		"maker, tag": {openai.Config{Model: "meta-llama/Llama-3.1-8B-Instruct:free"}, llm.Info{Name: "meta-llama/Llama-3.1-8B-Instruct:free", Window: 128_000, Reply: 4_096, NativeTools: true}},
		"unknown":    {openai.Config{Model: "house-model"}, llm.Info{Name: "house-model", Window: 32_768, Reply: 4_096, NativeTools: true}},
		"override":   {openai.Config{Model: "gpt-4o", Window: 4_000, Vision: &no, NativeTools: &no}, llm.Info{Name: "gpt-4o", Window: 4_000, Reply: 1_000}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, err := openai.New(test.config)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, m.Info()); diff != "" {
				t.Errorf("info (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		config openai.Config
		want   []string
	}{
		"no model, no scheme": {openai.Config{Endpoint: openai.Endpoint{BaseURL: "localhost:11434/v1"}}, []string{"LLM_MODEL", "http://"}},
		"password":            {openai.Config{Model: "m", Endpoint: openai.Endpoint{BaseURL: "https://u:hunter2@host/v1"}}, []string{"user name"}},
		"key with a newline":  {openai.Config{Model: "m", Endpoint: openai.Endpoint{APIKey: "sk-\nhunter2"}}, []string{"white space"}},
		"total timeout":       {openai.Config{Model: "m", Endpoint: openai.Endpoint{HTTP: &http.Client{Timeout: time.Second}}}, []string{"timeout"}},
		"reply over window":   {openai.Config{Model: "m", Window: 100, Reply: 100}, []string{"window"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := openai.New(test.config)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("error %q holds a secret", err)
			}
		})
	}
}

// Nothing is logged, whatever happens.
func TestLogsNothing(t *testing.T) { //nolint:paralleltest // replaces the default logger
	var out bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(before) })
	server := openaitest.New(t, openaitest.Reply{Text: "x"}, openaitest.Reply{Fault: openaitest.BadRequest}, openaitest.Reply{Text: "x", Fault: openaitest.Malformed})
	m := newModel(t, server, nil)
	for range 3 {
		_, _ = collect(t.Context(), m, ask("a question"))
	}
	if out.Len() > 0 {
		t.Errorf("logged %q", out.String())
	}
}
