// Package llm defines the interface to language models. It has the request, the streamed reply, and
// the errors that callers distinguish. An llm.Message is the third representation of a message,
// after the stored row and message.Message.
package llm

import (
	"context"
	"encoding/json"
	"iter"
)

// Role says who speaks in a [Message].
type Role string

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one entry of the model's input.
type Message struct {
	Role       Role
	Text       string
	Images     []Image
	ToolCalls  []ToolCall // Assistant: the calls it made
	ToolCallID string     // Tool: the call that Text answers
}

// Image is a picture attached to a user message.
type Image struct {
	Media string // MIME type
	Data  []byte
}

// ToolSpec describes a tool to the model. Parameters is a JSON Schema object.
type ToolSpec struct {
	Name        string
	Description string
	Parameters  json.RawMessage
}

// ToolCall is one call that a model made. Arguments is the text that the model wrote. It may be
// invalid JSON.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string
}

// ToolChoice says whether the model may, must or must not call a tool.
type ToolChoice struct {
	Mode ChoiceMode
	Name string // with Required: the tool to call; empty means any
}

// ChoiceMode is the mode of a [ToolChoice]. The zero value is Auto.
type ChoiceMode int

const (
	Auto ChoiceMode = iota
	Required
	None
)

// Request is the input of one model call.
type Request struct {
	Messages       []Message
	Tools          []ToolSpec
	Choice         ToolChoice
	MaxTokens      int             // maximum length of the reply; 0 leaves it to the provider
	ResponseFormat json.RawMessage // JSON Schema that the answer must follow; nil for free text
	Temperature    float64
}

// Finish is the reason why a stream ended. A stream without a Finish was cut off.
type Finish string

const (
	FinishStop      Finish = "stop"
	FinishToolCalls Finish = "tool_calls"
	FinishLength    Finish = "length"
	FinishLimit     Finish = "limit"   // Limits cut the answer; its tool calls are incomplete
	FinishRefusal   Finish = "refusal" // the provider's content filter or the model itself declined
)

// Delta is one piece of a stream. Any field may be set. If a model declines to answer, its
// explanation is Text and the stream ends with FinishRefusal.
type Delta struct {
	// name of the model that writes, if it is a fallback; Chain sets it on the first delta of the
	// fallback
	Model     string
	Text      string
	Reasoning string
	Call      *CallDelta
	Usage     *Usage
	Finish    Finish
	Quoted    *Quoted // only of models that quote; before the text that cites its Number
}

// Quoted says which text of a passage an answer quotes, so that the citation leads to its section.
type Quoted struct {
	Number  int    // of the passage
	Section string // heading above the quotation
	Text    string // a quoted block; empty if the passage is only linked
}

// CallDelta is a piece of a tool call. Pieces with the same Index belong to the same call. The
// first piece carries ID and Name.
type CallDelta struct {
	Index     int
	ID        string
	Name      string
	Arguments string // appended to those of earlier pieces
}

// Usage counts tokens as the provider bills them.
type Usage struct {
	Input int `json:"input"`
	// part of Input that came from the provider's cache at a lower price
	Cached int `json:"cached,omitempty"`
	Output int `json:"output"`
}

// Info describes the size and abilities of a model.
type Info struct {
	Name        string
	Window      int  // tokens of input and reply together
	Reply       int  // tokens reserved for the reply
	Vision      bool // can read images
	NativeTools bool // calls tools through the API; otherwise calls are read from its text
	Thinks      bool // may reason for minutes before its first word
	// the model gets one request with a few passages that were retrieved before, and no tools
	Small      bool
	Extractive bool // quotes passages instead of writing; the answer says so
}

// Model streams answers. Implementations must be safe for concurrent use.
//
// Stream yields deltas as they arrive. A zero Delta is a heartbeat, for example a comment that a
// gateway sends to keep the connection open. At most one error comes, as the last value, with a
// zero Delta. It wraps one of this package's errors if one applies. If the caller leaves the loop
// or cancels ctx, Stream closes the connection to the provider before its iterator returns.
type Model interface {
	Stream(ctx context.Context, req Request) iter.Seq2[Delta, error]
	Info() Info
}
