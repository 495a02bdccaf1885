package llm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Limits bound one answer of a model, whatever the endpoint sends. They are far above the size of
// an answer that respects Request.MaxTokens.
type Limits struct {
	Text int // bytes that a reader sees
	// bytes of text, reasoning and calls; each piece of a call costs pieceCost in addition
	Bytes    int
	Duration time.Duration // from the request to the end
}

// AnswerLimits are the limits for models that run outside this process.
var AnswerLimits = Limits{Text: 128 << 10, Bytes: 2 << 20, Duration: 30 * time.Minute}

const (
	pieceCost  = 160 // bytes of memory of a Delta with a CallDelta
	tokenBytes = 16  // upper bound of the mean size of a token; about 4 in English
	leastText  = 4 << 10
)

// ErrEndless means that a model exceeded [Limits] before it sent any visible text.
var ErrEndless = errors.New("the model did not come to an end")

func (l Limits) forRequest(req Request) Limits {
	if req.MaxTokens > 0 {
		l.Text = min(l.Text, max(req.MaxTokens*tokenBytes, leastText))
	}
	return l
}

// Stream forwards the answer of ask until it exceeds the limits, and then cancels the context of
// ask. The stream ends with FinishLimit if text was forwarded, and with [ErrEndless] otherwise. An
// ErrEndless from ask ends the stream in the same way.
func (l Limits) Stream(
	ctx context.Context, req Request, ask func(context.Context, Request) iter.Seq2[Delta, error],
) iter.Seq2[Delta, error] {
	l = l.forRequest(req)
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
