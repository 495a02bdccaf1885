package consolebot_test

import (
	"testing"

	"github.com/footnotehq/footnote/core/answer/policy"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// The person at the terminal is the operator: neither who may ask nor a quota holds them back.
func TestSettingsDoNotHoldBackTheOperator(t *testing.T) {
	t.Parallel()
	s := begin(t, common.Setting{
		Said:    []policy.SettingValue{{Key: "askers", Value: "group:absent"}, {Key: "user_quota", Value: "1/hour"}},
		Replies: []llmtest.Reply{llmtest.Answer("One."), llmtest.Answer("Two.")},
	})
	for _, question := range []string{"one?", "two?"} {
		id := s.Say(common.Ann, common.Place{Direct: true}, question)
		s.Until("it is answered", func() bool { return s.Settled(id) })
	}
	if !s.Reads(common.Ann, "One.") || !s.Reads(common.Ann, "Two.") {
		t.Error("an answer is missing")
	}
}

// Chats keep a flood of messages from causing a flood of notices. A terminal replies to every line.
func TestEveryLineGetsItsSentence(t *testing.T) {
	t.Parallel()
	s := begin(t, common.Setting{}).(*stage)
	for range 2 * policy.DefaultQuiet.Most {
		id, sentence, err := s.bot.Ask(s.ctx, " ")
		if id != "" || sentence != policy.NoQuestion || err != nil {
			t.Fatalf("turn %q, %q, %v", id, sentence, err)
		}
	}
}
