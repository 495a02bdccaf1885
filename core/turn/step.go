package turn

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/tool/textcall"
)

// stepResult is what one inference gave.
type stepResult struct {
	text   string // as the model wrote it, without the markup of calls; two messages are parted by a blank line
	shown  bool   // the reader saw it
	calls  []llm.ToolCall
	finish llm.Finish
}

// step is one inference: it streams the model's words to the reader as they come, and gathers its calls. Every block that it opens is
// closed when it returns, however it does.
func (w *worker) step(ctx context.Context, number int, req llm.Request, filter *textcall.Filter) (result stepResult, err error) {
	began := time.Now()
	var (
		usage llm.Usage
		name  string
		text  strings.Builder
		calls assembly
	)
	defer func() { w.record.Asked(name, usage, time.Since(began)) }()
	defer w.voice.close()
	say := func(visible string) {
		taken, opened := w.voice.say(visible)
		if opened && text.Len() > 0 {
			text.WriteString(messageBreak)
		}
		text.WriteString(taken)
	}
	for d, err := range w.model.Stream(ctx, req) {
		if err != nil {
			say(filter.Flush())
			return stepResult{}, err
		}
		if d.Model != "" {
			name = d.Model
		}
		if d.Text != "" || d.Reasoning != "" || d.Call != nil {
			w.record.Received()
		}
		if d.Reasoning != "" {
			w.voice.reason(d.Reasoning)
		}
		if d.Text != "" {
			say(filter.Push(d.Text))
		}
		if d.Call != nil {
			calls.add(*d.Call)
		}
		if d.Usage != nil {
			usage = *d.Usage
		}
		if d.Finish != "" {
			result.finish = d.Finish
		}
	}
	say(filter.Flush())
	if cause := context.Cause(ctx); cause != nil {
		return stepResult{}, cause
	}
	w.voice.close()
	result.text, result.shown = text.String(), !w.voice.dropped
	result.calls = w.identify(number, append(calls.calls(), filter.Calls()...))
	if result.finish == llm.FinishRefusal {
		return result, fmt.Errorf("model %s: %w", w.model.Info().Name, llm.ErrRefused)
	}
	return result, nil
}

// identify gives every call an id that is unique within the turn: some models send none, or the same one twice.
func (w *worker) identify(step int, calls []llm.ToolCall) []llm.ToolCall {
	for i := range calls {
		if calls[i].ID == "" || w.ids[calls[i].ID] {
			calls[i].ID = fmt.Sprintf("call_%d_%d", step, i)
		}
		w.ids[calls[i].ID] = true
	}
	return calls
}

// maxArguments is how many bytes of a call's arguments are kept; no tool takes more.
const maxArguments = 256 << 10

// assembly gathers the pieces of tool calls, which may come interleaved.
type assembly struct {
	order   []int
	byIndex map[int]*fragments
}

type fragments struct {
	id, name  string
	arguments strings.Builder
}

func (a *assembly) add(d llm.CallDelta) {
	f := a.byIndex[d.Index]
	if f == nil {
		if a.byIndex == nil {
			a.byIndex = make(map[int]*fragments)
		}
		f = &fragments{}
		a.byIndex[d.Index] = f
		a.order = append(a.order, d.Index)
	}
	if d.ID != "" {
		f.id = d.ID
	}
	if d.Name != "" {
		f.name = d.Name
	}
	if f.arguments.Len() < maxArguments {
		f.arguments.WriteString(d.Arguments)
	}
}

// calls are the calls in the order in which they began. One without a name cannot be meant.
func (a *assembly) calls() []llm.ToolCall {
	var out []llm.ToolCall
	for _, i := range a.order {
		if f := a.byIndex[i]; f.name != "" {
			out = append(out, llm.ToolCall{ID: f.id, Name: f.name, Arguments: f.arguments.String()})
		}
	}
	return out
}
