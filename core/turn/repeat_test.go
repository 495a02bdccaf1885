package turn_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
)

// A model that writes an answer, then calls a tool, and then writes the answer again is shown once.
func TestRepeatedAnswerIsShownOnce(t *testing.T) {
	t.Parallel()
	const textCall = `<tool_call>{"name":"internal_search","arguments":` + call + `}</tool_call>`
	const so = "So [[1]](https://docs.example/replication#top)"
	for _, tc := range []struct {
		name   string
		before string // the call
		after  []llmtest.Reply
		shown  string
	}{
		{"whole", "So [1].\n\n", []llmtest.Reply{llmtest.Answer("So", " [1].")}, so + "."},
		{"with white space", "So [1].", []llmtest.Reply{llmtest.Answer("\nSo [1", "].\n")}, so + "."},
		{"with more after white space", "So [1].", []llmtest.Reply{llmtest.Answer("So [1].", "\n", "\n", "And more.")}, so + ".\n\nAnd more."},
		{"with more", "So [1].", []llmtest.Reply{llmtest.Answer("So [1].", "\n\nAnd more.")}, so + ".\n\nAnd more."},
		{
			"twice, with more", "So [1].", []llmtest.Reply{llmtest.Answer("So [1].\n\nAnd [2].\n" + textCall), llmtest.Answer("So [1].\n\nAnd [2].")},
			so + ".\n\nAnd [[2]](https://docs.example/backup#top).",
		},
		{"in part", "So [1]. Yes.", []llmtest.Reply{llmtest.Answer("So [1].")}, so + ". Yes.\n\n" + so + "."},
		{"another that begins like it", "So [1]", []llmtest.Reply{llmtest.Answer("So [1]", "and so on.")}, so + "\n\n" + so + "and so on."},
		{"another", "So [1].", []llmtest.Reply{llmtest.Answer("S", "ee [1].")}, so + ".\n\nSee [[1]](https://docs.example/replication#top)."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			replies := append([]llmtest.Reply{llmtest.Answer(textCall), llmtest.Answer(tc.before + textCall)}, tc.after...)
			model := llmtest.New(llm.Info{NativeTools: false}, replies...)
			report, packets := ask("How?", model).run(t, t.Context())
			if a := report.Best(); a.Ending.Outcome != session.Answered || strings.TrimSpace(a.Shown) != tc.shown || strings.TrimSpace(shown(packets, 0)) != tc.shown {
				t.Errorf("ending %+v\nrecorded %q\nshown    %q\nwant     %q", a.Ending, a.Shown, shown(packets, 0), tc.shown)
			}
			if asked := len(model.Requests()); asked != len(replies) {
				t.Errorf("%d requests, want %d", asked, len(replies))
			}
		})
	}
}
