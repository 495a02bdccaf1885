package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Limits bound one answer of a model, whatever the endpoint sends. They are far above what a model
// writes that keeps to Request.MaxTokens.
type Limits struct {
	Text int // bytes that a reader sees
	// bytes of text, reasoning and calls, with pieceCost for each piece of a call
	Bytes    int
	Duration time.Duration // from the request to the end
}

// AnswerLimits hold for every model that is elsewhere.
var AnswerLimits = Limits{Text: 128 << 10, Bytes: 2 << 20, Duration: 30 * time.Minute}

const (
	pieceCost  = 160 // bytes of memory of a Delta with a CallDelta
	tokenBytes = 16  // the most that a token has on average; it is about 4 in English
	leastText  = 4 << 10
)

// ErrEndless says that a model exceeded a limit of its answer before it wrote anything that a
// reader sees.
var ErrEndless = errors.New("the model did not come to an end")

// of returns the limits of the answer to a request.
func (l Limits) of(req Request) Limits {
	if req.MaxTokens > 0 {
		l.Text = min(l.Text, max(req.MaxTokens*tokenBytes, leastText))
	}
	return l
}

// Stream passes on the answer of ask up to the limits. An answer that exceeds them ends with
// FinishLimit where text was passed on, and with ErrEndless otherwise; so does one of which ask
// says ErrEndless. The context of ask is done then.
func (l Limits) Stream(
	ctx context.Context, req Request, ask func(context.Context, Request) iter.Seq2[Delta, error],
) iter.Seq2[Delta, error] {
	l = l.of(req)
	return func(yield func(Delta, error) bool) {
		inner, cancel := context.WithTimeoutCause(ctx, l.Duration, fmt.Errorf("%w in %s", ErrEndless, l.Duration))
		defer cancel()
		text, bytes := 0, 0
		over := func(err error) {
			if text > 0 {
				yield(Delta{Finish: FinishLimit}, nil)
				return
			}
			yield(Delta{}, err)
		}
		for d, err := range ask(inner, req) {
			if err != nil {
				if ctx.Err() == nil && inner.Err() != nil {
					err = context.Cause(inner)
				}
				if errors.Is(err, ErrEndless) {
					over(err)
					return
				}
				yield(d, err)
				return
			}
			bytes += len(d.Text) + len(d.Reasoning)
			if d.Call != nil {
				bytes += len(d.Call.ID) + len(d.Call.Name) + len(d.Call.Arguments) + pieceCost
			}
			if text+len(d.Text) > l.Text || bytes > l.Bytes {
				over(fmt.Errorf("%w after %d bytes", ErrEndless, bytes))
				return
			}
			text += len(d.Text)
			if !yield(d, nil) {
				return
			}
		}
	}
}
