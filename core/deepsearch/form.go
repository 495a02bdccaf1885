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

// formTokens is the most that a form is written in, what a model reasons included.
const formTokens = 4_096

// errAudience ends a turn that was laid out for others than those who listen now.
var errAudience = errors.New("the audience is not what the search was begun for")

// textForm says how a form is filled in by a model without an interface for tools.
const textForm = `Write nothing but one call, in exactly this form:

<tool_call>{"name": %q, "arguments": {…}}</tool_call>

The arguments follow this JSON Schema: %s`

// form asks the model for values that are read by a program: the arguments of one tool. A model
// that writes them as text is understood, too.
func (s *inquiry) form(ctx context.Context, spec llm.ToolSpec, instructions, content string, into any) error {
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
		raw, err := s.filled(ctx, model, spec, instructions, content, native)
		if native && errors.Is(err, llm.ErrNoTools) {
			native = false
			continue
		}
		if err != nil {
			return fmt.Errorf("ask for %s: %w", spec.Name, err)
		}
		if err := json.Unmarshal([]byte(raw), into); err != nil {
			return fmt.Errorf("read %s: %w", spec.Name, err)
		}
		return nil
	}
}

// filled is one inference, and the arguments that came of it.
func (s *inquiry) filled(ctx context.Context, model llm.Model, spec llm.ToolSpec, instructions, content string, native bool) (string, error) {
	info := model.Info()
	req := llm.Request{MaxTokens: min(formTokens, max(256, info.Window/4))}
	if native {
		req.Tools, req.Choice = []llm.ToolSpec{spec}, llm.ToolChoice{Mode: llm.Required, Name: spec.Name}
	} else {
		instructions += "\n\n" + fmt.Sprintf(textForm, spec.Name, spec.Parameters)
	}
	// Of a narrow window half is for what it is asked about; a token is two characters or more in
	// every language that matters here.
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
			s.spend(cmp.Or(d.Model, info.Name), *d.Usage)
		}
		if text.Len()+arguments.Len() > 1<<20 {
			return "", fmt.Errorf("%w: it does not end", llm.ErrIncomplete)
		}
	}
	text.WriteString(filter.Flush())
	if arguments.Len() > 0 {
		return arguments.String(), nil
	}
	for _, call := range filter.Calls() {
		return call.Arguments, nil
	}
	// Some write the object alone, in the middle of a sentence.
	said := text.String()
	if from, to := strings.Index(said, "{"), strings.LastIndex(said, "}"); from >= 0 && to > from {
		return said[from : to+1], nil
	}
	return "", fmt.Errorf("%w: it called nothing", llm.ErrEmpty)
}
