// Package llm is the port to language models: what they are asked (the third representation of a
// message), what they stream back, and the errors that callers tell apart.
package llm

import (
	"context"
	"encoding/json"
	"iter"
)

// Role is a speaker in the model's input.
type Role string

const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one entry of the model's input. prompt.Builder makes them; nothing else does.
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

// ToolCall is one call that a model made. Arguments is what the model wrote: perhaps not valid
// JSON.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string
}

// ToolChoice says whether the model may, must or must not call a tool.
type ToolChoice struct {
	Mode ChoiceMode
	Name string // with Required: this tool; empty means any
}

// ChoiceMode is the zero-valued Auto unless set.
type ChoiceMode int

const (
	Auto ChoiceMode = iota
	Required
	None
)

// Request is one inference.
type Request struct {
	Messages       []Message
	Tools          []ToolSpec
	Choice         ToolChoice
	MaxTokens      int             // of the reply; 0 leaves it to the provider
	ResponseFormat json.RawMessage // JSON Schema that the answer must follow; nil for free text
	Temperature    float64
}

// Finish says why a stream ended. A stream that ends without one was cut.
type Finish string

const (
	FinishStop      Finish = "stop"
	FinishToolCalls Finish = "tool_calls"
	FinishLength    Finish = "length"
	FinishLimit     Finish = "limit"   // Limits cut the answer; calls that came with it are incomplete
	FinishRefusal   Finish = "refusal" // the provider's content filter or the model itself declined
)

// Delta is one piece of a stream. Any field may be set. A model that declines in its own words
// sends them as Text, with FinishRefusal at the end.
type Delta struct {
	// who writes, where that is not the model that was asked; set by Chain with the first delta of
	// a fallback
	Model     string
	Text      string
	Reasoning string
	Call      *CallDelta
	Usage     *Usage
	Finish    Finish
}

// CallDelta is a piece of a tool call. Pieces with the same Index belong together; ID and Name come
// with the first of them.
type CallDelta struct {
	Index     int
	ID        string
	Name      string
	Arguments string // to be appended
}

// Usage counts tokens as the provider bills them.
type Usage struct {
	Input int `json:"input"`
	// of Input, what the provider had read before and bills at a lower price
	Cached int `json:"cached,omitempty"`
	Output int `json:"output"`
}

// Info is what callers need to know of a model.
type Info struct {
	Name        string
	Window      int  // tokens of input and reply together
	Reply       int  // tokens kept free for the reply
	Vision      bool // can read images
	NativeTools bool // calls tools through the API; otherwise calls are read from its text
	Thinks      bool // may reason for minutes before its first word
	// is asked once, with a few passages that were searched for before, and is offered no tools
	Small      bool
	Extractive bool // quotes passages instead of writing; answers say so
}

// Model streams answers. Implementations are safe for concurrent use.
//
// Stream yields deltas as they arrive. A zero Delta is a sign of life, such as a comment that a
// gateway sends to keep a connection open. An error comes once, last, with a zero Delta, and is one
// of this package's typed errors where it applies. Breaking out of the loop or cancelling ctx
// closes the connection to the provider before Stream's iterator returns.
type Model interface {
	Stream(ctx context.Context, req Request) iter.Seq2[Delta, error]
	Info() Info
}
