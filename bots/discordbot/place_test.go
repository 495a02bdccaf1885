package discordbot_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// Where a channel is switched off, whoever asks is told so, and nobody else is answered.
func TestChannelWhereNobodyMayAsk(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "Never said.")), func(s *setting) {
		s.bot.Place = func(guild, channel string) answer.State {
			return answer.State{Follow: answer.FollowDialogue}
		}
	})
	w.ada.Mention(w.general, "May I ask?")
	w.until("Ada is told", func() bool {
		for _, m := range w.discord.Shown(w.general) {
			if strings.Contains(m.Content, "cannot ask here") {
				return true
			}
		}
		return false
	})
	asked := w.ada.Ask(w.general, "May I ask so?")
	w.until("the command is answered", func() bool { return strings.Contains(asked.State().Content, "cannot ask here") })
	if n := len(w.model.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}
