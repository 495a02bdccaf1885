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

type stepResult struct {
	// as the model wrote it, without the markup of calls; messages are separated by a blank line
	text    string
	shown   bool // the reader saw the text
	calls   []llm.ToolCall
	offered tool.Set // tools that could be called
	finish  llm.Finish
}

// step makes one model call, streams the text to the reader and collects the tool calls. If the
// answer was cut by its length limit, step requests the rest once.
func (w *worker) step(ctx context.Context, number int) (result stepResult, err error) {
	req, offered, err := w.buildRequest(ctx, number)
	if err == nil {
		err = w.checkAudience(ctx)
	}
	if err != nil {
		return stepResult{}, err
	}
	// Text that looks like a call is hidden in the last step too, although no tool can be called
	// there. JSON answers are exempt.
	h := &reply{
		text:   textcall.NewFilter(w.tools.Specs(), !w.model.Info().NativeTools && w.req.ResponseFormat == nil),
		screen: w.req.Filter.Screen(filter.Answer{Turn: string(w.req.Turn), Model: w.model.Info().Name}),
	}
	defer w.writer.close()
	w.writer.takeText() // discard the text of a failed step
	w.writer.holdNarration = w.mayNarrate()
	err = w.streamReply(ctx, req, h)
	if err == nil && w.isCut(h) {
		err, offered = w.continueAnswer(ctx, number, h), tool.Set{}
	}
	if err != nil && !h.blocked {
		_ = w.flushReply(ctx, h.screen, h.text.Flush()) // the model's error is more useful
	}
	if err != nil {
		return stepResult{}, err
	}
	err = w.flushReply(ctx, h.screen, h.text.Flush())
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
		// Many servers ignore a required call. Run the search without them.
		result.calls = []llm.ToolCall{w.searchCall()}
	}
	// the text is narration, or will be requested again
	if len(result.calls) > 0 && (offered.Len() > 0 || !w.retriedEmpty) {
		w.writer.turnIntoStatus()
	}
	w.writer.close()
	result.text, result.shown = w.writer.takeText(), !w.writer.dropped
	if result.finish == llm.FinishRefusal {
		return result, fmt.Errorf("model %s: %w", w.model.Info().Name, llm.ErrRefused)
	}
	return result, nil
}

// mayNarrate reports whether text of the step probably precedes a tool call. Until the model has
// called a tool in this turn, the answer depends on its habits in earlier turns.
func (w *worker) mayNarrate() bool {
	if w.tools.Len() == 0 || w.toolless || w.req.ResponseFormat != nil || w.model.Info().Extractive {
		return false
	}
	if len(w.ranTools) == 0 {
		return !w.req.SmallTalk && !w.habits.skipsNarration(w.model.Info().Name)
	}
	return w.narrates
}

type reply struct {
	text     *textcall.Filter
	screen   filter.Screen
	raw      strings.Builder // what the model wrote
	calls    callAssembler
	thinking bool // the reader was shown that the model thinks, without its reasoning
	blocked  bool // the screen ended the answer
	finish   llm.Finish
}

func (w *worker) streamReply(ctx context.Context, req llm.Request, h *reply) error {
	began := time.Now()
	var usage llm.Usage
	name := w.standInName
	defer func() { w.recorder.AddInference(name, usage, time.Since(began)) }()
	for d, err := range w.model.Stream(ctx, req) {
		if err != nil {
			return err
		}
		if d.Model != "" {
			name = d.Model
		}
		if d.Text != "" || d.Reasoning != "" || d.Call != nil {
			w.recorder.NoteFirstToken()
		}
		switch {
		case d.Reasoning == "":
		case !w.req.Filter.Screens():
			w.writer.writeReasoning(d.Reasoning)
		case !h.thinking:
			h.thinking = true
			w.writer.writeReasoning("")
		}
		if d.Quoted != nil {
			w.quoted[d.Quoted.Number] = *d.Quoted
		}
		if d.Text != "" {
			h.raw.WriteString(d.Text)
			shown, err := h.screen.Push(ctx, h.text.Push(d.Text))
			w.writer.writeText(shown)
			if err != nil {
				h.blocked = true
				return err
			}
		}
		if d.Call != nil {
			h.calls.add(*d.Call)
			w.writer.toolCallBegan()
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

func (w *worker) isCut(h *reply) bool {
	return h.finish == llm.FinishLength && !w.continued && len(h.calls.order) == 0 && strings.TrimSpace(h.raw.String()) != "" &&
		w.req.ResponseFormat == nil
}

// continueAnswer asks the model for the rest of an answer that was cut off. If that fails, the
// answer stays incomplete. An error means that the answer must not be continued.
func (w *worker) continueAnswer(ctx context.Context, number int, h *reply) error {
	w.continued = true
	w.nudge, w.partial = prompt.Continue, h.raw.String()
	req, _, err := w.buildRequest(ctx, number)
	w.nudge, w.partial = "", ""
	if err == nil {
		if err := w.checkAudience(ctx); err != nil {
			return err
		}
		before := h.raw.Len()
		if err = w.streamReply(ctx, req, h); h.raw.Len() == before {
			h.finish = llm.FinishLength
		}
	}
	if err == nil || h.blocked || ctx.Err() != nil {
		return err
	}
	w.logger.WarnContext(ctx, "request for the rest of a cut answer failed", "turn", w.req.Turn, "model", w.model.Info().Name, "error", err)
	h.finish = llm.FinishLength
	return nil
}

func (w *worker) flushReply(ctx context.Context, screen filter.Screen, visible string) error {
	shown, err := screen.Push(ctx, visible)
	w.writer.writeText(shown)
	if err != nil {
		return err
	}
	shown, err = screen.Flush(ctx)
	w.writer.writeText(shown)
	return err
}

const maxCalls = 64

// identify gives every call an id that is unique within the turn. Some models send no id, or the
// same id twice.
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

const maxArguments = 256 << 10

// callAssembler joins the fragments of tool calls, which may be interleaved.
type callAssembler struct {
	order   []int
	byIndex map[int]*fragments
}

type fragments struct {
	id, name  string
	arguments strings.Builder
}

func (a *callAssembler) add(d llm.CallDelta) {
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

// calls returns the calls in the order in which they began. Calls without a name are omitted.
func (a *callAssembler) calls() []llm.ToolCall {
	var out []llm.ToolCall
	for _, i := range a.order {
		if f := a.byIndex[i]; f.name != "" {
			out = append(out, llm.ToolCall{ID: f.id, Name: f.name, Arguments: f.arguments.String()})
		}
	}
	return out
}
