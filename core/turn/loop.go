package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/span"
	"github.com/footnotehq/footnote/core/spend"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
)

// worker is one model's run through the turn. It belongs to one goroutine.
type worker struct {
	req      Request
	model    llm.Model
	tools    tool.Set
	run      *tool.Runner
	builder  *prompt.Builder
	counter  budget.Counter
	numbers  *cite.Mapping // gives documents their numbers, for all models of the turn
	known    *cite.Mapping // what this model was shown, and so may cite
	voice    *voice
	record   recorder
	log      *slog.Logger
	maxSteps int
	refusal  string // the question is not to be answered, and this says so
	stoodIn  string // the name of the stand-in once it has taken over
	down     error  // why the model could not be reached, where the stand-in took over for that

	ids      map[string]bool  // of tool calls
	ran      map[string]bool  // names of tools that ran
	shown    map[int]bool     // numbers of passages that this turn has shown the model
	passages map[int][]string // what those passages say, by their numbers
	places   map[int][]place  // their sections, by their numbers
	rankings retrieve.Rankings
	citable  bool
	project  []prompt.ProjectFile
	instead  []document.ID // documents of a project that does not fit: the first search looks at nothing else
	steps    []message.Message
	held     []message.Reference // what tools have shown in this turn
	spent    int                 // tokens of this turn's tool results
	asked    bool                // once more, after an empty reply
	spelled  int                 // steps laid out anew because an endpoint takes no tools
}

// work asks the model until it calls no tool any more, at most maxSteps times. Its error is why there is no complete answer; a panic of anything below
// becomes one.
func (w *worker) work(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.log.ErrorContext(ctx, "turn panicked", "turn", w.req.Turn, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errPanic
		}
	}()
	switch {
	case w.refusal != "":
		return errRefused(w.refusal)
	case w.req.SearchOnly:
		return w.searchOnly(ctx)
	}
	for _, f := range w.req.Project {
		ref := projectRef(f)
		n := w.numbers.Add(sourceOf(message.Reference{Document: ref}))
		w.project = append(w.project, prompt.ProjectFile{Number: n, File: f})
	}
	for number := range w.maxSteps {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		stepping, told := span.Begin(ctx, "step", slog.Int("number", number+1), slog.String("model", w.model.Info().Name))
		result, err := w.step(stepping, number)
		for w.useStandIn(ctx, err) || w.spell(ctx, err) {
			result, err = w.step(stepping, number)
		}
		done := false
		if err == nil {
			done, err = w.follow(stepping, number, result)
		}
		if w.down != nil && (err != nil || done && !result.shown) {
			done, err = true, w.down // nothing was quoted
		} else if w.down != nil && done {
			w.record.Noticed(string(sentenceQuoted))
		}
		told.End(err)
		if done || err != nil {
			return err
		}
	}
	return fmt.Errorf("%d steps: %w", w.maxSteps, llm.ErrEmpty)
}

// useStandIn switches to the stand-in when there is no budget for the model or it cannot be reached,
// and reports whether the step can be repeated: not if the reader has seen text of it. A model that
// cannot be reached may be back soon, so the stand-in's reply is shown in its place only if it cites.
func (w *worker) useStandIn(ctx context.Context, err error) bool {
	var full *spend.CapError
	unpaid := errors.As(err, &full)
	down := !unpaid && (errors.Is(err, llm.ErrUnavailable) || errors.Is(err, llm.ErrStalled))
	if w.req.StandIn == nil || w.req.ResponseFormat != nil || w.stoodIn != "" || !unpaid && !down || w.voice.take() != "" {
		return false
	}
	w.model, w.stoodIn = w.req.StandIn, w.req.StandIn.Info().Name
	w.voice.close()
	if unpaid {
		w.record.Noticed(sentenceStandIn(full))
		return true
	}
	w.log.WarnContext(ctx, "model cannot be reached; its stand-in answers", "turn", w.req.Turn, "error", err)
	w.down, w.voice.strict = err, true
	return true
}

// maxSpelled is how often a step is laid out anew for a model that takes no tools: once for each model of a chain, and no more.
const maxSpelled = 4

// spell reports whether the step can be made once more with calls in the text of the model, because its endpoint takes no tools.
func (w *worker) spell(ctx context.Context, err error) bool {
	if !errors.Is(err, llm.ErrNoTools) || w.model.Info().NativeTools || w.spelled == maxSpelled {
		return false
	}
	w.spelled++
	w.log.WarnContext(ctx, "endpoint takes no tools; calls are read from the text of the model from now on", "model", w.model.Info().Name, "error", err)
	return true
}

// lay lays out what the model is asked in a step, and says which tools it is offered.
func (w *worker) lay(ctx context.Context, number int) (req llm.Request, offered tool.Set, err error) {
	offered, choice := w.offer(number)
	built, err := w.build(ctx, offered, number == w.maxSteps-1)
	if err == nil && built.ProjectOverflow && len(w.instead) > 0 {
		offered, choice = w.offer(number)
		built, err = w.build(ctx, offered, number == w.maxSteps-1)
	}
	if err != nil {
		return req, offered, err
	}
	if built.NoTools {
		offered, choice = tool.Set{}, llm.ToolChoice{Mode: llm.None}
	}
	return llm.Request{
		Messages: built.Messages, Tools: built.Tools, Choice: choice, MaxTokens: replyTokens(w.model.Info()),
		ResponseFormat: w.req.ResponseFormat,
	}, offered, w.still(ctx)
}

// follow does what the model's reply asks for: it runs the tools that were called. It reports whether the answer is complete.
func (w *worker) follow(ctx context.Context, number int, result stepResult) (done bool, err error) {
	if len(result.calls) > 0 && result.offered.Len() > 0 {
		if err := w.still(ctx); err != nil {
			return false, err
		}
		w.call(ctx, result)
		return false, nil
	}
	switch {
	case result.text == "" && !w.asked && number < w.maxSteps-1:
		w.asked = true
		return false, nil
	case result.text == "":
		return false, fmt.Errorf("model %s ended with %q: %w", w.model.Info().Name, result.finish, llm.ErrEmpty)
	case result.finish == llm.FinishLength, result.finish == llm.FinishLimit:
		w.record.Noticed(string(sentenceCut))
	}
	return true, nil
}

// still reports whether the audience is the one for which the turn was laid out.
func (w *worker) still(ctx context.Context) error {
	if w.req.Still == nil {
		return nil
	}
	return w.req.Still(ctx)
}

// offer says which tools a step has: the forced one alone in the first step, which is the search where a project has to be searched
// instead of being read, none in the last, all otherwise.
func (w *worker) offer(number int) (tool.Set, llm.ToolChoice) {
	if w.tools.Len() == 0 || number == w.maxSteps-1 {
		return tool.Set{}, llm.ToolChoice{Mode: llm.None}
	}
	force := w.req.ForceTool
	if len(w.instead) > 0 {
		force = search.Name
	}
	if number == 0 && force != "" {
		// A tool that is of no use in this turn cannot be forced.
		if forced, err := w.tools.Only(force); err == nil {
			return forced, llm.ToolChoice{Mode: llm.Required, Name: forced.Tools()[0].Spec().Name}
		}
	}
	return w.tools, llm.ToolChoice{}
}

// build lays out the step's prompt. A project that does not fit at the first step is searched for the rest of the turn.
func (w *worker) build(ctx context.Context, offered tool.Set, last bool) (prompt.Prompt, error) {
	built, err := w.builder.Build(prompt.Input{
		Agent: w.req.Agent, System: w.req.System, Now: w.req.Now, Tools: offered.Tools(), Last: last && w.tools.Len() > 0,
		Citable: w.citable, History: w.req.History, Project: w.project, Question: w.req.Question, Steps: w.steps, Model: w.model.Info(),
	})
	if err != nil {
		return built, fmt.Errorf("lay out the prompt: %w", err)
	}
	if built.Report.Changed() {
		w.log.InfoContext(ctx, "prompt shortened to fit", "turn", w.req.Turn, "model", w.model.Info().Name, "fit", built.Report)
	}
	w.record.Noticed(built.Notices...)
	if built.ProjectOverflow {
		if len(w.project) > 0 {
			w.record.Noticed(string(sentenceProject))
		}
		for _, p := range w.project {
			if p.File.Document.ID != "" {
				w.instead = append(w.instead, p.File.Document.ID)
			}
		}
		w.project = nil
	}
	if len(w.steps) == 0 {
		w.inline()
	}
	return built, nil
}

// inline makes the files of a project citable that the prompt holds whole.
func (w *worker) inline() {
	for _, p := range w.project {
		if p.File.Text == "" { // it could not be included
			continue
		}
		ref := projectRef(p.File)
		shown := []message.Reference{{Number: p.Number, Document: ref, Text: p.File.Text}}
		w.learn(shown)
		w.record.Held(shown)
	}
}

// call runs the tools of a step and adds what they returned to the context.
func (w *worker) call(ctx context.Context, result stepResult) {
	began := time.Now()
	ran := w.run.Run(ctx, result.calls, tool.Step{Tools: result.offered, Scope: w.scope(), Ran: w.ran}, w.voice.next())
	w.record.Ran(time.Since(began))
	calls := message.Message{Role: message.ToolCall, Text: cite.Clean(result.text, w.known)}
	messages := []message.Message{calls}
	for _, r := range ran {
		w.ran[r.Call.Name] = true
		messages[0].Calls = append(messages[0].Calls, r.Call)
		messages = append(messages, message.Message{Role: message.ToolResult, CallID: r.Call.ID, Text: r.Result.Content})
		w.spent += w.counter.Count(r.Result.Content)
		w.learn(r.Result.References)
		w.record.Held(r.Result.References)
		w.held = append(w.held, r.Result.References...)
		w.voice.gathered(r.Result.References)
		if r.Err == nil && r.Result.Citable {
			w.citable = true
			w.record.Searched(r.Result.Evidence, r.Result.Closest, r.Result.Search)
		} else if r.Err != nil && r.Call.Name == search.Name && !errors.Is(r.Err, tool.ErrArguments) {
			w.record.Unsearched()
		}
	}
	w.steps = append(w.steps, messages...)
	kept := slices.Clone(messages)
	if !result.shown {
		kept[0].Text = "" // what nobody saw is not part of the conversation
	}
	w.record.Stepped(kept)
}

// learn makes the numbers of what the model was shown lead there.
func (w *worker) learn(references []message.Reference) {
	for _, r := range references {
		if r.Text == "" {
			continue
		}
		w.passages[r.Number] = append(w.passages[r.Number], r.Text, r.Document.Title, r.Heading)
		w.places[r.Number] = addPlaces(w.places[r.Number], r)
		if !w.shown[r.Number] {
			w.shown[r.Number] = true
			w.known.Replace(r.Number, sourceOf(r))
		}
	}
}

func (w *worker) scope() tool.Scope {
	info, sources, documents := w.model.Info(), w.req.Agent.Sources, []document.ID(nil)
	if len(w.instead) > 0 && !w.ran[search.Name] {
		sources, documents = nil, w.instead
	}
	return tool.Scope{
		Audience: w.req.Audience, Question: w.req.Question.Text, Said: said(w.req), Basis: basis(w.req), History: w.req.History, Citations: w.numbers,
		Sources: sources, Documents: documents, Files: files(w.req), Rankings: &w.rankings, Shown: slices.Clip(w.held), Weighs: info.Extractive,
		Budget: toolBudget(info, w.spent), Now: w.req.Now,
	}
}

// files are all that came with the project and the conversation, oldest first.
func files(req Request) []message.File {
	all := slices.Clone(req.Project)
	for _, m := range req.History {
		all = append(all, m.Files...)
	}
	return append(all, req.Question.Files...)
}

// leastToolTokens is what a tool may always return: less would be no use, and the prompt trims what is too much.
const leastToolTokens = 400

// toolBudget is the room that tool results may still take: the newest message, the project and the results share what instructions
// and history leave, and the results get most of it.
func toolBudget(info llm.Info, spent int) int {
	return max(leastToolTokens, (info.Window-info.Reply)*6/10-spent)
}

// replyTokens is the most that a reply may have: what the prompt was laid out to leave.
func replyTokens(info llm.Info) int { return min(info.Reply, info.Window/2) }

// searchCall is a search with the question itself.
func (w *worker) searchCall() llm.ToolCall {
	queries, _ := json.Marshal(map[string][]string{"queries": {strings.TrimSpace(w.req.Question.Text)}}) // strings always marshal
	return llm.ToolCall{ID: "search", Name: search.Name, Arguments: string(queries)}
}

// searchOnly runs one search with the question and ends.
func (w *worker) searchOnly(ctx context.Context) error {
	only, err := w.tools.Only(search.Name)
	if err != nil {
		return fmt.Errorf("search only: %w", err)
	}
	ran := w.run.Run(ctx, []llm.ToolCall{w.searchCall()}, tool.Step{Tools: only, Scope: w.scope(), Ran: w.ran}, w.voice.next())
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	for _, r := range ran {
		if r.Err != nil {
			return fmt.Errorf("search only: %w", r.Err)
		}
		w.record.Held(r.Result.References)
		w.record.Searched(r.Result.Evidence, r.Result.Closest, r.Result.Search)
		w.record.Stepped([]message.Message{
			{Role: message.ToolCall, Calls: []message.Call{r.Call}},
			{Role: message.ToolResult, CallID: r.Call.ID, Text: r.Result.Content},
		})
	}
	return nil
}
