package turn

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/tool/search"
)

// Config configures a Runner. The comments give the defaults of zero fields.
type Config struct {
	MaxSteps  int // model calls of a turn, the last without tools: 6
	Tools     tool.RunnerConfig
	Policy    llm.Policy    // for models that are not an llm.Chain
	Heartbeat time.Duration // silence after which a Heartbeat is sent: 15 s
	Queue     int           // packets that may wait for the sink: 64
	// DropUnsupported drops citations of passages that share no word or number with the citing
	// sentence. A citation then appears only when its sentence is complete.
	DropUnsupported bool
}

// Runner runs turns. It is safe for concurrent use. The number of concurrent turns is not limited.
type Runner struct {
	tools   tool.Set
	run     *tool.Runner
	counter budget.Counter
	config  Config
	log     *slog.Logger
	habits  *narrationStats
}

// NewRunner returns a runner that offers the given tools to models. It logs the end of each turn to
// log.
func NewRunner(tools tool.Set, counter budget.Counter, config Config, log *slog.Logger) *Runner {
	if config.MaxSteps <= 0 {
		config.MaxSteps = 6
	}
	if config.Heartbeat <= 0 {
		config.Heartbeat = 15 * time.Second
	}
	if config.Queue <= 0 {
		config.Queue = 64
	}
	return &Runner{tools: tools, run: tool.NewRunner(config.Tools, log), counter: counter, config: config, log: log, habits: &narrationStats{}}
}

// Run runs one turn and returns when all its parts have ended. Run calls the sink only from the
// calling goroutine. Each model's packets end with its Stop, and each model has one Answer in the
// report. Only a tool that ignores its context may still run afterwards.
//
// Run returns an error only if the request cannot be run. The sink has then received no packets.
// Failures during the run are in the report.
func (r *Runner) Run(ctx context.Context, req Request, sink packet.Sink) (Report, error) {
	tools, err := r.validate(req)
	if err != nil {
		return Report{}, fmt.Errorf("run turn %s: %w", req.Turn, err)
	}
	began := time.Now()
	if req.Now.IsZero() {
		req.Now = began
	}
	req.History = permittedHistory(req)
	sink = redactQueries(req.Filter, sink)
	ctx, cancel := context.WithCancelCause(access.WithTenant(ctx, req.Audience.Tenant()))
	var owned sync.WaitGroup
	queue, drained := make(chan packet.Packet, r.config.Queue), make(chan struct{})
	numbers, cited := citationNumbers(req)
	answers := make([]Answer, len(req.Models))
	var workers sync.WaitGroup
	for i, model := range req.Models {
		emit := packet.NewEmitter(queue, drained, packet.Placement{ModelIndex: i})
		workers.Go(func() {
			w, recorded := r.worker(req, model, tools, numbers, cited, emit, began)
			answers[i] = r.end(ctx, w, recorded, emit, w.work(ctx))
		})
	}
	finished := make(chan struct{})
	owned.Go(func() {
		workers.Wait()
		close(finished)
	})
	defer func() { // also if the sink panics
		close(drained)
		cancel(nil)
		owned.Wait()
	}()
	drain(queue, finished, sink, len(req.Models), r.config.Heartbeat)
	return Report{Answers: answers, Took: time.Since(began)}, nil
}

func (r *Runner) validate(req Request) (tool.Set, error) {
	var errs []error
	if n := len(req.Models); n < 1 || n > MaxModels {
		errs = append(errs, fmt.Errorf("%d models were asked for: name 1 to %d", n, MaxModels))
	}
	if strings.TrimSpace(req.Question.Text) == "" && len(req.Question.Files) == 0 {
		errs = append(errs, errors.New("the question is empty"))
	}
	if err := req.Agent.Validate(); err != nil {
		errs = append(errs, err)
	}
	tools, err := r.tools.Only(req.Agent.Tools...)
	if err != nil {
		errs = append(errs, err)
	}
	forced := req.ForceTool
	if req.SearchOnly {
		forced = search.Name
	}
	if forced != "" && err == nil && tools.Find(forced) == nil {
		errs = append(errs, fmt.Errorf("the tool %q is forced but not among the agent's tools", forced))
	}
	return tools, errors.Join(errs...)
}

// worker returns the worker for one model's answer. The caller must not read the state before the
// worker has ended.
func (r *Runner) worker(req Request, model llm.Model, tools tool.Set, numbers *cite.Mapping, cited *cite.Numbers, emit *packet.Emitter,
	began time.Time,
) (*worker, *state) {
	if _, ok := model.(*llm.Chain); !ok {
		model = llm.NewChain(r.config.Policy, model)
	}
	state := newState(model.Info().Name, began)
	if len(req.Models) > 1 {
		emit.Emit(packet.ModelStart{Name: model.Info().Name})
	}
	w := &worker{
		req: req, model: model, tools: tools, toolRunner: r.run, builder: prompt.NewBuilder(r.counter), counter: r.counter,
		numbers: numbers, known: newMapping(req),
		recorder: state, logger: r.log, habits: r.habits, maxSteps: r.config.MaxSteps, ids: make(map[string]bool), ranTools: make(map[string]bool), shown: make(map[int]bool),
		passages: make(map[int][]string), places: make(map[int][]shownSection), quoted: make(map[int]llm.Quoted), refusal: req.Filter.Refuse(Texts(req.Question)...),
	}
	citing := cite.Options{Numbering: cited.Numbering(), Lead: w.chooseSection}
	if r.config.DropUnsupported {
		citing.Keep = w.supports
	}
	if req.ResponseFormat == nil {
		citing.Invented, citing.DropList = state.AddInvented, true
	}
	w.writer = newAnswerWriter(emit, state, cite.NewProcessor(w.known, citing), req.Agent.Grounding == prompt.Strict && !req.SmallTalk)
	w.tools = tools.For(w.scope())
	w.restoreSteps()
	return w, state
}

// end returns a worker's Answer and sends exactly one Stop. cause says why the answer is
// incomplete, or is nil.
func (r *Runner) end(ctx context.Context, w *worker, state *state, emit *packet.Emitter, cause error) Answer {
	req := w.req
	f := state.facts()
	f.grounding, f.searchOnly, f.smallTalk = req.Agent.Grounding, req.SearchOnly, req.SmallTalk
	if w.model.Info().Extractive { // it has no other knowledge than the documents
		f.grounding = prompt.Strict
	}
	if cause != nil {
		f.interrupted, f.stopping = cancellation(ctx)
	}
	ending := outcomeOf(cause, f)
	// a denial by the model needs no list
	if ending.Outcome == session.NoEvidence && ending.Sentence != "" {
		ending.Closest = state.closestDocuments()
	}
	if f.searchOnly && ending.Outcome == session.Answered {
		ending.Closest = Documents(state.references())
	}
	if ending.Outcome == session.Failed || ending.Outcome == session.Limited {
		ending.Reference, ending.Cause = newReference(), causeOf(cause, f)
	} else if w.unreachable != nil && cause == nil {
		ending.Reference, ending.Cause = w.reference, causeOf(w.unreachable, f)
	}
	a := state.finish(ending, cause, w.known, req.ResponseFormat == nil)
	a.Inherited = inherited(req.History, a.References)
	stop(emit.At(packet.Placement{TurnIndex: w.writer.index}), ending, a.Notices)
	r.logEnding(ctx, w, a)
	return a
}

// Documents returns the documents of the passages, each once, in the order of their first passages.
func Documents(of []message.Reference) (list []document.Ref) {
	for _, r := range message.Distinct(of) {
		list = append(list, r.Document)
	}
	return list
}

func stop(to *packet.Emitter, e Ending, notices []string) {
	s := packet.Stop{Reason: string(e.Outcome), Grounding: e.Grounding, Notices: notices}
	if e.Outcome == session.Failed || e.Outcome == session.Limited {
		to.Emit(packet.Error{Message: string(e.Sentence), Reference: e.Reference, Retryable: e.Retryable})
	} else {
		s.Message = string(e.Sentence)
	}
	for _, ref := range e.Closest {
		s.Closest = append(s.Closest, packet.DocumentOf(ref, "", 0))
	}
	to.Emit(s)
}

func (r *Runner) logEnding(ctx context.Context, w *worker, a Answer) {
	level, attrs := slog.LevelInfo, []any{
		"turn", w.req.Turn, "model", a.Model, "outcome", a.Ending.Outcome, "grounding", a.Ending.Grounding, "steps", len(a.Timings.Steps),
		"citations", len(a.Citations), "unsupported", a.Unsupported, "invented", a.Invented, "references", len(a.References), "input_tokens", a.Usage.Input, "output_tokens", a.Usage.Output,
		"first_text_ms", a.Timings.FirstText.Milliseconds(), "total_ms", a.Timings.Total.Milliseconds(),
	}
	if a.Ending.Reference != "" {
		level = slog.LevelError
		attrs = append(attrs, "reference", a.Ending.Reference, "cause", a.Ending.Cause, "error", errors.Join(a.Cause, w.unreachable))
	}
	r.log.Log(ctx, level, "turn ended", attrs...)
}
