package discordbot_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/answer/policy"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// A server reads one message about the bot that was added, however many processes hear of it, and
// none when they connect again.
func TestServerIsWelcomedOnce(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "One."), said(0, "Two.")), func(s *setting) { s.before = func(w *world) { w.guild.ShowJoins(w.general) } })
	w.until("the welcome is there", func() bool { return len(w.discord.Answers(w.general)) == 1 })
	got := w.discord.Answers(w.general)[0].Content
	for _, part := range []string{"Hello! I answer questions from your documents", "What do the documents say about “Backup plan”?", "To stop an answer"} {
		if !strings.Contains(got, part) {
			t.Errorf("the welcome %q lacks %q", got, part)
		}
	}
	w.stop()
	w.stop = w.start()
	w.until("the bot is connected again", w.discord.Connected)
	w.finished(w.ada.Ask(w.general, "one?"))
	if got := w.discord.Answers(w.general); len(got) != 2 {
		t.Errorf("the channel shows %+v", got)
	}
}

func TestServerIsNotWelcomedWhereThatIsTurnedOff(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "One.")), func(s *setting) {
		s.policies = common.Policies([]policy.SettingValue{{Key: "welcome", Value: "false"}})
		s.before = func(w *world) { w.guild.ShowJoins(w.general) }
	})
	w.finished(w.ada.Ask(w.general, "one?"))
	if got := w.discord.Answers(w.general); len(got) != 1 {
		t.Errorf("the channel shows %+v", got)
	}
}
