package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"github.com/footnotehq/footnote/core/span"
)

// Chain is a [Model] with fallbacks. It calls the first model, retries errors that are [Retryable],
// and then calls the next model. After it has forwarded a part of the answer, errors are final,
// because a reader has seen that part.
//
// Chain holds back pieces of tool calls until text or reasoning follows or the stream ends. It can
// thus retry a stream that breaks inside a call. It returns [ErrNoTools] at once, because the
// caller can send the request in another form.
type Chain struct {
	models []Model
	policy Policy
}

var _ Model = (*Chain)(nil)

// NewChain returns a Chain that calls model first and then the fallbacks in order.
func NewChain(policy Policy, model Model, fallbacks ...Model) *Chain {
	return &Chain{models: append([]Model{model}, fallbacks...), policy: policy.withDefaults()}
}

// Info describes the first model, restricted to the abilities that all models have. A request that
// fits this Info can be sent to any of the models.
func (c *Chain) Info() Info {
	info := c.models[0].Info()
	for _, m := range c.models[1:] {
		other := m.Info()
		info.Window, info.Reply = min(info.Window, other.Window), max(info.Reply, other.Reply)
		info.Vision = info.Vision && other.Vision
		info.Small = info.Small || other.Small
		info.Thinks = info.Thinks || other.Thinks
		info.NativeTools = info.NativeTools && other.NativeTools
	}
	return info
}

// Stream implements Model.
func (c *Chain) Stream(ctx context.Context, req Request) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		var failures []error
		for i, m := range c.models {
			for attempt := 1; ; attempt++ {
				t := try{model: m, policy: c.policy, yield: yield, fallback: i > 0}
				err := t.run(ctx, req, attempt)
				if t.abandoned || err == nil {
					return
				}
				if ctx.Err() != nil || t.shown || errors.Is(err, ErrRefused) || errors.Is(err, ErrNoTools) {
					yield(Delta{}, err)
					return
				}
				pause, again := c.policy.wait(attempt, err)
				if !again {
					failures = append(failures, err)
					break
				}
				if err := c.policy.Sleep(ctx, pause); err != nil {
					yield(Delta{}, err)
					return
				}
			}
		}
		yield(Delta{}, errors.Join(failures...))
	}
}

type try struct {
	model    Model
	policy   Policy
	yield    func(Delta, error) bool
	fallback bool

	held      []Delta // deltas that were not forwarded yet
	shown     bool    // a delta was forwarded
	abandoned bool    // the consumer has left the loop

	silence time.Duration // maximum time until the next delta

	first  time.Time // arrival of the first delta
	usage  Usage
	finish Finish
}

// run makes one call of the model and forwards its stream. It returns nil if the whole stream was
// forwarded or the consumer left the loop.
func (t *try) run(parent context.Context, req Request, attempt int) (err error) {
	began, info := time.Now(), t.model.Info()
	name := info.Name
	t.silence = t.policy.beginning(info)
	parent, told := span.Begin(parent, "model", slog.String("model", name), slog.Int("attempt", attempt), slog.Bool("fallback", t.fallback))
	defer func() {
		if !t.first.IsZero() {
			told.Note(slog.Duration("first_delta", t.first.Sub(began)))
		}
		told.Note(slog.Int("input_tokens", t.usage.Input), slog.Int("output_tokens", t.usage.Output), slog.String("finish", string(t.finish)))
		told.End(err)
	}()
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	// The watchdog cancels the provider's context, so no second goroutine can leak.
	watchdog := time.AfterFunc(t.silence, func() { cancel(ErrStalled) })
	defer watchdog.Stop()
	for d, err := range t.model.Stream(ctx, req) {
		if err != nil {
			return t.failure(ctx, name, err)
		}
		if d == (Delta{}) { // heartbeat
			watchdog.Reset(t.silence)
			continue
		}
		// The time that the consumer takes is not silence of the model.
		watchdog.Stop()
		if t.first.IsZero() {
			t.first = time.Now()
		}
		if d.Usage != nil {
			t.usage = *d.Usage
		}
		if d.Finish != "" {
			t.finish = d.Finish
		}
		if t.fallback && !t.shown && len(t.held) == 0 {
			d.Model = name
		}
		t.held = append(t.held, d)
		if (t.shown || d.Text != "" || d.Reasoning != "") && !t.flush() {
			t.abandoned = true
			return nil
		}
		t.silence = t.policy.Stall
		watchdog.Reset(t.silence)
	}
	watchdog.Stop()
	if cause := context.Cause(ctx); cause != nil {
		return t.failure(ctx, name, cause)
	}
	if t.finish == "" {
		return t.failure(ctx, name, ErrIncomplete)
	}
	t.abandoned = !t.flush()
	return nil
}

func (t *try) failure(ctx context.Context, name string, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if errors.Is(err, ErrStalled) {
		return fmt.Errorf("ask model %s: no word for %s: %w", name, t.silence, err)
	}
	return fmt.Errorf("ask model %s: %w", name, err)
}

func (t *try) flush() bool {
	held := t.held
	t.held = t.held[:0]
	for _, d := range held {
		t.shown = true
		if !t.yield(d, nil) {
			return false
		}
	}
	return true
}
