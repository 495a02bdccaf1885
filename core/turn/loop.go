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
	req       Request
	model     llm.Model
	tools     tool.Set
	run       *tool.Runner
	builder   *prompt.Builder
	counter   budget.Counter
	numbers   *cite.Mapping // gives documents their numbers, for all models of the turn
	known     *cite.Mapping // what this model was shown, and so may cite
	voice     *voice
	record    recorder
	log       *slog.Logger
	habits    *habits
	maxSteps  int
	refusal   string // the question is not to be answered, and this says so
	stoodIn   string // the name of the stand-in once it has taken over
	reference string // of an answer that quotes because the model is down
	down      error  // why the model could not be reached, where the stand-in took over for that

	ids      map[string]bool  // of tool calls
	ran      map[string]bool  // names of tools that ran
	shown    map[int]bool     // numbers of passages that this turn has shown the model
	passages map[int][]string // what those passages say, by their numbers
	places   map[int][]place  // their sections, by their numbers
	rankings retrieve.Rankings
	citable  bool
	project  []prompt.ProjectFile
	// documents of a project that does not fit: the first search looks at nothing else
	instead  []document.ID
	steps    []message.Message
	held     []message.Reference // what tools have shown in this turn
	spent    int                 // tokens of this turn's tool results
	narrates bool                // the model writes before it calls tools
	asked    bool                // once more, after an empty reply
	pressed  bool                // asked for the numbers of an answer that cited nothing
	resumed  bool                // asked for the rest of an answer that was cut by its length
	halved   bool                // asked with half of the passages, because all were too long
	nudge    prompt.Nudge        // of the request that comes next
	partial  string              // what nudge is about
	// no tools are offered any more: the endpoint called one although none could be called
	toolless bool
	spelled  int // steps laid out again because an endpoint takes no tools
}

// work asks the model until it calls no tool any more, at most maxSteps times. Its error is why
// there is no complete answer; a panic of anything below becomes one.
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
	if err := w.searchFirst(ctx); err != nil {
		return err
	}
	for number := 0; number < w.maxSteps; {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		stepping, told := span.Begin(ctx, "step", slog.Int("number", number+1), slog.String("model", w.model.Info().Name))
		result, err := w.step(stepping, number)
		for w.useStandIn(ctx, err) || w.spell(ctx, err) || w.halve(ctx, err) {
			result, err = w.step(stepping, number)
		}
		next := done
		if err == nil {
			next, err = w.follow(stepping, number, result)
		}
		if w.down != nil && (err != nil || next == done && !result.shown) {
			err = w.down // nothing was quoted
		}
		told.End(err)
		if next == done || err != nil {
			return err
		}
		if next == further {
			number++
		}
	}
	return fmt.Errorf("%d steps: %w", w.maxSteps, llm.ErrEmpty)
}

// smallPassages is how many passages a small model is given.
const smallPassages = 5

// searchFirst searches with the question for a small model, which is asked once then and offered no
// tools.
func (w *worker) searchFirst(ctx context.Context) error {
	if !w.model.Info().Small {
		return nil
	}
	w.maxSteps = 1
	only, err := w.tools.Only(search.Name)
	if err == nil && !w.req.SmallTalk && len(w.steps) == 0 {
		if err := w.still(ctx); err != nil {
			return err
		}
		w.call(ctx, stepResult{calls: []llm.ToolCall{w.searchCall()}, offered: only})
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
	}
	w.toolless = true
	return nil
}

// useStandIn switches to the stand-in when there is no budget for the model or it cannot be
// reached, and reports whether the step can be repeated: not if the reader has seen text of it. A
// model that cannot be reached may be back soon, so the stand-in's reply is shown in its place only
// if it cites.
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
	w.reference = newReference()
	w.down, w.voice.strict, w.voice.preface = err, true, sayQuoted(w.reference)
	return true
}

// maxSpelled is how often a step is laid out again for a model that takes no tools: once for each
// model of a chain, and no more.
const maxSpelled = 4

// spell reports whether the step can be made once more with calls in the text of the model, because
// its endpoint takes no tools.
func (w *worker) spell(ctx context.Context, err error) bool {
	if !errors.Is(err, llm.ErrNoTools) || w.model.Info().NativeTools || w.spelled == maxSpelled {
		return false
	}
	w.spelled++
	w.log.WarnContext(ctx, "endpoint takes no tools; calls are read from the text of the model from now on", "model", w.model.Info().Name, "error", err)
	return true
}

// halve reports whether the step can be made once more with half of the passages, because the
// endpoint refused all of them as too long.
func (w *worker) halve(ctx context.Context, err error) bool {
	if w.halved || !errors.Is(err, llm.ErrContextTooLong) || w.voice.take() != "" {
		return false
	}
	w.steps = slices.Clone(w.steps)
	for i, m := range w.steps {
		if m.Role == message.ToolResult {
			var halved bool
			w.steps[i].Text, halved = tool.Halve(m.Text)
			w.halved = w.halved || halved
		}
	}
	if w.halved {
		w.log.WarnContext(ctx, "prompt too long for the endpoint; half of the passages are sent", "model", w.model.Info().Name, "error", err)
	}
	return w.halved
}

// withdraw takes tools away that what is in the context forbids, for the rest of the turn.
func (w *worker) withdraw(ctx context.Context) {
	scope, withdrawn := w.scope(), false
	kept := slices.DeleteFunc(w.tools.Tools(), func(t tool.Tool) bool {
		guarded, ok := t.(tool.Withdrawing)
		if !ok {
			return false
		}
		gone, err := guarded.Withdrawn(ctx, scope)
		if err != nil {
			w.log.WarnContext(ctx, "a tool is withdrawn because it is not known whether it may be used", "turn", w.req.Turn, "tool", t.Spec().Name, "error", err)
		}
		withdrawn = withdrawn || gone || err != nil
		return gone || err != nil
	})
	if !withdrawn {
		return
	}
	set, err := tool.NewSet(kept...)
	if err != nil { // the names are those of a set
		panic(err)
	}
	w.tools = set
}

// lay lays out what the model is asked in a step, and says which tools it may call.
func (w *worker) lay(ctx context.Context, number int) (req llm.Request, offered tool.Set, err error) {
	w.withdraw(ctx)
	built, err := w.build(ctx, number == w.maxSteps-1)
	if err == nil && built.ProjectOverflow && len(w.instead) > 0 {
		built, err = w.build(ctx, number == w.maxSteps-1)
	}
	offered, choice := w.offer(number)
	if err != nil {
		return req, offered, err
	}
	if built.NoTools {
		choice = llm.ToolChoice{Mode: llm.None}
	}
	if choice.Mode == llm.None {
		offered = tool.Set{}
	}
	return llm.Request{
		Messages: built.Messages, Tools: built.Tools, Choice: choice, MaxTokens: replyTokens(w.model.Info()),
		ResponseFormat: w.req.ResponseFormat,
	}, offered, nil
}

// next says what follows a step.
type next int

const (
	done    next = iota // the answer is complete
	further             // the next step
	again               // the same step
)

// follow does what the model's reply asks for: it runs the tools that were called. A reply that is
// none is asked for again once.
func (w *worker) follow(ctx context.Context, number int, result stepResult) (next, error) {
	if len(result.calls) > 0 && result.offered.Len() > 0 {
		if err := w.still(ctx); err != nil {
			return done, err
		}
		w.habits.called(w.model.Info().Name, result.text == "")
		w.call(ctx, result)
		return further, nil
	}
	w.nudge, w.partial = "", ""
	switch {
	case (result.text == "" || !result.shown) && !w.asked && len(result.calls) > 0:
		w.asked, w.toolless = true, true
		w.log.WarnContext(ctx, "endpoint called a tool although none could be called", "turn", w.req.Turn, "model", w.model.Info().Name)
		return again, nil
	case result.text == "" && !w.asked:
		w.asked, w.nudge = true, prompt.Empty
		return again, nil
	case result.text == "":
		return done, fmt.Errorf("model %s ended with %q: %w", w.model.Info().Name, result.finish, llm.ErrEmpty)
	case w.uncited(result):
		w.pressed, w.nudge, w.partial = true, prompt.Uncited, result.text
		return again, nil
	case result.finish == llm.FinishLength, result.finish == llm.FinishLimit:
		w.record.Noticed(string(sentenceCut))
	}
	return done, nil
}

// uncited reports whether a strict agent's answer is to be asked for its numbers before it is
// withheld: it cites none of the passages that were shown and does not say that they answer
// nothing.
func (w *worker) uncited(result stepResult) bool {
	return !result.shown && !w.pressed && len(w.shown) > 0 && !w.model.Info().Extractive && !denies(result.text)
}

// still reports whether the audience is the one for which the turn was laid out.
func (w *worker) still(ctx context.Context) error {
	if w.req.Still == nil {
		return nil
	}
	return w.req.Still(ctx)
}

// offer says which tools a step may call: the forced one alone in the first step, which is the
// search where a project has to be searched instead of being read, none in the last, all otherwise.
// What is sent has all of them in each step, so that its beginning stays the same.
func (w *worker) offer(number int) (tool.Set, llm.ToolChoice) {
	if w.toolless || w.partial != "" || w.tools.Len() == 0 || number == w.maxSteps-1 {
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

// build lays out the step's prompt. A project that does not fit at the first step is searched for
// the rest of the turn.
func (w *worker) build(ctx context.Context, last bool) (prompt.Prompt, error) {
	offered := w.tools
	if w.toolless {
		offered = tool.Set{}
	}
	built, err := w.builder.Build(prompt.Input{
		Agent: w.req.Agent, System: w.req.System, Now: w.req.Now, Tools: offered.Tools(), Last: (last || w.toolless) && w.tools.Len() > 0,
		Citable: w.citable, History: w.req.History, Project: w.project, Question: w.req.Question, Steps: w.steps, Model: w.model.Info(),
		Place: w.req.Place, Sources: w.req.Sources, Partial: w.partial, Nudge: w.nudge,
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
	w.narrates = w.narrates || result.text != ""
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
		} else if r.Err != nil && r.Result.Search != nil {
			w.record.Attempted(*r.Result.Search)
		} else if r.Err != nil && r.Call.Name == search.Name && !errors.Is(r.Err, tool.ErrArguments) {
			w.record.Unsearched()
		}
	}
	w.voice.denials = w.citable && !w.model.Info().Extractive
	w.steps = append(w.steps, messages...)
	kept := slices.Clone(messages)
	if !result.shown {
		kept[0].Text = "" // what no reader saw is not part of the conversation
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
	room, passages := toolBudget(info, w.spent), 0
	if info.Small {
		passages = smallPassages
	}
	if w.halved { // the window is smaller than it is said to be
		room = max(leastToolTokens, room/2)
	}
	if len(w.instead) > 0 && !w.ran[search.Name] {
		sources, documents = nil, w.instead
	}
	return tool.Scope{
		Audience: w.req.Audience, Asker: w.req.Asker, Question: w.req.Question.Text, Said: said(w.req), Basis: basis(w.req), History: w.req.History, Citations: w.numbers,
		Catalogue: w.req.Sources,
		Sources:   sources, Documents: documents, Files: files(w.req), Rankings: &w.rankings, Shown: slices.Clip(w.held), Weighs: info.Extractive,
		Passages: passages, Budget: room, Window: info.Window, Now: w.req.Now,
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

// leastToolTokens is what a tool may always return: less would be no use, and the prompt trims what
// is too much.
const leastToolTokens = 400

// toolBudget is the room that tool results may still take: the newest message, the project and the
// results share what instructions and history leave, and the results get most of it.
func toolBudget(info llm.Info, spent int) int {
	return max(leastToolTokens, (info.Window-info.Reply)*6/10-spent)
}

// replyTokens is the most that a reply may have: what the prompt was laid out to leave.
func replyTokens(info llm.Info) int { return min(info.Reply, info.Window/2) }

// searchCall is a search with the question itself.
func (w *worker) searchCall() llm.ToolCall {
	// strings always marshal
	queries, _ := json.Marshal(map[string][]string{"queries": {strings.TrimSpace(w.req.Question.Text)}})
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
