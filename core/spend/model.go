package spend

import (
	"context"
	"iter"
	"sync"

	"github.com/footnotehq/footnote/core/budget"
	"github.com/footnotehq/footnote/core/llm"
)

// The largest numbers of tokens that the parts of a request add to its texts. Only usualImageTokens
// is a typical number.
const (
	perMessageTokens = 16    // role and delimiters
	perRequestTokens = 1_024 // text that the provider adds, such as about tools
	// maxImageTokens is the cost of the largest image for OpenAI's most expensive model: 2,833 + 8
	// × 5,667.
	maxImageTokens   = 48_169
	usualImageTokens = 1_105 // 1,024 × 1,024 pixels in full detail, for most models
)

type model struct {
	llm.Model
	meter   *Meter
	purpose Purpose
	count   Counting
}

var _ llm.Model = (*model)(nil)

// Model wraps inner. The result enforces the caps and books each call. If a cap has no room, the
// call is not made and the error is a *CapError. Retries are separate calls, so put the meter below
// an llm.Chain.
//
// The meter books the provider's token count. If a stream was stopped or cut and has no count, the
// meter books its own count.
func (m *Meter) Model(inner llm.Model, purpose Purpose) llm.Model {
	return &model{Model: inner, meter: m, purpose: purpose, count: m.config.Counting(inner.Info().Name)}
}

// Stream implements llm.Model.
func (m *model) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		info := m.Info()
		if req.MaxTokens == 0 && m.meter.config.Caps.Any() {
			req.MaxTokens = info.Reply // without a limit there is no maximum cost to reserve
		}
		input := sync.OnceValue(func() int { return tokens(req, m.count) })
		most := llm.Usage{Input: m.maxInput(req, input), Output: req.MaxTokens}
		c, err := m.meter.begin(ctx, info.Name, m.purpose, most, input)
		if err != nil {
			yield(llm.Delta{}, err)
			return
		}
		defer c.finish(ctx)
		for d, err := range m.Model.Stream(ctx, req) {
			if err != nil {
				c.noteFailure(err)
				yield(llm.Delta{}, err)
				return
			}
			c.addDelta(d, m.count)
			if !yield(d, nil) {
				return
			}
		}
	}
}

func (c *call) addDelta(d llm.Delta, count budget.Counter) {
	n := count.Count(d.Text) + count.Count(d.Reasoning)
	if d.Call != nil {
		n += count.Count(d.Call.Name) + count.Count(d.Call.Arguments)
	}
	c.output.Add(int64(n))
	if d.Usage != nil && *d.Usage != (llm.Usage{}) { // gateways that do not count tokens send zeros
		c.reported = d.Usage
	}
}

// maxInput returns an upper bound of the number of tokens of a request. It returns 0 if no cap is
// set. If tokens cannot be counted exactly, it counts bytes.
func (m *model) maxInput(req llm.Request, input func() int) int {
	if !m.meter.config.Caps.Any() {
		return 0
	}
	n := perRequestTokens
	if m.count.Exact {
		n += input() + input()/20
	} else {
		n += tokens(req, byteCounter{})
	}
	for _, message := range req.Messages {
		n += perMessageTokens + len(message.Images)*maxImageTokens
	}
	return n
}

func tokens(req llm.Request, count counter) int {
	n := count.Count(string(req.ResponseFormat))
	for _, message := range req.Messages {
		n += 3 + count.Count(message.Text) + len(message.Images)*usualImageTokens
		for _, call := range message.ToolCalls {
			n += count.Count(call.ID) + count.Count(call.Name) + count.Count(call.Arguments)
		}
	}
	for _, tool := range req.Tools {
		n += count.Count(tool.Name) + count.Count(tool.Description) + count.Count(string(tool.Parameters))
	}
	return n
}

type counter interface{ Count(text string) int }

type byteCounter struct{}

func (byteCounter) Count(text string) int { return len(text) }
