package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/span"
	"golang.org/x/sync/errgroup"
)

// ErrTimeout is the cancellation cause of a tool's context after the tool's timeout.
var ErrTimeout = errors.New("the tool took too long")

// Failed is the prefix of the text that a model reads after a failed call.
const Failed = "This call failed: "

// ErrPanic reports that a tool panicked. The log has the details.
var ErrPanic = errors.New("the tool failed unexpectedly")

// Runner runs the tool calls of one model response. It is safe for concurrent use.
type Runner struct {
	config RunnerConfig
	logger *slog.Logger
}

// RunnerConfig limits a Runner. Zero fields take the stated defaults.
type RunnerConfig struct {
	Timeout  time.Duration // of one call: 60 s
	Parallel int           // calls at once: 4
	MaxCalls int           // of one step; further ones are answered with an error: 8
	// how long a tool may run after its timeout or a stop before the runner abandons it; the
	// default is 2 s
	Grace time.Duration
}

// NewRunner returns a runner. It logs failures to log, without contents.
func NewRunner(config RunnerConfig, log *slog.Logger) *Runner {
	if config.Timeout <= 0 {
		config.Timeout = time.Minute
	}
	if config.Parallel <= 0 {
		config.Parallel = 4
	}
	if config.MaxCalls <= 0 {
		config.MaxCalls = 8
	}
	if config.Grace <= 0 {
		config.Grace = 2 * time.Second
	}
	return &Runner{config: config, logger: log}
}

// Executed is a tool call that was run, with its result. Merged calls of the model share one
// Executed.
type Executed struct {
	Call   message.Call // with the registered name and the executed arguments
	Result Result       // Content is what the model reads, errors included
	Err    error        // nil if the tool succeeded
	Took   time.Duration
}

// Step describes one round of tool calls in a turn.
type Step struct {
	Tools    Set
	Scope    Scope
	RanTools map[string]bool // names of tools that ran earlier in the turn; decides Scope.First
}

// Run runs the calls of a step and returns their results in the order of the calls. It merges all
// calls of a [Merger] into one. Packets of each call have a separate TabIndex.
//
// Run returns when all calls have ended. If a tool ignores the end of its context for longer than
// Grace, Run abandons it, and discards its packets and its result.
func (r *Runner) Run(ctx context.Context, calls []llm.ToolCall, step Step, emit *packet.Emitter) []Executed {
	jobs := merge(r.prepare(calls, step))
	if len(jobs) > 1 {
		emit.Emit(packet.Branching{Branches: len(jobs)})
	}
	ran := make([]Executed, len(jobs))
	var group errgroup.Group
	group.SetLimit(r.config.Parallel)
	for i, j := range jobs {
		place := emit.Placement()
		place.TabIndex = i
		tab := emit.At(place)
		group.Go(func() error {
			ran[i] = r.run(ctx, j, step, tab)
			return nil
		})
	}
	_ = group.Wait() // the functions return no errors: each error is in its Executed
	return ran
}

type pendingCall struct {
	call message.Call
	tool Tool  // nil when err is set
	err  error // error found before the call runs
}

func (r *Runner) prepare(calls []llm.ToolCall, step Step) []pendingCall {
	jobs := make([]pendingCall, 0, len(calls))
	for i, c := range calls {
		j := pendingCall{call: message.Call{ID: c.ID, Name: c.Name, Arguments: json.RawMessage("{}")}}
		if j.tool = step.Tools.Find(c.Name); j.tool == nil {
			j.call.Name = sanitiseName(c.Name)
			j.err = fmt.Errorf("there is no tool %q. The tools are: %s", j.call.Name, step.Tools.list())
		} else {
			j.call.Name = j.tool.Spec().Name
			var arguments json.RawMessage
			if arguments, j.err = ParseArguments(c.Arguments); j.err == nil {
				j.call.Arguments = arguments
			}
		}
		if i >= r.config.MaxCalls {
			j.err = fmt.Errorf("at most %d calls are made at once; make this one in the next step if it is still needed", r.config.MaxCalls)
		}
		jobs = append(jobs, j)
	}
	return jobs
}

// sanitiseName returns a tool's name with only the characters and the length that providers accept.
func sanitiseName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
	if clean == "" {
		return "unknown"
	}
	return clean[:min(len(clean), 64)]
}

func merge(jobs []pendingCall) []pendingCall {
	var out []pendingCall
	for i, j := range jobs {
		merger, ok := j.tool.(Merger)
		if !ok || j.err != nil {
			out = append(out, j)
			continue
		}
		var same []json.RawMessage
		first := true
		for k, other := range jobs {
			if other.err != nil || other.call.Name != j.call.Name {
				continue
			}
			first = first && k >= i
			same = append(same, other.call.Arguments)
		}
		if len(same) > 1 {
			joined, err := merger.Merge(same)
			if err == nil {
				if !first {
					continue // merged into an earlier call
				}
				j.call.Arguments = joined
			}
		}
		out = append(out, j)
	}
	return out
}

func (r *Runner) run(ctx context.Context, j pendingCall, step Step, emit *packet.Emitter) Executed {
	began := time.Now()
	ran := Executed{Call: j.call, Err: j.err}
	ctx, toolSpan := span.Begin(ctx, "tool", slog.String("tool", j.call.Name))
	if ran.Err == nil {
		ran.Result, ran.Err = r.call(ctx, j, step, emit)
	} else {
		emit.Emit(packet.CustomToolStart{Name: j.call.Name})
		emit.Emit(packet.CustomToolResult{Name: j.call.Name, Error: ran.Err.Error()})
	}
	emit.Emit(packet.SectionEnd{})
	ran.Took = time.Since(began)
	toolSpan.Note(slog.Int("references", len(ran.Result.References)))
	toolSpan.End(ran.Err)
	if ran.Err != nil && ctx.Err() == nil { // a stop is no failure
		r.logger.WarnContext(ctx, "tool call failed", "tool", j.call.Name, "took_ms", ran.Took.Milliseconds(), "error_type", fmt.Sprintf("%T", ran.Err))
		ran.Result = Result{Content: Failed + ran.Err.Error() + ".", Search: ran.Result.Search}
	}
	if ran.Result.Arguments != nil {
		ran.Call.Arguments = ran.Result.Arguments
	}
	return ran
}

// call runs one tool and returns its result. If the tool still runs a grace period after its
// context has ended, call abandons it.
func (r *Runner) call(ctx context.Context, j pendingCall, step Step, emit *packet.Emitter) (Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.config.Timeout, ErrTimeout)
	defer cancel()
	emit, finish := emit.Closable()
	defer finish() // no packet of the tool may follow the end of its block
	scope := step.Scope
	scope.First = !step.RanTools[j.call.Name]
	ended := make(chan Executed, 1)
	go func() {
		var ran Executed
		defer func() {
			if p := recover(); p != nil {
				r.logger.ErrorContext(ctx, "tool panicked", "tool", j.call.Name, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				ran = Executed{Err: ErrPanic}
			}
			ended <- ran
		}()
		ran.Result, ran.Err = j.tool.Run(ctx, Call{ID: j.call.ID, Arguments: j.call.Arguments, Scope: scope}, emit)
	}()
	select {
	case ran := <-ended:
		return r.outcome(ctx, ran)
	case <-ctx.Done():
	}
	// A tool that observes its context ends now. Another must not delay the answer, so it is
	// abandoned and its result dropped.
	grace := time.NewTimer(r.config.Grace)
	defer grace.Stop()
	select {
	case ran := <-ended:
		return r.outcome(ctx, ran)
	case <-grace.C:
		r.logger.ErrorContext(ctx, "tool did not end and was abandoned", "tool", j.call.Name)
		return r.outcome(ctx, Executed{Err: context.Cause(ctx)})
	}
}

func (r *Runner) outcome(ctx context.Context, ran Executed) (Result, error) {
	if ran.Err != nil && errors.Is(context.Cause(ctx), ErrTimeout) {
		return Result{}, fmt.Errorf("%w: the limit is %s", ErrTimeout, r.config.Timeout)
	}
	return ran.Result, ran.Err
}
