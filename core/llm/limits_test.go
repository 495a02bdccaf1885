package llm_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/llm"
)

// endless is a model that sends the same delta for ever, each after a while.
func endless(d llm.Delta, after time.Duration) func(context.Context, llm.Request) iter.Seq2[llm.Delta, error] {
	return func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Delta, error] {
		return func(yield func(llm.Delta, error) bool) {
			for {
				select {
				case <-ctx.Done():
					yield(llm.Delta{}, ctx.Err())
					return
				case <-time.After(after):
				}
				if !yield(d, nil) {
					return
				}
			}
		}
	}
}

func TestLimitsEndAnAnswer(t *testing.T) {
	t.Parallel()
	limits := llm.Limits{Text: 100, Bytes: 2000, Duration: time.Hour}
	for _, tc := range []struct {
		name  string
		delta llm.Delta
		after time.Duration
		text  int
		err   error
	}{
		{name: "text", delta: llm.Delta{Text: "0123456789"}, text: 100},
		{name: "reasoning", delta: llm.Delta{Reasoning: "0123456789"}, err: llm.ErrEndless},
		{name: "arguments", delta: llm.Delta{Call: &llm.CallDelta{Arguments: "0123456789"}}, err: llm.ErrEndless},
		{name: "a name", delta: llm.Delta{Call: &llm.CallDelta{Name: "0123456789"}}, err: llm.ErrEndless},
		{name: "empty pieces of calls", delta: llm.Delta{Call: &llm.CallDelta{}}, err: llm.ErrEndless},
		{name: "text that comes slowly", delta: llm.Delta{Text: "0"}, after: 7 * time.Minute, text: 8},
		{name: "nothing, slowly", delta: llm.Delta{}, after: 7 * time.Minute, err: llm.ErrEndless},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				text, finish := 0, llm.Finish("")
				var failed error
				for d, err := range limits.Stream(t.Context(), llm.Request{}, endless(tc.delta, tc.after)) {
					if failed = err; err == nil {
						text, finish = text+len(d.Text), d.Finish
					}
				}
				if text != tc.text || !errors.Is(failed, tc.err) || (tc.err == nil) != (finish == llm.FinishLimit) {
					t.Errorf("%d bytes of text, finish %q, error %v", text, finish, failed)
				}
			})
		})
	}
}

func TestLimitsFollowWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	for tokens, want := range map[int]int{0: 1 << 20, 10: 4 << 10, 1000: 16_000, 1 << 30: 1 << 20} {
		text := 0
		limits := llm.Limits{Text: 1 << 20, Bytes: 1 << 30, Duration: time.Hour}
		for d, err := range limits.Stream(t.Context(), llm.Request{MaxTokens: tokens}, endless(llm.Delta{Text: "0123456789"}, 0)) {
			if err != nil {
				t.Errorf("%d tokens: %v", tokens, err)
			}
			text += len(d.Text)
		}
		if want-text < 0 || want-text >= 10 {
			t.Errorf("of %d tokens %d bytes were passed on, want %d", tokens, text, want)
		}
	}
}

func TestLimitsKeepTheErrorOfAStop(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	stop(stopped)
	for _, err := range llm.AnswerLimits.Stream(ctx, llm.Request{}, endless(llm.Delta{}, time.Hour)) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	}
}
