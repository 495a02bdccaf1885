package openai

import (
	"encoding/base64"
	"encoding/json"
	"fmt"

	sdk "github.com/sashabaranov/go-openai"

	"github.com/footnotehq/footnote/core/llm"
)

// dialect records which optional request fields an endpoint has rejected.
type dialect struct {
	noUsage       bool // rejects stream_options
	swapMaxTokens bool // expects max_completion_tokens instead of max_tokens, or the reverse
	noTemperature bool
	noChoice      bool // supports tools but not forced calls
	noNone        bool // supports tools but not tool_choice none
}

// noContent replaces empty text, because several endpoints reject an empty tool result.
const noContent = "(empty)"

func (m *Model) encode(req llm.Request, d dialect) (sdk.ChatCompletionRequest, error) {
	out := sdk.ChatCompletionRequest{Model: m.config.Model, Stream: true}
	if !d.noUsage {
		out.StreamOptions = &sdk.StreamOptions{IncludeUsage: true}
	}
	if req.MaxTokens > 0 {
		if m.traits.reasoning != d.swapMaxTokens {
			out.MaxCompletionTokens = req.MaxTokens
		} else {
			out.MaxTokens = req.MaxTokens //nolint:staticcheck // deprecated at OpenAI, and the only field that many other servers know
		}
	}
	if !m.traits.reasoning && !d.noTemperature {
		out.Temperature = float32(req.Temperature)
	}
	tools := req.Tools
	// Without tools, the prompt is not cached. An unwanted call would be worse.
	if req.Choice.Mode == llm.None && d.noNone {
		tools = nil
	}
	if len(tools) > 0 {
		out.ReasoningEffort = m.traits.effort
	}
	for i, message := range req.Messages {
		encoded, err := encodeMessage(message)
		if err != nil {
			return out, fmt.Errorf("%w: message %d: %w", llm.ErrBadRequest, i, err)
		}
		out.Messages = append(out.Messages, encoded)
	}
	for _, tool := range tools {
		if !isObject(tool.Parameters) {
			return out, fmt.Errorf("%w: the parameters of tool %q are not a JSON Schema object", llm.ErrBadRequest, tool.Name)
		}
		out.Tools = append(out.Tools, sdk.Tool{Type: sdk.ToolTypeFunction, Function: &sdk.FunctionDefinition{
			Name: tool.Name, Description: tool.Description, Parameters: tool.Parameters,
		}})
	}
	if len(out.Tools) > 0 && (req.Choice.Mode == llm.None || !d.noChoice) {
		out.ToolChoice = toolChoice(req.Choice)
	}
	if len(req.ResponseFormat) > 0 {
		if !isObject(req.ResponseFormat) {
			return out, fmt.Errorf("%w: the response format is not a JSON Schema object", llm.ErrBadRequest)
		}
		out.ResponseFormat = &sdk.ChatCompletionResponseFormat{
			Type:       sdk.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &sdk.ChatCompletionResponseFormatJSONSchema{Name: "answer", Schema: req.ResponseFormat, Strict: isClosedSchema(req.ResponseFormat)},
		}
	}
	return out, nil
}

func isObject(raw json.RawMessage) bool {
	var object map[string]json.RawMessage
	return json.Unmarshal(raw, &object) == nil && object != nil
}

// isClosedSchema reports whether a schema forbids additional properties, as OpenAI's strict mode
// requires.
func isClosedSchema(schema json.RawMessage) bool {
	var object struct {
		Additional *bool `json:"additionalProperties"`
	}
	return json.Unmarshal(schema, &object) == nil && object.Additional != nil && !*object.Additional
}

// toolChoice converts a choice to the value of tool_choice in a request. It returns nil for the
// provider's default, which is "auto".
func toolChoice(c llm.ToolChoice) any {
	switch c.Mode {
	case llm.Required:
		if c.Name == "" {
			return "required"
		}
		return sdk.ToolChoice{Type: sdk.ToolTypeFunction, Function: sdk.ToolFunction{Name: c.Name}}
	case llm.None:
		return "none"
	case llm.Auto:
	}
	return nil
}

func encodeMessage(message llm.Message) (sdk.ChatCompletionMessage, error) {
	out := sdk.ChatCompletionMessage{Role: string(message.Role), Content: message.Text}
	switch message.Role {
	case llm.System:
	case llm.User:
		if len(message.Images) > 0 {
			out.Content, out.MultiContent = "", contentParts(message)
			return out, nil
		}
	case llm.Assistant:
		for _, call := range message.ToolCalls {
			arguments := call.Arguments
			if !json.Valid([]byte(arguments)) {
				arguments = "{}" // invalid arguments would make the endpoint refuse every later request
			}
			out.ToolCalls = append(out.ToolCalls, sdk.ToolCall{
				ID: call.ID, Type: sdk.ToolTypeFunction, Function: sdk.FunctionCall{Name: call.Name, Arguments: arguments},
			})
		}
		if len(out.ToolCalls) > 0 {
			return out, nil // content is optional if there are calls
		}
	case llm.Tool:
		if message.ToolCallID == "" {
			return out, fmt.Errorf("a tool result names no call")
		}
		out.ToolCallID = message.ToolCallID
	default:
		return out, fmt.Errorf("unknown role %q", message.Role)
	}
	if out.Content == "" {
		out.Content = noContent
	}
	return out, nil
}

func contentParts(message llm.Message) []sdk.ChatMessagePart {
	var out []sdk.ChatMessagePart
	if message.Text != "" {
		out = append(out, sdk.ChatMessagePart{Type: sdk.ChatMessagePartTypeText, Text: message.Text})
	}
	for _, image := range message.Images {
		out = append(out, sdk.ChatMessagePart{Type: sdk.ChatMessagePartTypeImageURL, ImageURL: &sdk.ChatMessageImageURL{
			URL: "data:" + image.Media + ";base64," + base64.StdEncoding.EncodeToString(image.Data),
		}})
	}
	return out
}

func requestTexts(req llm.Request) []string {
	var out []string
	for _, message := range req.Messages {
		out = append(out, message.Text)
		for _, call := range message.ToolCalls {
			out = append(out, call.Arguments)
		}
	}
	return out
}
