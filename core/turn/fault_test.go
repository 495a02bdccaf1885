package turn_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/turn"
	"github.com/google/go-cmp/cmp"
)

// A stop works at every point of a turn: after each of its packets, the turn ends at once, in one
// outcome, with what was shown so far.
func TestStopAtEveryPoint(t *testing.T) {
	t.Parallel()
	const full = "It is so [[1]](https://docs.example/replication#top). And so [[2]](https://docs.example/backup#top)."
	wait := llmtest.Sleep(time.Second / 2)
	script := []llmtest.Reply{
		{wait, llmtest.Reasoning("hm"), wait, llmtest.Text("I look."), wait, llmtest.Call(0, "1", "internal_search", call), wait, llmtest.Call(1, "2", "slow", `{}`)},
		{wait, llmtest.Text("It is so [1"), wait, llmtest.Text("]."), wait, llmtest.Text(" And so [2]"), wait, llmtest.Text("."), wait},
	}
	// run stops the turn after so many packets, and returns how many there were.
	run := func(t *testing.T, after int) (total int) {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			model := llmtest.Native(script...)
			s := ask("How?", model)
			s.tools = []tool.Tool{&probe{name: "slow", run: func(ctx context.Context, _ tool.Call, _ *packet.Emitter) (tool.Result, error) {
				select {
				case <-time.After(time.Second):
				case <-ctx.Done():
				}
				return tool.Result{Content: "done"}, ctx.Err()
			}}}
			var stopped time.Time
			s.sink = func(packet.Packet) {
				if total++; total == after {
					stopped = time.Now()
					stop(turn.ErrStopped)
				}
			}
			report, packets := s.run(t, ctx)
			a := report.Best()
			switch {
			case a.Ending.Outcome == session.Answered && a.Shown == full: // the stop came after the last word
			case a.Ending.Outcome == session.Stopped && a.Shown == "I look.": // that a call follows was not known yet
			case a.Ending.Outcome != session.Stopped || !strings.HasPrefix(full, strings.TrimSuffix(a.Shown, " [1")):
				t.Errorf("stopped after packet %d: ending %+v, shown %q\n%s", after, a.Ending, a.Shown, show(packets))
			case !stopped.IsZero() && time.Since(stopped) > 0:
				t.Errorf("stopped after packet %d: it went on for %s", after, time.Since(stopped))
			}
			if a.Shown != shown(packets, 0) {
				t.Errorf("stopped after packet %d: the report says %q, the packets %q", after, a.Shown, shown(packets, 0))
			}
			synctest.Wait()
			if model.Open() != 0 {
				t.Errorf("stopped after packet %d: %d streams are open", after, model.Open())
			}
		})
		return total
	}
	points := run(t, 0)
	if points < 15 {
		t.Fatalf("the turn has %d packets", points)
	}
	for after := 1; after <= points; after++ {
		run(t, after)
	}
}

// Faults of a model before and after its first word. What was shown stays; what nobody saw is tried
// again.
func TestFaultsBeforeAndAfterTheFirstWord(t *testing.T) {
	t.Parallel()
	limited, hang := &llm.RateLimitError{RetryAfter: time.Second}, llmtest.Hang()
	tests := []struct {
		name    string
		fault   llmtest.Step
		before  session.Outcome // with two attempts, both of which fail
		after   session.Outcome
		says    string
		resting bool // it takes the time that a silent model is given
	}{
		{"429", llmtest.Fail(limited), session.Limited, session.Limited, "too much to do", false},
		{"500", llmtest.Fail(llm.ErrUnavailable), session.Failed, session.Failed, "can't reach the language model", false},
		{"a stall", hang, session.Failed, session.Failed, "", true},
		{"a cut", llmtest.Cut(), session.Failed, session.Failed, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begun, unbegun := tt.says, tt.says
				if tt.says == "" {
					begun, unbegun = "stopped in the middle", "did not begin"
				}
				try := func(replies ...llmtest.Reply) (a string, outcome session.Outcome, sentence string, asked int) {
					model := llmtest.Native(replies...)
					s := ask("How?", model)
					s.config.Policy.Attempts = 2
					report, packets := s.run(t, t.Context())
					best := report.Best()
					if model.Open() != 0 {
						t.Errorf("%d streams are open", model.Open())
					}
					return shown(packets, 0), best.Ending.Outcome, string(best.Ending.Sentence), len(model.Requests())
				}
				if text, outcome, _, asked := try(llmtest.Reply{tt.fault}, llmtest.Answer("Here.")); text != "Here." || outcome != session.Answered || asked != 2 {
					t.Errorf("once before the first word: %q, %s after %d requests", text, outcome, asked)
				}
				if text, outcome, says, asked := try(llmtest.Reply{tt.fault}, llmtest.Reply{tt.fault}); text != "" || outcome != tt.before || !strings.Contains(says, unbegun) || asked != 2 {
					t.Errorf("twice before the first word: %q, %s %q after %d requests", text, outcome, says, asked)
				}
				text, outcome, says, asked := try(llmtest.Reply{llmtest.Text("Half an answer"), tt.fault}, llmtest.Answer("never"))
				if text != "Half an answer" || outcome != tt.after || !strings.Contains(says, begun) || asked != 1 {
					t.Errorf("after the first word: %q, %s %q after %d requests", text, outcome, says, asked)
				}
			})
		})
	}
}

// A context that cannot be made to fit ends in a sentence that says what to do, without asking the
// model.
func TestContextThatCannotFit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		window int
		image  int // its tokens
		says   string
	}{{"an image that fills the window", 1000, 5000, "too long for the model"}, {"a window that holds nothing", 12, 0, "set up"}} {
		model := llmtest.New(llm.Info{Name: "tiny", Window: tt.window, Reply: 4, NativeTools: true, Vision: true}, llmtest.Answer("never"))
		s := ask("How do I set up streaming replication?", model)
		if tt.image > 0 {
			s.request.Question.Files = []message.File{{ID: "i", Name: "map.png", Media: "image/png", Image: []byte("png"), Tokens: tt.image}}
		}
		report, packets := s.run(t, t.Context())
		e := report.Best().Ending
		if e.Outcome != session.Failed || e.Retryable || !strings.Contains(string(e.Sentence), tt.says) || len(model.Requests()) != 0 {
			t.Errorf("%s: ending %+v (cause %v) after %d requests\n%s", tt.name, e, report.Best().Cause, len(model.Requests()), show(packets))
		}
	}
}

// A model that cannot see is sent no image, and the person is told.
func TestImageForTextModelIsDropped(t *testing.T) {
	t.Parallel()
	for _, sees := range []bool{false, true} {
		model := llmtest.New(llm.Info{NativeTools: true, Vision: sees}, llmtest.Answer("It shows a cat."))
		s := ask("What is this?", model)
		s.request.Question.Files = []message.File{{ID: "i", Name: "cat.png", Media: "image/png", Image: []byte("png"), Tokens: 100}}
		report, _ := s.run(t, t.Context())
		images := 0
		for _, m := range model.Requests()[0].Messages {
			images += len(m.Images)
		}
		told := slices.ContainsFunc(report.Best().Notices, func(n string) bool { return strings.Contains(n, "cat.png") })
		if (images == 1) != sees || told == sees {
			t.Errorf("a model that sees: %v; %d images were sent, notices %q", sees, images, report.Best().Notices)
		}
	}
}

// A tool that hangs or panics costs its call, not the answer.
func TestHangingOrPanickingTools(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]func(context.Context, tool.Call, *packet.Emitter) (tool.Result, error){
		"panics": func(context.Context, tool.Call, *packet.Emitter) (tool.Result, error) { panic("boom") },
		"hangs": func(ctx context.Context, _ tool.Call, _ *packet.Emitter) (tool.Result, error) {
			<-ctx.Done()
			return tool.Result{}, ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				model := llmtest.Native(llmtest.Reply{llmtest.Call(0, "1", "bad", `{}`)}, llmtest.Answer("Without it."))
				s := ask("How?", model)
				s.tools = []tool.Tool{&probe{name: "bad", run: run}}
				report, packets := s.run(t, t.Context())
				if a := report.Best(); a.Ending.Outcome != session.Answered || shown(packets, 0) != "Without it." || !strings.Contains(a.Steps[1].Text, "This call failed") {
					t.Errorf("ending %+v, steps %+v", a.Ending, a.Steps)
				}
			})
		})
	}
}

// A model that is known to think has five minutes for its first word. The thread says meanwhile
// that it thinks.
func TestLongThinkingShowsStatus(t *testing.T) {
	t.Parallel()
	for _, thinks := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			model := llmtest.New(llm.Info{NativeTools: true, Thinks: thinks}, llmtest.Reply{llmtest.Sleep(4 * time.Minute), llmtest.Text("So.")})
			report, packets := ask("How?", model).run(t, t.Context())
			e := report.Best().Ending
			if diff := cmp.Diff([]string{"The model is thinking."}, statuses(packets)); diff != "" {
				t.Error(diff)
			}
			if thinks && (e.Outcome != session.Answered || report.Best().Shown != "So.") {
				t.Errorf("ending %+v", e)
			}
			if !thinks && (e.Outcome != session.Failed || !strings.Contains(string(e.Sentence), "did not begin")) {
				t.Errorf("ending %+v", e)
			}
		})
	}
}
