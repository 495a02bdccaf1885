package turn_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
)

// An endpoint that ignores that no tool may be called is asked once more, without tools. The call is not run.
func TestCallInTheLastStepIsNotRun(t *testing.T) {
	t.Parallel()
	for name, native := range map[string]bool{"with a tool interface": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			called := searching("1")
			if !native {
				called = llmtest.Answer(`<tool_call>{"name":"internal_search","arguments":` + call + `}</tool_call>`)
			}
			model := llmtest.New(llm.Info{NativeTools: native}, called, called, llmtest.Answer("So [1]."))
			s := ask("How?", model)
			s.config.MaxSteps = 2
			report, _ := s.run(t, t.Context())
			if a := report.Best(); a.Ending.Outcome != session.Answered || a.Shown != "So [[1]](https://docs.example/replication#top)." {
				t.Errorf("ending %+v, shown %q", a.Ending, a.Shown)
			}
			requests := model.Requests()
			if len(s.index.searches) != 1 || len(requests) != 3 || requests[1].Choice.Mode != llm.None {
				t.Fatalf("%d searches, %d requests", len(s.index.searches), len(requests))
			}
			if native && (len(requests[1].Tools) != 1 || len(requests[2].Tools) != 0) {
				t.Errorf("the last step offers %d tools, and once more %d", len(requests[1].Tools), len(requests[2].Tools))
			}
		})
	}
}
