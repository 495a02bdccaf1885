package turn

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
	"github.com/footnotehq/footnote/core/tool/textcall"
)

// stepResult is what one inference gave.
type stepResult struct {
	// as the model wrote it, without the markup of calls; two messages are parted by a blank line
	text    string
	shown   bool // the reader saw it
	calls   []llm.ToolCall
	offered tool.Set // what could be called
	finish  llm.Finish
}

// step is one inference: it asks the model, streams its words to the reader as they come, and
// gathers its calls. An answer that its length cuts is asked for its rest once. Every block that it
// opens is closed when it returns, however it does.
func (w *worker) step(ctx context.Context, number int) (result stepResult, err error) {
	req, offered, err := w.lay(ctx, number)
	if err == nil {
		err = w.still(ctx)
	}
	if err != nil {
		return stepResult{}, err
	}
	// What looks like a call is kept from the reader in the last step too, although nothing can be
	// called there any more. An answer that must be JSON is not taken for one.
	h := &hearing{
		text:   textcall.NewFilter(w.tools.Specs(), !w.model.Info().NativeTools && w.req.ResponseFormat == nil),
		screen: w.req.Filter.Screen(filter.Answer{Turn: string(w.req.Turn), Model: w.model.Info().Name}),
	}
	defer w.voice.close()
	w.voice.take() // of a step that failed
	w.voice.holding = w.mayNarrate()
	err = w.hear(ctx, req, h)
	if err == nil && w.isCut(h) {
		err, offered = w.continueAnswer(ctx, number, h), tool.Set{}
	}
	if err != nil && !h.blocked {
		_ = w.finish(ctx, h.screen, h.text.Flush()) // the model's own error says more
	}
	if err != nil {
		return stepResult{}, err
	}
	err = w.finish(ctx, h.screen, h.text.Flush())
	if cause := context.Cause(ctx); cause != nil {
		return stepResult{}, cause
	}
	if err != nil {
		return stepResult{}, err
	}
	result.offered, result.finish = offered, h.finish
	if result.finish != llm.FinishLimit {
		result.calls = w.identify(number, append(h.calls.calls(), h.text.Calls()...))
	}
	if len(result.calls) == 0 && result.finish != llm.FinishLimit && result.finish != llm.FinishRefusal && req.Choice.Mode == llm.Required && req.Choice.Name == search.Name {
		// Many servers ignore that a call is required. The search can be made without them.
		result.calls = []llm.ToolCall{w.searchCall()}
	}
	// it is not the answer, or is asked for once more
	if len(result.calls) > 0 && (offered.Len() > 0 || !w.asked) {
		w.voice.narrate()
	}
	w.voice.close()
	result.text, result.shown = w.voice.take(), !w.voice.dropped
	if result.finish == llm.FinishRefusal {
		return result, fmt.Errorf("model %s: %w", w.model.Info().Name, llm.ErrRefused)
	}
	return result, nil
}

// mayNarrate reports whether text of the step is likely to be followed by a tool call. Before the
// first call that depends on what the model did in earlier turns, after it on this turn alone.
func (w *worker) mayNarrate() bool {
	if w.tools.Len() == 0 || w.toolless || w.req.ResponseFormat != nil || w.model.Info().Extractive {
		return false
	}
	if len(w.ran) == 0 {
		return !w.req.SmallTalk && !w.habits.quiet(w.model.Info().Name)
	}
	return w.narrates
}

// hearing is what was heard of a reply, which may come in two streams.
type hearing struct {
	text     *textcall.Filter
	screen   filter.Screen
	raw      strings.Builder // what the model wrote
	calls    assembly
	thinking bool // a reader saw that it thinks, and not what
	blocked  bool // the screen ended the answer
	finish   llm.Finish
}

// hear asks the model and passes on one stream.
func (w *worker) hear(ctx context.Context, req llm.Request, h *hearing) error {
	began := time.Now()
	var usage llm.Usage
	name := w.stoodIn
	defer func() { w.record.Asked(name, usage, time.Since(began)) }()
	for d, err := range w.model.Stream(ctx, req) {
		if err != nil {
			return err
		}
		if d.Model != "" {
			name = d.Model
		}
		if d.Text != "" || d.Reasoning != "" || d.Call != nil {
			w.record.Received()
		}
		switch {
		case d.Reasoning == "":
		case !w.req.Filter.Screens():
			w.voice.reason(d.Reasoning)
		case !h.thinking:
			h.thinking = true
			w.voice.reason("")
		}
		if d.Text != "" {
			h.raw.WriteString(d.Text)
			shown, err := h.screen.Push(ctx, h.text.Push(d.Text))
			w.voice.say(shown)
			if err != nil {
				h.blocked = true
				return err
			}
		}
		if d.Call != nil {
			h.calls.add(*d.Call)
			w.voice.called()
		}
		if d.Usage != nil {
			usage = *d.Usage
		}
		if d.Finish != "" {
			h.finish = d.Finish
		}
	}
	return context.Cause(ctx)
}

// isCut reports whether the answer reached its longest length and its rest can be asked for.
func (w *worker) isCut(h *hearing) bool {
	return h.finish == llm.FinishLength && !w.resumed && len(h.calls.order) == 0 && strings.TrimSpace(h.raw.String()) != "" &&
		w.req.ResponseFormat == nil
}

// continueAnswer asks for the rest of an answer that was cut. Where that fails, the answer stays
// cut; the error is why it must not be shown further.
func (w *worker) continueAnswer(ctx context.Context, number int, h *hearing) error {
	w.resumed = true
	w.nudge, w.partial = prompt.Continue, h.raw.String()
	req, _, err := w.lay(ctx, number)
	w.nudge, w.partial = "", ""
	if err == nil {
		if err := w.still(ctx); err != nil {
			return err
		}
		before := h.raw.Len()
		if err = w.hear(ctx, req, h); h.raw.Len() == before {
			h.finish = llm.FinishLength
		}
	}
	if err == nil || h.blocked || ctx.Err() != nil {
		return err
	}
	w.log.WarnContext(ctx, "rest of a cut answer could not be had", "turn", w.req.Turn, "model", w.model.Info().Name, "error", err)
	h.finish = llm.FinishLength
	return nil
}

// finish says the rest of what was looked at.
func (w *worker) finish(ctx context.Context, screen filter.Screen, visible string) error {
	shown, err := screen.Push(ctx, visible)
	w.voice.say(shown)
	if err != nil {
		return err
	}
	shown, err = screen.Flush(ctx)
	w.voice.say(shown)
	return err
}

// maxCalls is how many calls of one step are run.
const maxCalls = 64

// identify gives every call that is run an id that is unique within the turn: some models send
// none, or the same one twice.
func (w *worker) identify(step int, calls []llm.ToolCall) []llm.ToolCall {
	calls = calls[:min(len(calls), maxCalls)]
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
