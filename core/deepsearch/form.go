package deepsearch

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/tool/textcall"
)

// formTokens is the maximum number of tokens of a reply with a tool call, including reasoning.
const formTokens = 4_096

var errAudience = errors.New("the audience has changed since the search began")

// textForm tells a model without native tool calls how to write the call as text.
const textForm = `Write nothing but one call, in exactly this form:

<tool_call>{"name": %q, "arguments": {…}}</tool_call>

The arguments follow this JSON Schema: %s`

// callTool makes the model call one tool and decodes the arguments into a value. It also accepts
// arguments that the model wrote as text.
func (s *inquiry) callTool(ctx context.Context, spec llm.ToolSpec, instructions, content string, into any) error {
	if s.req.CheckAudience != nil {
		if err := s.req.CheckAudience(ctx); err != nil {
			return fmt.Errorf("%w: %w", errAudience, err)
		}
	}
	model := s.model
	if _, chained := model.(*llm.Chain); !chained {
		model = llm.NewChain(s.config.Policy, model)
	}
	native := model.Info().NativeTools && !s.req.Depth.Plain
	for {
		raw, err := s.inferArguments(ctx, model, spec, instructions, content, native)
		if native && errors.Is(err, llm.ErrNoTools) {
			native = false
			continue
		}
		if err != nil {
			return fmt.Errorf("request %s: %w", spec.Name, err)
		}
		if err := json.Unmarshal([]byte(raw), into); err != nil {
			return fmt.Errorf("decode %s: %w", spec.Name, err)
		}
		return nil
	}
}

func (s *inquiry) inferArguments(ctx context.Context, model llm.Model, spec llm.ToolSpec, instructions, content string, native bool) (string, error) {
	info := model.Info()
	req := llm.Request{MaxTokens: min(formTokens, max(256, info.Window/4))}
	if native {
		req.Tools, req.Choice = []llm.ToolSpec{spec}, llm.ToolChoice{Mode: llm.Required, Name: spec.Name}
	} else {
		instructions += "\n\n" + fmt.Sprintf(textForm, spec.Name, spec.Parameters)
	}
	// The content gets about half of a small window: a token is two or more characters in most
	// languages.
	req.Messages = []llm.Message{{Role: llm.System, Text: instructions}, {Role: llm.User, Text: excerpt(content, max(500, info.Window))}}
	var text, arguments strings.Builder
	filter := textcall.NewFilter([]llm.ToolSpec{spec}, true)
	for d, err := range model.Stream(ctx, req) {
		if err != nil {
			return "", err
		}
		text.WriteString(filter.Push(d.Text))
		if d.Call != nil && d.Call.Index == 0 {
			arguments.WriteString(d.Call.Arguments)
		}
		if d.Usage != nil {
			s.addUsage(cmp.Or(d.Model, info.Name), *d.Usage)
		}
		if text.Len()+arguments.Len() > 1<<20 {
			return "", fmt.Errorf("%w: the reply is too long", llm.ErrIncomplete)
		}
	}
	text.WriteString(filter.Flush())
	if arguments.Len() > 0 {
		return arguments.String(), nil
	}
	for _, call := range filter.Calls() {
		return call.Arguments, nil
	}
	// Some models write only the JSON object, inside a sentence.
	reply := text.String()
	if from, to := strings.Index(reply, "{"), strings.LastIndex(reply, "}"); from >= 0 && to > from {
		return reply[from : to+1], nil
	}
	return "", fmt.Errorf("%w: the reply has no tool call", llm.ErrEmpty)
}
