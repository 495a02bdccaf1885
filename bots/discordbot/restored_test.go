package discordbot_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session/sessiontest"
)

// The store is that of a backup from before anything was asked. What was answered since is not
// answered again; what was asked meanwhile is.
func TestRestoredStoreRepeatsNoAnswer(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The first answer."), said(0, "The second answer."), said(0, "Another one.")))
	first := w.ada.Mention(w.general, "What is it?")
	w.answers(first, 1)
	w.stop()
	w.store = sessiontest.NewMemory()
	meanwhile := w.ada.Mention(w.general, "And what else?")
	w.stop = w.start()
	w.answers(meanwhile, 1)
	if got := w.answers(first, 1); !strings.HasPrefix(got[0], "The first answer.") {
		t.Errorf("the first question is now answered by %q", got)
	}
	if n := len(w.model.Requests()); n != 2 {
		t.Errorf("the model was asked %d times, want twice", n)
	}
	w.harmless()
}

// Keys are changed while a command is answered: the process with the new key goes on with what the
// one with the old key began.
func TestCommandIsAnsweredWhileKeysChange(t *testing.T) {
	t.Parallel()
	const before, after = "the key that has been in use so far", "the key that is in use from now on"
	w := begin(t, llmtest.Native(
		llmtest.Reply{llmtest.Text("It begins with a whole sentence. "), llmtest.Hang()}, said(20*time.Millisecond, words(10)...),
	), func(s *setting) { s.grace, s.bot.Discord.SecretKeys = time.Millisecond, []string{before} })
	w.ada.Ask(w.general, "What is it?")
	w.until("words appear", func() bool {
		got := w.discord.Answers(w.general)
		return len(got) == 1 && strings.Contains(got[0].Content, "whole sentence")
	})
	began := w.discord.Answers(w.general)[0].Message
	w.stop()
	w.setting.bot.Discord.SecretKeys = []string{after, before}
	w.start()
	want := strings.TrimSpace(strings.Join(words(10), ""))
	w.until("the answer is finished", func() bool {
		got := w.discord.Answers(w.general)
		return len(got) == 1 && strings.HasPrefix(unquoted(got[0].Content), want+"\n")
	})
	if got := w.discord.Answers(w.general)[0].Message; got != began {
		t.Errorf("the answer is in message %s, and was begun in %s", got, began)
	}
	if strings.Contains(w.log.String(), "answered in its channel") {
		t.Errorf("the token was not opened:\n%s", w.log)
	}
	w.harmless()
}
