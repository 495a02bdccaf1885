package openai_test

import (
	"errors"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai"
	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/core/llm"
)

// withTool is a question with a tool that may be called.
func withTool(choice llm.ToolChoice) llm.Request {
	req := ask("hi")
	req.Tools = []llm.ToolSpec{{Name: "internal_search", Description: "Searches.", Parameters: []byte(`{"type":"object"}`)}}
	req.Choice = choice
	return req
}

// The first refusal of tools is told as one, and from then on the model calls none through the API.
func TestEndpointsWithoutTools(t *testing.T) {
	t.Parallel()
	for _, refusal := range openaitest.ToolRefusals {
		t.Run(refusal.Server, func(t *testing.T) {
			t.Parallel()
			reply := openaitest.Reply{Text: "x", Fault: openaitest.NoTools, Refused: refusal}
			server := openaitest.New(t, reply, reply)
			m := newModel(t, server, nil)
			if _, err := collect(t.Context(), m, withTool(llm.ToolChoice{})); !errors.Is(err, llm.ErrNoTools) || llm.Retryable(err) {
				t.Fatalf("error %v, want %v", err, llm.ErrNoTools)
			}
			if m.Info().NativeTools {
				t.Error("the model still claims to call tools")
			}
			if got, err := collect(t.Context(), m, ask("hi")); err != nil || got.Text != "x" {
				t.Errorf("without tools: %+v, %v", got, err)
			}
		})
	}
}

// Questions that were under way when the first refusal came are refused as well, and told the same.
func TestToolRefusalsAreRecognised(t *testing.T) {
	t.Parallel()
	reply := openaitest.Reply{Fault: openaitest.NoTools, Refused: openaitest.ToolRefusals[0]}
	m := newModel(t, openaitest.New(t, reply, reply), nil)
	for range 2 {
		if _, err := collect(t.Context(), m, withTool(llm.ToolChoice{})); !errors.Is(err, llm.ErrNoTools) {
			t.Errorf("error %v", err)
		}
	}
}

func TestOtherFaultsAreNoToolRefusals(t *testing.T) {
	t.Parallel()
	yes := true
	for name, tc := range map[string]struct {
		body  string
		code  int
		plain bool // the request has no tools
		says  *bool
	}{
		"a schema":               {body: `{"error":{"message":"Invalid schema for function 'internal_search': In context=(), 'additionalProperties' is required to be supplied and to be false.","param":"tools[0].function.parameters"}}`, code: 400},
		"a field of a tool":      {body: `{"error":{"message":"Unknown parameter: 'tools[0].function.strict'.","param":"tools[0].function.strict"}}`, code: 400},
		"a result that is amiss": {body: `{"error":{"message":"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."}}`, code: 400},
		"a long prompt":          {body: `{"error":{"message":"This model's maximum context length is 8192 tokens, tools included, which is not supported."}}`, code: 400},
		"an unknown model":       {body: `{"error":{"message":"The model 'm' does not exist or you do not have access to it.","code":"model_not_found"}}`, code: 404},
		"a key":                  {body: `{"error":{"message":"Your plan does not support tools."}}`, code: 403},
		"a pause":                {body: `{"error":{"message":"Too many requests; tools are not available for now."}}`, code: 429},
		"a server that fails":    {body: `{"error":{"message":"The server had an error while processing your request."}}`, code: 500},
		"nothing was sent":       {body: `{"error":{"message":"m does not support tools"}}`, code: 400, plain: true},
		"the operator knows":     {body: `{"error":{"message":"m does not support tools"}}`, code: 400, says: &yes},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			req, fault := withTool(llm.ToolChoice{}), openaitest.NoTools
			if tc.plain {
				req, fault = ask("hi"), openaitest.Refuses
			}
			server := openaitest.New(t, openaitest.Reply{Fault: fault, Refused: openaitest.Refusal{Status: tc.code, Body: tc.body}})
			m := newModel(t, server, func(c *openai.Config) { c.NativeTools = tc.says })
			_, err := collect(t.Context(), m, req)
			if err == nil || errors.Is(err, llm.ErrNoTools) || !m.Info().NativeTools {
				t.Errorf("error %v, native tools %v", err, m.Info().NativeTools)
			}
		})
	}
}

// A server that takes tools but does not let one be forced is asked without force.
func TestEndpointRefusesForcedTools(t *testing.T) {
	t.Parallel()
	reply := openaitest.Reply{Text: "x", Fault: openaitest.NoChoice, Refused: openaitest.ChoiceRefusal}
	server := openaitest.New(t, reply, reply)
	m := newModel(t, server, nil)
	got, err := collect(t.Context(), m, withTool(llm.ToolChoice{Mode: llm.Required, Name: "internal_search"}))
	if err != nil || got.Text != "x" || !m.Info().NativeTools || len(server.ChatRequests()) != 2 {
		t.Errorf("answer %+v, %v, %d requests", got, err, len(server.ChatRequests()))
	}
}

// An endpoint that does not know tool_choice "none" is asked without tools, in this request and in
// later ones; one that knows it is sent it even after it refused to let a tool be forced.
func TestEndpointRefusesForbiddenTools(t *testing.T) {
	t.Parallel()
	none := llm.ToolChoice{Mode: llm.None}
	for _, refusal := range openaitest.NoneRefusals {
		t.Run(refusal.Server, func(t *testing.T) {
			t.Parallel()
			reply := openaitest.Reply{Text: "x", Fault: openaitest.NoNone, Refused: refusal}
			server := openaitest.New(t, reply, reply, reply, reply)
			m := newModel(t, server, nil)
			for range 2 {
				if got, err := collect(t.Context(), m, withTool(none)); err != nil || got.Text != "x" {
					t.Fatalf("answer %+v, %v", got, err)
				}
			}
			requests := server.ChatRequests()
			if len(requests) != 3 || len(requests[1].Chat.Tools) != 0 || len(requests[2].Chat.Tools) != 0 || !m.Info().NativeTools {
				t.Errorf("%d requests, native tools %v", len(requests), m.Info().NativeTools)
			}
			if _, err := collect(t.Context(), m, withTool(llm.ToolChoice{})); err != nil || len(server.ChatRequests()[3].Chat.Tools) != 1 {
				t.Errorf("tools that may be called: %v", err)
			}
		})
	}
	reply := openaitest.Reply{Text: "x", Fault: openaitest.NoChoice, Refused: openaitest.ChoiceRefusal}
	server := openaitest.New(t, reply, reply, openaitest.Reply{Text: "x"})
	m := newModel(t, server, nil)
	for _, choice := range []llm.ToolChoice{{Mode: llm.Required, Name: "internal_search"}, none} {
		if _, err := collect(t.Context(), m, withTool(choice)); err != nil {
			t.Fatal(err)
		}
	}
	if last := server.ChatRequests()[2].Chat; string(last.ToolChoice) != `"none"` || len(last.Tools) != 1 {
		t.Errorf("after a refusal of force, none is sent as %s with %d tools", last.ToolChoice, len(last.Tools))
	}
}
