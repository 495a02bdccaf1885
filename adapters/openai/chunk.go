package openai

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"

	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/llm"
)

var errMalformed = errors.New("an event of the stream is not valid JSON")

// chunk is one event of a stream. It is parsed from raw JSON, because the SDK drops some fields
// with reasoning and rejects some forms of tool calls.
type chunk struct {
	Choices []struct {
		Delta struct {
			Content          content      `json:"content"`
			Reasoning        content      `json:"reasoning"`         // OpenRouter, Groq, vLLM
			ReasoningContent content      `json:"reasoning_content"` // DeepSeek, llama.cpp, SGLang
			Refusal          content      `json:"refusal"`
			ToolCalls        []callPiece  `json:"tool_calls"`
			FunctionCall     *callContent `json:"function_call"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
		Index        int    `json:"index"`
	} `json:"choices"`
	Usage   *usage `json:"usage"`
	Timings struct {
		Cached int `json:"cache_n"`
	} `json:"timings"` // llama.cpp sends the number here even if its usage has no details
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CacheHit int `json:"prompt_cache_hit_tokens"` // DeepSeek
}

type callPiece struct {
	Index    *int        `json:"index"`
	ID       string      `json:"id"`
	Function callContent `json:"function"`
}

type callContent struct {
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments"`
}

// content is the text of a message, which in JSON is a string or a list of parts. Parts without
// text are ignored.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content(text)
		return nil
	}
	var list []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(data, &list) == nil {
		var joined strings.Builder
		for _, part := range list {
			joined.WriteString(part.Text)
		}
		*c = content(joined.String())
	}
	return nil // ignore unknown forms
}

// arguments is the JSON of a tool call's arguments. Most servers send it inside a string, and some
// as plain JSON.
type arguments string

// UnmarshalJSON implements json.Unmarshaler.
func (a *arguments) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*a = arguments(text)
		return nil
	}
	*a = arguments(data)
	return nil
}

// maxCalls is the maximum index of a tool call. It limits the memory of callers that size a slice
// by the index.
const maxCalls = 1_000

type decoder struct {
	finish  llm.Finish
	usage   *llm.Usage
	refused bool
	ids     map[int]string // calls that have begun, by index
	last    int            // index of the newest call
}

func newDecoder() *decoder { return &decoder{ids: map[int]string{}, last: -1} }

// smallEventBytes is the maximum size of an event that is decoded without waiting for memory.
// Almost every event is smaller.
const smallEventBytes = 4 << 10

func (d *decoder) decodeWithin(ctx context.Context, raw []byte) ([]llm.Delta, error) {
	if len(raw) <= smallEventBytes {
		return d.decode(raw)
	}
	return footprint.Hold(ctx, footprint.Model, int64(len(raw)), func(context.Context) ([]llm.Delta, error) { return d.decode(raw) })
}

// decode converts an event to deltas. It stores the finish reason and the usage, which end returns.
func (d *decoder) decode(raw []byte) ([]llm.Delta, error) {
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, errMalformed // the JSON error would quote the answer
	}
	if c.Usage != nil {
		d.usage = &llm.Usage{Input: c.Usage.Prompt, Cached: max(c.Usage.Details.Cached, c.Usage.CacheHit, c.Timings.Cached), Output: c.Usage.Completion}
	}
	var out []llm.Delta
	for _, choice := range c.Choices {
		if choice.Index != 0 { // only one choice was requested
			continue
		}
		delta := choice.Delta
		reasoning := delta.ReasoningContent
		if reasoning == "" { // some gateways send the text in both fields
			reasoning = delta.Reasoning
		}
		if reasoning != "" {
			out = append(out, llm.Delta{Reasoning: string(reasoning)})
		}
		if delta.Content != "" {
			out = append(out, llm.Delta{Text: string(delta.Content)})
		}
		if delta.Refusal != "" {
			d.refused = true
			out = append(out, llm.Delta{Text: string(delta.Refusal)})
		}
		for _, piece := range delta.ToolCalls {
			out = append(out, llm.Delta{Call: d.call(piece)})
		}
		if delta.FunctionCall != nil {
			zero := 0
			out = append(out, llm.Delta{Call: d.call(callPiece{Index: &zero, Function: *delta.FunctionCall})})
		}
		if choice.FinishReason != "" {
			d.finish = finishReason(choice.FinishReason)
		}
	}
	return out, nil
}

// call converts a piece of a tool call to a delta. If the server does not send an index or an id,
// call generates them.
func (d *decoder) call(piece callPiece) *llm.CallDelta {
	index := d.last
	if piece.Index != nil && (*piece.Index < 0 || *piece.Index > maxCalls) {
		piece.Index = nil
	}
	switch {
	case piece.Index != nil:
		index = *piece.Index
		// Some gateways number every call 0 and distinguish them only by id.
		if known, begun := d.ids[index]; begun && piece.ID != "" && piece.ID != known && piece.Function.Name != "" {
			index = d.indexOf(piece.ID)
		} else if begun && piece.ID == "" && d.last != index && d.last >= 0 && *piece.Index == 0 && piece.Function.Name == "" {
			index = d.last
		}
	case piece.ID != "":
		index = d.indexOf(piece.ID)
	case index < 0 || piece.Function.Name != "":
		index = len(d.ids)
	}
	out := &llm.CallDelta{Index: index, Name: piece.Function.Name, Arguments: string(piece.Function.Arguments)}
	if _, begun := d.ids[index]; !begun {
		out.ID = piece.ID
		if out.ID == "" {
			out.ID = "call_" + rand.Text()
		}
		d.ids[index] = out.ID
	}
	d.last = index
	return out
}

func (d *decoder) indexOf(id string) int {
	for index, known := range d.ids {
		if known == id {
			return index
		}
	}
	index := len(d.ids)
	for _, taken := d.ids[index]; taken; _, taken = d.ids[index] {
		index++
	}
	return index
}

func (d *decoder) end() llm.Delta {
	out := llm.Delta{Finish: d.finish, Usage: d.usage}
	switch {
	case d.refused:
		out.Finish = llm.FinishRefusal
	case d.finish == llm.FinishStop && len(d.ids) > 0: // several servers send "stop" after calls
		out.Finish = llm.FinishToolCalls
	}
	return out
}

func finishReason(reason string) llm.Finish {
	switch reason {
	case "tool_calls", "function_call", "tool_use":
		return llm.FinishToolCalls
	case "length", "max_tokens", "model_length":
		return llm.FinishLength
	case "content_filter", "refusal", "safety":
		return llm.FinishRefusal
	}
	return llm.FinishStop
}
