package discordbot_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/thread"
)

// beforeReady makes a world whose bot has identified and gets events, but no READY, which says who
// the bot is.
func beforeReady(t *testing.T, model *llmtest.Model) *world {
	t.Helper()
	w := prepare(t, model, func(s *setting) {
		s.before = func(w *world) { w.discord.Withhold(true) }
		s.bot.Discord.Gateway.OpenLimit = limit
	})
	w.until("the bot has identified", func() bool { n, _ := w.discord.Logins(); return n > 0 })
	return w
}

func TestMentionBeforeReadyIsAnsweredOnce(t *testing.T) {
	t.Parallel()
	w := beforeReady(t, llmtest.Native(said(0, "It is a bot.")))
	asked := w.ada.Mention(w.general, "What is it?")
	if got := w.answers(asked, 1); !strings.HasPrefix(got[0], "It is a bot.") {
		t.Errorf("it is answered by %q", got)
	}
	w.discord.Withhold(false)
	w.until("the commands are registered", func() bool { _, puts := w.discord.Commands(); return puts == 1 })
	if n := len(w.model.Requests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	if q := w.asked()[0].Question.Text; q != "What is it?" {
		t.Errorf("the question was taken in as %q", q)
	}
	w.harmless()
}

// A press may ask for a message before the gateway has said who the bot is.
func TestMessageIsReadBeforeReady(t *testing.T) {
	t.Parallel()
	w := beforeReady(t, llmtest.Native(said(0, "It is a bot.")))
	asked := w.ada.Mention(w.general, "What is it?")
	m, err := w.newest.Message(w.ctx, thread.Ref{Platform: discord.Platform, Workspace: w.guild.ID, Channel: w.general, Thread: w.general}, thread.MessageID(asked))
	if err != nil || m.Text != "What is it?" || !m.Mentioned || m.OthersNamed {
		t.Errorf("it is read as %q, mentioned %t, others named %t (%v)", m.Text, m.Mentioned, m.OthersNamed, err)
	}
	w.answers(asked, 1)
}
