package spend

import (
	"context"
	"iter"
	"sync"

	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/llm"
)

// What a request has in addition to its texts, at most.
const (
	perMessage   = 16     // role and delimiters
	perRequest   = 1_024  // the provider's own words, such as those about tools
	perImage     = 48_169 // the dearest model of OpenAI at the largest size: 2,833 + 8 × 5,667
	imageGuessed = 1_105  // 1,024 × 1,024 pixels in full detail, for most models
)

// model is an llm.Model whose calls are paid for.
type model struct {
	llm.Model
	meter   *Meter
	purpose Purpose
	count   Counting
}

var _ llm.Model = (*model)(nil)

// Model wraps inner: it enforces the caps and books each call. It books the provider's token count.
// If a stream was stopped or cut and has no count, it books its own count. If a cap has no room,
// the call is not made and the error is a *CapError. Retries are separate calls, so put the meter
// below an llm.Chain.
func (m *Meter) Model(inner llm.Model, purpose Purpose) llm.Model {
	return &model{Model: inner, meter: m, purpose: purpose, count: m.config.Counting(inner.Info().Name)}
}

// Stream implements llm.Model.
func (m *model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		info := m.Info()
		if req.MaxTokens == 0 && m.meter.config.Caps.Any() {
			req.MaxTokens = info.Reply // what is not limited cannot be set aside
		}
		input := sync.OnceValue(func() int { return tokens(req, m.count) })
		most := llm.Usage{Input: m.most(req, input), Output: req.MaxTokens}
		c, err := m.meter.begin(ctx, info.Name, m.purpose, most, input)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		defer c.end(ctx)
		for d, err := range m.Model.Stream(ctx, req) {
			if err != nil {
				c.failed(err)
				yield(llm.Delta{}, err)
				return
			}
			c.note(d, m.count)
			if !yield(d, nil) {
				return
			}
		}
	}
}

// note counts what came.
func (c *call) note(d llm.Delta, count budget.Counter) {
	n := count.Count(d.Text) + count.Count(d.Reasoning)
	if d.Call != nil {
		n += count.Count(d.Call.Name) + count.Count(d.Call.Arguments)
	}
	c.output.Add(int64(n))
	if d.Usage != nil && *d.Usage != (llm.Usage{}) { // gateways that do not count send zeros
		c.told = d.Usage
	}
}

// most is the most tokens that a request can have. No vocabulary needs more tokens than a text has
// bytes.
func (m *model) most(req llm.Request, input func() int) int {
	if !m.meter.config.Caps.Any() {
		return 0
	}
	n := perRequest
	if m.count.Exact {
		n += input() + input()/20
	} else {
		n += tokens(req, bytewise{})
	}
	for _, message := range req.Messages {
		n += perMessage + len(message.Images)*perImage
	}
	return n
}

// tokens counts the texts of a request.
func tokens(req llm.Request, count counter) int {
	n := count.Count(string(req.ResponseFormat))
	for _, message := range req.Messages {
		n += 3 + count.Count(message.Text) + len(message.Images)*imageGuessed
		for _, call := range message.ToolCalls {
			n += count.Count(call.ID) + count.Count(call.Name) + count.Count(call.Arguments)
		}
	}
	for _, tool := range req.Tools {
		n += count.Count(tool.Name) + count.Count(tool.Description) + count.Count(string(tool.Parameters))
	}
	return n
}

// counter is the part of budget.Counter that is needed here.
type counter interface{ Count(text string) int }

// bytewise counts bytes.
type bytewise struct{}

func (bytewise) Count(text string) int { return len(text) }
