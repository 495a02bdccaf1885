package openaitest

import (
	"encoding/json"
	"fmt"
	"regexp"
)

// Request has the fields of a chat request that the server reads.
type Request struct {
	Model               string          `json:"model"`
	Messages            []Message       `json:"messages"`
	Stream              bool            `json:"stream"`
	StreamOptions       *StreamOptions  `json:"stream_options"`
	MaxTokens           int             `json:"max_tokens"`
	MaxCompletionTokens int             `json:"max_completion_tokens"`
	Temperature         *float64        `json:"temperature"`
	Tools               []Tool          `json:"tools"`
	ToolChoice          json.RawMessage `json:"tool_choice"`
	ResponseFormat      *ResponseFormat `json:"response_format"`
}

// StreamOptions are the stream options of a [Request].
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// Message is a message of a [Request].
type Message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCalls  []ToolCall      `json:"tool_calls"`
	ToolCallID string          `json:"tool_call_id"`
}

// ToolCall is a tool call in an earlier message of a [Request].
type ToolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// Tool is a tool that a [Request] offers.
type Tool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

// ResponseFormat is the format that a [Request] demands for the answer.
type ResponseFormat struct {
	Type       string `json:"type"`
	JSONSchema *struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
		Strict bool            `json:"strict"`
	} `json:"json_schema"`
}

type part struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	ImageURL *struct {
		URL string `json:"url"`
	} `json:"image_url"`
}

// Text returns the text of a message. It joins the texts of several parts.
func (m Message) Text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	var parts []part
	if json.Unmarshal(m.Content, &parts) == nil {
		for _, p := range parts {
			s += p.Text
		}
	}
	return s
}

// Last returns the last message that has the given role, or a zero Message if there is none.
func (r Request) Last(role string) Message {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].Role == role {
			return r.Messages[i]
		}
	}
	return Message{}
}

// Offers reports whether the model may call the tool called name.
func (r Request) Offers(name string) bool {
	if string(r.ToolChoice) == `"none"` {
		return false
	}
	for _, tool := range r.Tools {
		if tool.Function.Name == name {
			return true
		}
	}
	return false
}

type fault struct{ param, message string }

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func validateChat(r *Request) *fault {
	switch {
	case r.Model == "":
		return &fault{"model", "you must provide a model parameter"}
	case len(r.Messages) == 0:
		return &fault{"messages", "Invalid 'messages': empty array. Expected an array with minimum length 1."}
	case r.MaxTokens > 0 && r.MaxCompletionTokens > 0:
		return &fault{"max_tokens", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."}
	case r.MaxTokens < 0 || r.MaxCompletionTokens < 0:
		return &fault{"max_tokens", "Invalid 'max_tokens': expected a value >= 1."}
	case r.Temperature != nil && (*r.Temperature < 0 || *r.Temperature > 2):
		return &fault{"temperature", "Invalid 'temperature': expected a value between 0 and 2."}
	case r.StreamOptions != nil && !r.Stream:
		return &fault{"stream_options", "The 'stream_options' parameter is only allowed when 'stream' is enabled."}
	}
	if f := validateTools(r); f != nil {
		return f
	}
	if f := validateFormat(r.ResponseFormat); f != nil {
		return f
	}
	return validateMessages(r.Messages)
}

func validateTools(r *Request) *fault {
	names := map[string]bool{}
	for i, tool := range r.Tools {
		at := fmt.Sprintf("tools[%d]", i)
		var schema struct {
			Type string `json:"type"`
		}
		switch {
		case tool.Type != "function":
			return &fault{at + ".type", fmt.Sprintf("Invalid value: '%s'. Supported values are: 'function'.", tool.Type)}
		case !toolName.MatchString(tool.Function.Name):
			return &fault{at + ".function.name", "Invalid tool name: string does not match pattern '^[a-zA-Z0-9_-]+$'."}
		case names[tool.Function.Name]:
			return &fault{at + ".function.name", "Tool names must be unique."}
		case json.Unmarshal(tool.Function.Parameters, &schema) != nil || schema.Type != "object":
			return &fault{at + ".function.parameters", "Invalid schema for function: schema must be a JSON Schema of 'type: \"object\"'."}
		}
		names[tool.Function.Name] = true
	}
	if len(r.ToolChoice) == 0 || string(r.ToolChoice) == "null" {
		return nil
	}
	if len(r.Tools) == 0 {
		return &fault{"tool_choice", "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."}
	}
	var mode string
	if json.Unmarshal(r.ToolChoice, &mode) == nil {
		if mode != "auto" && mode != "none" && mode != "required" {
			return &fault{"tool_choice", fmt.Sprintf("Invalid value: '%s'. Supported values are: 'none', 'auto', and 'required'.", mode)}
		}
		return nil
	}
	var forced struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if json.Unmarshal(r.ToolChoice, &forced) != nil || forced.Type != "function" || !names[forced.Function.Name] {
		return &fault{"tool_choice", "Tool choice names a function that is not in 'tools'."}
	}
	return nil
}

func validateFormat(f *ResponseFormat) *fault {
	if f == nil {
		return nil
	}
	switch f.Type {
	case "text", "json_object":
		return nil
	case "json_schema":
	default:
		return &fault{"response_format.type", fmt.Sprintf("Invalid value: '%s'.", f.Type)}
	}
	if f.JSONSchema == nil || !toolName.MatchString(f.JSONSchema.Name) {
		return &fault{"response_format.json_schema.name", "Missing required parameter: 'response_format.json_schema.name'."}
	}
	var schema struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(f.JSONSchema.Schema, &schema) != nil || schema.Type != "object" {
		return &fault{"response_format.json_schema.schema", "Invalid schema for response_format: schema must be a JSON Schema of 'type: \"object\"'."}
	}
	return nil
}

func validateMessages(messages []Message) *fault {
	open := map[string]bool{}
	for i, m := range messages {
		at := fmt.Sprintf("messages[%d]", i)
		if m.Role != "tool" && len(open) > 0 {
			return &fault{at + ".role", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."}
		}
		if f := validateContent(at, m); f != nil {
			return f
		}
		switch m.Role {
		case "system", "developer", "user":
		case "assistant":
			for j, call := range m.ToolCalls {
				if call.ID == "" || call.Type != "function" || call.Function.Name == "" || open[call.ID] {
					return &fault{fmt.Sprintf("%s.tool_calls[%d]", at, j), "Invalid tool call: an unique id, type 'function' and a name are required."}
				}
				open[call.ID] = true
			}
		case "tool":
			if !open[m.ToolCallID] {
				return &fault{at + ".role", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."}
			}
			delete(open, m.ToolCallID)
		default:
			return &fault{at + ".role", fmt.Sprintf("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", m.Role)}
		}
	}
	if len(open) > 0 {
		return &fault{"messages", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."}
	}
	return nil
}

func validateContent(at string, m Message) *fault {
	if len(m.Content) == 0 || string(m.Content) == "null" {
		if m.Role == "assistant" && len(m.ToolCalls) > 0 {
			return nil
		}
		return &fault{at + ".content", "Invalid value for 'content': expected a string, got null."}
	}
	var text string
	if json.Unmarshal(m.Content, &text) == nil {
		return nil
	}
	var parts []part
	if json.Unmarshal(m.Content, &parts) != nil || len(parts) == 0 {
		return &fault{at + ".content", "Invalid type for 'content': expected a string or an array of objects."}
	}
	for j, p := range parts {
		here := fmt.Sprintf("%s.content[%d]", at, j)
		switch {
		case p.Type == "text":
		case p.Type == "image_url" && m.Role == "user" && p.ImageURL != nil && p.ImageURL.URL != "":
		case p.Type == "image_url":
			return &fault{here, "Invalid content type. image_url is only supported in user messages, with a url."}
		default:
			return &fault{here + ".type", fmt.Sprintf("Invalid value: '%s'.", p.Type)}
		}
	}
	return nil
}
