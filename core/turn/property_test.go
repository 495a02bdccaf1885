package turn_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/prompt"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/tool"
	"github.com/footnotehq/footnote/core/turn"
	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

// step draws one thing that a model may do.
func step(t *rapid.T) llmtest.Step {
	text := rapid.SampledFrom([]string{
		"Set ", "wal_level [1", "] and [2][1]", " ", "\n\n", "```go\na[1]\n```\n", "[[1]](https://evil.example)", "[9]", "<tool_call>", "</tool_call>",
		"{\"name\":\"internal_search\",\"arguments\":{\"queries\":[\"a\"]}}", "<invoke name=\"bad\">", "é🛑", "[", "`",
	})
	name := rapid.SampledFrom([]string{"internal_search", "slow", "mad", "unknown", ""})
	arguments := rapid.SampledFrom([]string{`{"queries":["a"]}`, `{}`, `{"queries":`, `"{\"queries\":[\"b\"]}"`, "nonsense", ""})
	failure := rapid.SampledFrom([]error{
		llm.ErrUnavailable, llm.ErrAuth, llm.ErrRefused, llm.ErrIncomplete, llm.ErrContextTooLong, &llm.RateLimitError{RetryAfter: time.Second}, errors.New("x"),
	})
	switch rapid.IntRange(0, 15).Draw(t, "step") {
	case 0, 1, 2, 3, 4, 5:
		return llmtest.Text(text.Draw(t, "text"))
	case 6:
		return llmtest.Reasoning(text.Draw(t, "reasoning"))
	case 7, 8, 9:
		return llmtest.Call(rapid.IntRange(0, 3).Draw(t, "index"), rapid.SampledFrom([]string{"", "c1", "c2"}).Draw(t, "id"), name.Draw(t, "name"), arguments.Draw(t, "arguments"))
	case 10:
		return llmtest.Sleep(time.Duration(rapid.IntRange(1, 120).Draw(t, "seconds")) * time.Second)
	case 11:
		return llmtest.Fail(failure.Draw(t, "failure"))
	case 12:
		return llmtest.Cut()
	case 13:
		return llmtest.Panic("boom")
	case 14:
		return llmtest.Finish(rapid.SampledFrom([]llm.Finish{llm.FinishStop, llm.FinishLength, llm.FinishRefusal}).Draw(t, "finish"))
	default:
		return llmtest.Hang()
	}
}

// Whatever models, tools and people do, a turn ends: one outcome for each model, packets that are
// well formed, all streams closed, and what the report says was shown is what the packets showed.
func TestAnyScriptEndsInExactlyOneOutcome(t *testing.T) {
	t.Parallel()
	outcomes := map[session.Outcome]bool{
		session.Answered: true, session.NoEvidence: true, session.Refused: true, session.Stopped: true, session.Limited: true, session.Failed: true,
	}
	rapid.Check(t, func(rt *rapid.T) {
		replies := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) llmtest.Reply {
			return rapid.SliceOfN(rapid.Custom(step), 0, 8).Draw(t, "reply")
		}), 0, 8)
		var models []llm.Model
		var scripted []*llmtest.Model
		for i := range rapid.IntRange(1, 3).Draw(rt, "models") {
			m := llmtest.New(llm.Info{Name: fmt.Sprint("m", i), NativeTools: rapid.Bool().Draw(rt, "native")}, replies.Draw(rt, "replies")...)
			models, scripted = append(models, m), append(scripted, m)
		}
		stopAfter := time.Duration(rapid.IntRange(0, 300).Draw(rt, "stop after")) * time.Second
		drop := rapid.Bool().Draw(rt, "drop unsupported")
		strict, evidence := rapid.Bool().Draw(rt, "strict"), rapid.Bool().Draw(rt, "evidence")
		synctest.Test(t, func(t *testing.T) {
			s := ask("How?", models...)
			s.index.evidence = evidence
			s.config.Policy.Attempts = 2
			s.config.Queue, s.config.DropUnsupported = 1, drop
			if strict {
				s.request.Agent.Grounding = prompt.Strict
			}
			s.tools = []tool.Tool{
				&probe{name: "slow", run: func(ctx context.Context, _ tool.Call, _ *packet.Emitter) (tool.Result, error) {
					<-ctx.Done()
					return tool.Result{}, ctx.Err()
				}},
				&probe{name: "mad", run: func(context.Context, tool.Call, *packet.Emitter) (tool.Result, error) { panic("boom") }},
			}
			ctx, stop := context.WithCancelCause(t.Context())
			timer := time.AfterFunc(stopAfter, func() { stop(turn.ErrStopped) })
			report, packets := s.run(t, ctx)
			timer.Stop()
			stop(nil)
			synctest.Wait()
			for i, a := range report.Answers {
				if !outcomes[a.Ending.Outcome] {
					rt.Errorf("model %d ended %q", i, a.Ending.Outcome)
				}
				if got := shown(packets, i); a.Shown != got {
					rt.Errorf("model %d: report shows %q, packets %q", i, a.Shown, got)
				}
				if scripted[i].Open() != 0 {
					rt.Errorf("model %d has an open stream", i)
				}
				if (a.Ending.Grounding == packet.Cited) != (len(a.Citations) > 0 && a.Cause == nil) {
					rt.Errorf("model %d: grounding %s with citations %v", i, a.Ending.Grounding, a.Citations)
				}
			}
		})
	})
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
