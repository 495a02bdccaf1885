package llm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/google/go-cmp/cmp"
)

// read returns what a stream passed on: its text and reasoning, the arguments of its calls, and its
// error.
func read(ctx context.Context, m llm.Model) (text, calls string, err error) {
	var b, c strings.Builder
	for d, err := range m.Stream(ctx, llm.Request{}) {
		if err != nil {
			return b.String(), c.String(), err
		}
		b.WriteString(d.Reasoning + d.Text)
		if d.Call != nil {
			c.WriteString(d.Call.Arguments)
		}
	}
	return b.String(), c.String(), nil
}

func TestChain(t *testing.T) {
	t.Parallel()
	limited := func(after time.Duration) error { return &llm.RateLimitError{RetryAfter: after} }
	for _, tc := range []struct {
		name         string
		first, other []llmtest.Reply
		text, calls  string
		err          error
		took         time.Duration
	}{
		{name: "a stream that works is passed on whole", first: []llmtest.Reply{llmtest.Answer("a", "b")}, text: "ab"},
		{
			name:  "an error before the first delta is tried again, later each time",
			first: []llmtest.Reply{{llmtest.Fail(llm.ErrUnavailable)}, {llmtest.Fail(llm.ErrUnavailable)}, llmtest.Answer("a")},
			text:  "a", took: 1500 * time.Millisecond,
		},
		{
			name:  "a cut before the first delta is tried again",
			first: []llmtest.Reply{{llmtest.Cut()}, llmtest.Answer("a")}, text: "a", took: 500 * time.Millisecond,
		},
		{
			name:  "a cut after the first delta is final",
			first: []llmtest.Reply{{llmtest.Text("a"), llmtest.Cut()}, llmtest.Answer("b")}, text: "a", err: llm.ErrIncomplete,
		},
		{
			name:  "a cut inside a tool call is tried again, since nobody saw it",
			first: []llmtest.Reply{{llmtest.CallPart(0, "1", "t", `{"q`), llmtest.Cut()}, {llmtest.Call(0, "1", "t", `{}`)}},
			calls: "{}", took: 500 * time.Millisecond,
		},
		{
			name:  "a pause that the provider asks for is kept",
			first: []llmtest.Reply{{llmtest.Fail(limited(7 * time.Second))}, llmtest.Answer("a")}, text: "a", took: 7 * time.Second,
		},
		{
			name:  "a pause beyond the cap leads to the fallback at once",
			first: []llmtest.Reply{{llmtest.Fail(limited(time.Hour))}}, other: []llmtest.Reply{llmtest.Answer("b")}, text: "b",
		},
		{
			name:  "what cannot succeed later leads to the fallback at once",
			first: []llmtest.Reply{{llmtest.Fail(llm.ErrAuth)}}, other: []llmtest.Reply{llmtest.Answer("b")}, text: "b",
		},
		{
			name:  "silence before the first word is a stall and is tried again",
			first: []llmtest.Reply{{llmtest.Hang()}, llmtest.Answer("a")}, text: "a", took: 90*time.Second + 500*time.Millisecond,
		},
		{
			name:  "silence after the first word is a stall",
			first: []llmtest.Reply{{llmtest.Text("a"), llmtest.Hang()}}, text: "a", err: llm.ErrStalled, took: 45 * time.Second,
		},
		{
			name:  "slow deltas are no stall",
			first: []llmtest.Reply{{llmtest.Sleep(80 * time.Second), llmtest.Text("a"), llmtest.Sleep(44 * time.Second), llmtest.Text("b")}},
			text:  "ab", took: 124 * time.Second,
		},
		{
			name:  "when all fail every reason is kept",
			first: []llmtest.Reply{{llmtest.Fail(llm.ErrAuth)}}, other: []llmtest.Reply{{llmtest.Fail(llm.ErrNotFound)}}, err: llm.ErrNotFound,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				first, other := llmtest.New(llm.Info{Name: "first"}, tc.first...), llmtest.New(llm.Info{Name: "other"}, tc.other...)
				policy := llm.Policy{Jitter: func() float64 { return 0 }}
				if tc.took > 0 && tc.err == nil {
					policy.Backoff = time.Second // halved, since the jitter is 0
				}
				chain := llm.NewChain(policy, first)
				if tc.other != nil {
					chain = llm.NewChain(policy, first, other)
				}
				began := time.Now()
				text, calls, err := read(t.Context(), chain)
				if text != tc.text || calls != tc.calls || !errors.Is(err, tc.err) {
					t.Errorf("got %q, calls %q, error %v; want %q, %q, %v", text, calls, err, tc.text, tc.calls, tc.err)
				}
				if took := time.Since(began); took != tc.took {
					t.Errorf("took %s, want %s", took, tc.took)
				}
				if first.Open()+other.Open() != 0 {
					t.Error("a stream was left open")
				}
			})
		})
	}
}

func TestChainEndsWithTheCauseOfACancelledContext(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	for name, reply := range map[string]llmtest.Reply{
		"before the first word": {llmtest.Hang()},
		"after it":              {llmtest.Text("a"), llmtest.Hang()},
		"between two attempts":  {llmtest.Fail(llm.ErrUnavailable)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(100*time.Millisecond, func() { cancel(stopped) })
				model := llmtest.Native(reply)
				_, _, err := read(ctx, llm.NewChain(llm.Policy{}, model))
				if !errors.Is(err, stopped) {
					t.Errorf("error = %v, want the cause", err)
				}
				if model.Open() != 0 {
					t.Error("the stream was left open")
				}
			})
		})
	}
}

func TestChainClosesTheStreamWhenTheReaderLeaves(t *testing.T) {
	t.Parallel()
	model := llmtest.Native(llmtest.Answer("a", "b"))
	for _, err := range llm.NewChain(llm.Policy{}, model).Stream(t.Context(), llm.Request{}) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	if model.Open() != 0 || len(model.Requests()) != 1 {
		t.Errorf("%d streams open after %d requests", model.Open(), len(model.Requests()))
	}
}

func TestChainNamesTheModelThatStoodIn(t *testing.T) {
	t.Parallel()
	first := llmtest.New(llm.Info{Name: "first"}, llmtest.Reply{llmtest.Fail(llm.ErrAuth)})
	other := llmtest.New(llm.Info{Name: "other"}, llmtest.Answer("a"))
	var names []string
	for d, err := range llm.NewChain(llm.Policy{}, first, other).Stream(t.Context(), llm.Request{}) {
		if err != nil {
			t.Error(err)
		}
		names = append(names, d.Model)
	}
	if diff := cmp.Diff([]string{"other", ""}, names); diff != "" {
		t.Error(diff)
	}
}

func TestChainInfoIsWhatAllCanDo(t *testing.T) {
	t.Parallel()
	chain := llm.NewChain(llm.Policy{},
		llmtest.New(llm.Info{Name: "a", Window: 100, Reply: 10, Vision: true, NativeTools: true}),
		llmtest.New(llm.Info{Name: "b", Window: 50, Reply: 20}))
	if diff := cmp.Diff(llm.Info{Name: "a", Window: 50, Reply: 20}, chain.Info()); diff != "" {
		t.Error(diff)
	}
}

// Signs of life count as long as the model has not begun, and between two deltas. Silence ends the
// stream, with or without them before.
func TestSignsOfLifeKeepAStreamOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		alive := func(n int) (r llmtest.Reply) {
			for range n {
				r = append(r, llmtest.Sleep(40*time.Second), llmtest.Text(""))
			}
			return r
		}
		reply := append(alive(10), llmtest.Text("So"))
		reply = append(append(reply, alive(5)...), llmtest.Text(" it is."))
		text := ""
		for d, err := range llm.NewChain(llm.Policy{Attempts: 1}, llmtest.Native(reply)).Stream(t.Context(), llm.Request{}) {
			if err != nil {
				t.Fatal(err)
			}
			text += d.Text
		}
		if text != "So it is." {
			t.Errorf("text %q", text)
		}
		began := time.Now()
		for _, err := range llm.NewChain(llm.Policy{Attempts: 1}, llmtest.Native(append(alive(2), llmtest.Hang()))).Stream(t.Context(), llm.Request{}) {
			if !errors.Is(err, llm.ErrStalled) || time.Since(began) != 170*time.Second {
				t.Errorf("error %v after %s", err, time.Since(began))
			}
		}
	})
}
