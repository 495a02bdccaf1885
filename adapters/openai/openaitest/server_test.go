package openaitest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
)

func post(t *testing.T, address, body string) (int, string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

const (
	tool  = `{"type":"function","function":{"name":"internal_search","parameters":{"type":"object"}}}`
	calls = `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"s","arguments":"{}"}}]}`
	user  = `{"role":"user","content":"q"}`
)

// The server accepts and refuses what the real API does.
func TestValidation(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	tests := map[string]struct {
		body string
		says string // empty: accepted
	}{
		"good":                 {`{"model":"m","messages":[` + user + `]}`, ""},
		"answered call":        {`{"model":"m","messages":[` + user + `,` + calls + `,{"role":"tool","tool_call_id":"a","content":"r"}]}`, ""},
		"image":                {`{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"q"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}]}`, ""},
		"forced tool":          {`{"model":"m","messages":[` + user + `],"tools":[` + tool + `],"tool_choice":{"type":"function","function":{"name":"internal_search"}}}`, ""},
		"no model":             {`{"messages":[` + user + `]}`, "model parameter"},
		"no messages":          {`{"model":"m","messages":[]}`, "empty array"},
		"not JSON":             {`{"model":`, "parse the JSON"},
		"unknown role":         {`{"model":"m","messages":[{"role":"oracle","content":"q"}]}`, "Invalid value: 'oracle'"},
		"null content":         {`{"model":"m","messages":[{"role":"user","content":null}]}`, "expected a string"},
		"number content":       {`{"model":"m","messages":[{"role":"user","content":3}]}`, "Invalid type"},
		"image of a system":    {`{"model":"m","messages":[{"role":"system","content":[{"type":"image_url","image_url":{"url":"x"}}]}]}`, "image_url is only"},
		"unanswered call":      {`{"model":"m","messages":[` + user + `,` + calls + `]}`, "must be followed"},
		"call answered later":  {`{"model":"m","messages":[` + calls + `,` + user + `,{"role":"tool","tool_call_id":"a","content":"r"}]}`, "must be followed"},
		"result without call":  {`{"model":"m","messages":[` + user + `,{"role":"tool","tool_call_id":"a","content":"r"}]}`, "must be a response"},
		"result of other call": {`{"model":"m","messages":[` + calls + `,{"role":"tool","tool_call_id":"b","content":"r"}]}`, "must be a response"},
		"schema is no object":  {`{"model":"m","messages":[` + user + `],"tools":[{"type":"function","function":{"name":"s","parameters":{"type":"array"}}}]}`, "Invalid schema"},
		"tool name":            {`{"model":"m","messages":[` + user + `],"tools":[{"type":"function","function":{"name":"a b","parameters":{"type":"object"}}}]}`, "tool name"},
		"tool twice":           {`{"model":"m","messages":[` + user + `],"tools":[` + tool + `,` + tool + `]}`, "unique"},
		"choice without tools": {`{"model":"m","messages":[` + user + `],"tool_choice":"auto"}`, "tool_choice"},
		"choice of none":       {`{"model":"m","messages":[` + user + `],"tools":[` + tool + `],"tool_choice":{"type":"function","function":{"name":"x"}}}`, "not in 'tools'"},
		"usage unstreamed":     {`{"model":"m","messages":[` + user + `],"stream_options":{"include_usage":true}}`, "stream_options"},
		"both maxima":          {`{"model":"m","messages":[` + user + `],"max_tokens":1,"max_completion_tokens":1}`, "same time"},
		"format without name":  {`{"model":"m","messages":[` + user + `],"response_format":{"type":"json_schema"}}`, "json_schema.name"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, body := post(t, server.URL()+"/chat/completions", test.body)
			if test.says == "" {
				if status != http.StatusOK {
					t.Fatalf("HTTP %d: %s", status, body)
				}
				return
			}
			if status != http.StatusBadRequest || !strings.Contains(body, test.says) {
				t.Errorf("HTTP %d: %s; want 400 that says %q", status, body, test.says)
			}
		})
	}
}

func TestLibrarian(t *testing.T) {
	t.Parallel()
	result, err := json.Marshal("Found:\n" + `{"documents":[{"document":3,"title":"Leave","contents":"Staff get 30 days of leave."}]}`)
	if err != nil {
		t.Fatal(err)
	}
	message := func(role, content string) openaitest.Message {
		return openaitest.Message{Role: role, Content: json.RawMessage(content)}
	}
	made := openaitest.Message{Role: "assistant", ToolCalls: []openaitest.ToolCall{{ID: "a"}}}
	offered := []openaitest.Tool{{}}
	offered[0].Function.Name = openaitest.SearchTool
	question := message("user", `"How much leave?"`)
	tests := map[string]struct {
		messages []openaitest.Message
		tools    []openaitest.Tool
		text     string
		call     string
	}{
		"searches first":       {[]openaitest.Message{question}, offered, "", `{"queries":["How much leave?"]}`},
		"answers from results": {[]openaitest.Message{question, made, message("tool", string(result)), message("user", `"Cite."`)}, offered, "According to Leave, Staff get 30 days of leave. [3]", ""},
		"searches in each turn": {[]openaitest.Message{question, made, message("tool", string(result)), message("assistant", `"30 days."`), message("user", `"And sick leave?"`)},
			offered, "", `{"queries":["And sick leave?"]}`},
		"has no tools": {[]openaitest.Message{question}, nil, "I have no documents about this.", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := openaitest.Librarian(openaitest.Request{Messages: test.messages, Tools: test.tools})
			call := ""
			if len(got.Calls) > 0 {
				call = got.Calls[0].Arguments
			}
			if got.Text != test.text || call != test.call {
				t.Errorf("text %q, call %q; want %q, %q", got.Text, call, test.text, test.call)
			}
		})
	}
}

// Every way to cut a text gives it back.
func TestSplits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		for name, split := range map[string]func(string) []string{
			"words": openaitest.Words, "runes": openaitest.Runes, "uncut": openaitest.Uncut, "random": openaitest.Random(rapid.Uint64().Draw(t, "seed")),
		} {
			if diff := cmp.Diff(text, strings.Join(split(text), "")); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}

func TestStartTwice(t *testing.T) {
	t.Parallel()
	server := openaitest.New(t)
	address := strings.TrimSuffix(strings.TrimPrefix(server.URL(), "http://"), "/v1")
	if second, err := openaitest.Start(address); err == nil {
		_ = second.Close()
		t.Error("two servers started on one address")
	}
}
