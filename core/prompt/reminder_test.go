package prompt_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/prompt"
)

func TestModelThatOnlyQuotesReadsTheQuestionLast(t *testing.T) {
	t.Parallel()
	in := prompt.Input{
		Agent: prompt.Agent{Reminder: "Answer in verse."}, Question: user(1, "How do I roll back?"),
		Model: llm.Info{Name: "quotes", Window: 8_000, Reply: 1_000, NativeTools: true, Extractive: true},
	}
	for _, citable := range []bool{false, true} {
		in.Citable = citable
		messages := build(t, in).Messages
		if last := messages[len(messages)-1].Text; last != "How do I roll back?" {
			t.Errorf("citable %v: the last message is %q", in.Citable, last)
		}
	}
}
