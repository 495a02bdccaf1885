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

// worker runs one model through the turn. It must be used by one goroutine.
type worker struct {
	req         Request
	model       llm.Model
	tools       tool.Set
	toolRunner  *tool.Runner
	builder     *prompt.Builder
	counter     budget.Counter
	numbers     *cite.Mapping // assigns numbers to documents, for all models of the turn
	known       *cite.Mapping // numbers that this model was shown and so may cite
	writer      *answerWriter
	recorder    recorder
	logger      *slog.Logger
	habits      *narrationStats
	maxSteps    int
	refusal     string // sentence for a question that must not be answered; empty otherwise
	standInName string // name of the stand-in once it replaced the model
	reference   string // code of an answer that quotes because the model is unreachable
	unreachable error  // the model's error after which the stand-in took over

	ids      map[string]bool        // of tool calls
	ranTools map[string]bool        // names of tools that ran
	shown    map[int]bool           // numbers of passages that the model saw in this turn
	passages map[int][]string       // texts of those passages, by number
	places   map[int][]shownSection // sections of the shown passages, by number
	quoted   map[int]llm.Quoted     // quotations of a model that quotes, by number
	rankings retrieve.Rankings
	citable  bool
	project  []prompt.ProjectFile
	// documents of a project that does not fit into the prompt; the first search is restricted to
	// them
	searchFiles     []document.ID
	steps           []message.Message
	toolReferences  []message.Reference // passages that tools returned in this turn
	toolTokens      int                 // tokens of this turn's tool results
	narrates        bool                // the model writes text before it calls tools
	retriedEmpty    bool                // the model was asked again after an empty reply
	askedForNumbers bool                // the model was asked to add citations
	continued       bool                // the rest of a cut answer was requested
	// half of the passages were dropped because the prompt was too long
	halved  bool
	nudge   prompt.Nudge // reminder in the next request
	partial string       // text that nudge refers to
	// no more tools are offered, because the endpoint called a tool although none was offered
	toolless        bool
	textCallRetries int // steps retried with text calls because an endpoint does not support tools
}

// work calls the model until it calls no more tools, at most maxSteps times. It returns an error if
// there is no complete answer. A panic becomes errPanic.
func (w *worker) work(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.logger.ErrorContext(ctx, "turn panicked", "turn", w.req.Turn, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
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
		stepping, stepSpan := span.Begin(ctx, "step", slog.Int("number", number+1), slog.String("model", w.model.Info().Name))
		result, err := w.step(stepping, number)
		for w.useStandIn(ctx, err) || w.retryWithTextCalls(ctx, err) || w.halvePassages(ctx, err) {
			result, err = w.step(stepping, number)
		}
		next := finished
		if err == nil {
			next, err = w.handleReply(stepping, number, result)
		}
		if w.unreachable != nil && (err != nil || next == finished && !result.shown) {
			err = w.unreachable // the stand-in quoted nothing
		}
		stepSpan.End(err)
		if next == finished || err != nil {
			return err
		}
		if next == nextStep {
			number++
		}
	}
	return fmt.Errorf("%d steps: %w", w.maxSteps, llm.ErrEmpty)
}

const smallPassages = 5

// searchFirst searches with the question if the model is small. The model is then called only once,
// without tools.
func (w *worker) searchFirst(ctx context.Context) error {
	if !w.model.Info().Small {
		return nil
	}
	w.maxSteps = 1
	only, err := w.tools.Only(search.Name)
	if err == nil && !w.req.SmallTalk && len(w.steps) == 0 {
		if err := w.checkAudience(ctx); err != nil {
			return err
		}
		w.runTools(ctx, stepResult{calls: []llm.ToolCall{w.searchCall()}, offered: only})
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
	}
	w.toolless = true
	return nil
}

// useStandIn switches to the model Request.StandIn if err says that the budget is exhausted or the
// model is unreachable. It reports whether it switched, so that the step can be repeated. It does
// not switch after the model has written text.
//
// If the model was unreachable, an answer of the stand-in without citations is not shown.
func (w *worker) useStandIn(ctx context.Context, err error) bool {
	var full *spend.CapError
	unpaid := errors.As(err, &full)
	down := !unpaid && (errors.Is(err, llm.ErrUnavailable) || errors.Is(err, llm.ErrStalled))
	if w.req.StandIn == nil || w.req.ResponseFormat != nil || w.standInName != "" || !unpaid && !down || w.writer.takeText() != "" {
		return false
	}
	w.model, w.standInName = w.req.StandIn, w.req.StandIn.Info().Name
	w.writer.close()
	if unpaid {
		w.recorder.AddNotices(sentenceStandIn(full))
		return true
	}
	w.logger.WarnContext(ctx, "model is unreachable; using the stand-in", "turn", w.req.Turn, "error", err)
	w.reference = newReference()
	w.unreachable, w.writer.strict, w.writer.preface = err, true, quotedPreface(w.reference)
	return true
}

// maxTextCallRetries is how often a step is repeated because the endpoint does not support tools.
// It allows one retry for each model of a chain.
const maxTextCallRetries = 4

// retryWithTextCalls reports whether the step must be repeated because the endpoint does not
// support tools. The model then writes its tool calls as text.
func (w *worker) retryWithTextCalls(ctx context.Context, err error) bool {
	if !errors.Is(err, llm.ErrNoTools) || w.model.Info().NativeTools || w.textCallRetries == maxTextCallRetries {
		return false
	}
	w.textCallRetries++
	w.logger.WarnContext(ctx, "endpoint does not support tools; parsing tool calls from the model's text from now on", "model", w.model.Info().Name, "error", err)
	return true
}

// halvePassages drops half of the passages after the endpoint refused a prompt that is too long. It
// returns true if it did, so that the step can be repeated.
func (w *worker) halvePassages(ctx context.Context, err error) bool {
	if w.halved || !errors.Is(err, llm.ErrContextTooLong) || w.writer.takeText() != "" {
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
		w.logger.WarnContext(ctx, "prompt too long for the endpoint; retrying with half of the passages", "model", w.model.Info().Name, "error", err)
	}
	return w.halved
}

// withdrawTools removes the tools that must not be used with the content of the prompt, for the
// rest of the turn. See [tool.Withdrawing]. If the check of a tool fails, it is removed.
func (w *worker) withdrawTools(ctx context.Context) {
	scope, withdrawn := w.scope(), false
	allowed := slices.DeleteFunc(w.tools.Tools(), func(t tool.Tool) bool {
		guarded, ok := t.(tool.Withdrawing)
		if !ok {
			return false
		}
		forbidden, err := guarded.Withdrawn(ctx, scope)
		if err != nil {
			w.logger.WarnContext(ctx, "cannot check whether a tool may be used; withdrawing it", "turn", w.req.Turn, "tool", t.Spec().Name, "error", err)
		}
		withdrawn = withdrawn || forbidden || err != nil
		return forbidden || err != nil
	})
	if !withdrawn {
		return
	}
	set, err := tool.NewSet(allowed...)
	if err != nil { // the names come from a valid set
		panic(err)
	}
	w.tools = set
}

func (w *worker) buildRequest(ctx context.Context, number int) (req llm.Request, offered tool.Set, err error) {
	w.withdrawTools(ctx)
	built, err := w.buildPrompt(ctx, number == w.maxSteps-1)
	if err == nil && built.ProjectOverflow && len(w.searchFiles) > 0 {
		built, err = w.buildPrompt(ctx, number == w.maxSteps-1)
	}
	offered, choice := w.offeredTools(number)
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

type nextAction int

const (
	finished nextAction = iota // the answer is complete
	nextStep                   // the next step
	sameStep                   // the same step
)

// handleReply runs the tools that the model called. It retries an empty reply once, and asks once
// for missing citations.
func (w *worker) handleReply(ctx context.Context, number int, result stepResult) (nextAction, error) {
	if len(result.calls) > 0 && result.offered.Len() > 0 {
		if err := w.checkAudience(ctx); err != nil {
			return finished, err
		}
		w.habits.recordCall(w.model.Info().Name, result.text == "")
		w.runTools(ctx, result)
		return nextStep, nil
	}
	w.nudge, w.partial = "", ""
	switch {
	case (result.text == "" || !result.shown) && !w.retriedEmpty && len(result.calls) > 0:
		w.retriedEmpty, w.toolless = true, true
		w.logger.WarnContext(ctx, "endpoint called a tool although none was offered", "turn", w.req.Turn, "model", w.model.Info().Name)
		return sameStep, nil
	case result.text == "" && !w.retriedEmpty:
		w.retriedEmpty, w.nudge = true, prompt.Empty
		return sameStep, nil
	case result.text == "":
		return finished, fmt.Errorf("model %s ended with %q: %w", w.model.Info().Name, result.finish, llm.ErrEmpty)
	case w.lacksCitations(result):
		w.askedForNumbers, w.nudge, w.partial = true, prompt.Uncited, result.text
		return sameStep, nil
	case result.finish == llm.FinishLength, result.finish == llm.FinishLimit:
		w.recorder.AddNotices(string(sentenceCut))
	}
	return finished, nil
}

// lacksCitations reports whether the model should be asked once for the missing citations of its
// answer. The answer was not shown because of them. It must not be a denial.
func (w *worker) lacksCitations(result stepResult) bool {
	return !result.shown && !w.askedForNumbers && len(w.shown) > 0 && !w.model.Info().Extractive && !denies(result.text)
}

func (w *worker) checkAudience(ctx context.Context) error {
	if w.req.CheckAudience == nil {
		return nil
	}
	return w.req.CheckAudience(ctx)
}

// offeredTools returns the tools that the model may call in a step. If a tool is forced, the first
// step offers only that tool. The last step offers none.
func (w *worker) offeredTools(number int) (tool.Set, llm.ToolChoice) {
	if w.toolless || w.partial != "" || w.tools.Len() == 0 || number == w.maxSteps-1 {
		return tool.Set{}, llm.ToolChoice{Mode: llm.None}
	}
	force := w.req.ForceTool
	if len(w.searchFiles) > 0 {
		force = search.Name
	}
	if number == 0 && force != "" {
		// A withdrawn tool cannot be forced.
		if forced, err := w.tools.Only(force); err == nil {
			return forced, llm.ToolChoice{Mode: llm.Required, Name: forced.Tools()[0].Spec().Name}
		}
	}
	return w.tools, llm.ToolChoice{}
}

// buildPrompt builds the prompt of a step. If the files of a project do not fit into it, they are
// left out, and the model must search them for the rest of the turn.
func (w *worker) buildPrompt(ctx context.Context, last bool) (prompt.Prompt, error) {
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
		return built, fmt.Errorf("build the prompt: %w", err)
	}
	if built.Report.Changed() {
		w.logger.InfoContext(ctx, "prompt shortened to fit", "turn", w.req.Turn, "model", w.model.Info().Name, "fit", built.Report)
	}
	w.recorder.AddNotices(built.Notices...)
	if built.ProjectOverflow {
		if len(w.project) > 0 {
			w.recorder.AddNotices(string(sentenceProject))
		}
		for _, p := range w.project {
			if p.File.Document.ID != "" {
				w.searchFiles = append(w.searchFiles, p.File.Document.ID)
			}
		}
		w.project = nil
	}
	if len(w.steps) == 0 {
		w.makeProjectCitable()
	}
	return built, nil
}

func (w *worker) makeProjectCitable() {
	for _, p := range w.project {
		if p.File.Text == "" { // it could not be included
			continue
		}
		ref := projectRef(p.File)
		shown := []message.Reference{{Number: p.Number, Document: ref, Text: p.File.Text}}
		w.addPassages(shown)
		w.recorder.AddReferences(shown)
	}
}

func (w *worker) runTools(ctx context.Context, result stepResult) {
	began := time.Now()
	ran := w.toolRunner.Run(ctx, result.calls, tool.Step{Tools: result.offered, Scope: w.scope(), RanTools: w.ranTools}, w.writer.nextPlacement())
	w.recorder.AddToolTime(time.Since(began))
	w.narrates = w.narrates || result.text != ""
	calls := message.Message{Role: message.ToolCall, Text: cite.Clean(result.text, w.known)}
	messages := []message.Message{calls}
	for _, r := range ran {
		w.ranTools[r.Call.Name] = true
		messages[0].Calls = append(messages[0].Calls, r.Call)
		messages = append(messages, message.Message{Role: message.ToolResult, CallID: r.Call.ID, Text: r.Result.Content})
		w.toolTokens += w.counter.Count(r.Result.Content)
		w.addPassages(r.Result.References)
		w.recorder.AddReferences(r.Result.References)
		w.toolReferences = append(w.toolReferences, r.Result.References...)
		w.writer.addDocuments(r.Result.References)
		if r.Err == nil && r.Result.Citable {
			w.citable = true
			w.recorder.AddSearch(r.Result.Evidence, r.Result.Closest, r.Result.Search)
		} else if r.Err != nil && r.Result.Search != nil {
			w.recorder.AddFailedSearch(*r.Result.Search)
		} else if r.Err != nil && r.Call.Name == search.Name && !errors.Is(r.Err, tool.ErrArguments) {
			w.recorder.NoteSearchFailure()
		}
	}
	w.writer.showDenials = w.citable && !w.model.Info().Extractive
	w.steps = append(w.steps, messages...)
	stored := slices.Clone(messages)
	if !result.shown {
		stored[0].Text = "" // hidden text is not part of the conversation
	}
	w.recorder.AddSteps(stored)
}

func (w *worker) addPassages(references []message.Reference) {
	for _, r := range references {
		if r.Text == "" {
			continue
		}
		w.passages[r.Number] = append(w.passages[r.Number], r.Text, r.Document.Title, r.Heading)
		w.places[r.Number] = addSections(w.places[r.Number], r)
		if !w.shown[r.Number] {
			w.shown[r.Number] = true
			w.known.Replace(r.Number, sourceOf(r))
		}
	}
}

func (w *worker) scope() tool.Scope {
	info, sources, documents := w.model.Info(), w.req.Agent.Sources, []document.ID(nil)
	room, passages := toolBudget(info, w.toolTokens), 0
	if info.Small {
		passages = smallPassages
	}
	if w.halved { // the window is smaller than configured
		room = max(leastToolTokens, room/2)
	}
	if len(w.searchFiles) > 0 && !w.ranTools[search.Name] {
		sources, documents = nil, w.searchFiles
	}
	return tool.Scope{
		Audience: w.req.Audience, Asker: w.req.Asker, Question: w.req.Question.Text, Quoted: quotedTexts(w.req), Basis: basis(w.req), History: w.req.History, Citations: w.numbers,
		Catalogue: w.req.Sources,
		Sources:   sources, Documents: documents, Files: allFiles(w.req), Rankings: &w.rankings, Shown: slices.Clip(w.toolReferences), WeighsWords: info.Extractive,
		Passages: passages, Budget: room, Window: info.Window, Now: w.req.Now,
	}
}

func allFiles(req Request) []message.File {
	all := slices.Clone(req.Project)
	for _, m := range req.History {
		all = append(all, m.Files...)
	}
	return append(all, req.Question.Files...)
}

// leastToolTokens is the minimum budget of a tool result. A smaller result would be useless.
const leastToolTokens = 400

// toolBudget returns the number of tokens left for tool results. They get most of the window that
// instructions and history do not use.
func toolBudget(info llm.Info, spent int) int {
	return max(leastToolTokens, (info.Window-info.Reply)*6/10-spent)
}

func replyTokens(info llm.Info) int { return min(info.Reply, info.Window/2) }

func (w *worker) searchCall() llm.ToolCall {
	// strings always marshal
	queries, _ := json.Marshal(map[string][]string{"queries": {strings.TrimSpace(w.req.Question.Text)}})
	return llm.ToolCall{ID: "search", Name: search.Name, Arguments: string(queries)}
}

func (w *worker) searchOnly(ctx context.Context) error {
	only, err := w.tools.Only(search.Name)
	if err != nil {
		return fmt.Errorf("search only: %w", err)
	}
	ran := w.toolRunner.Run(ctx, []llm.ToolCall{w.searchCall()}, tool.Step{Tools: only, Scope: w.scope(), RanTools: w.ranTools}, w.writer.nextPlacement())
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	for _, r := range ran {
		if r.Err != nil {
			return fmt.Errorf("search only: %w", r.Err)
		}
		w.recorder.AddReferences(r.Result.References)
		w.recorder.AddSearch(r.Result.Evidence, r.Result.Closest, r.Result.Search)
		w.recorder.AddSteps([]message.Message{
			{Role: message.ToolCall, Calls: []message.Call{r.Call}},
			{Role: message.ToolResult, CallID: r.Call.ID, Text: r.Result.Content},
		})
	}
	return nil
}
