package discordbot_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// What one process has begun the next one finishes, in the same message.
func TestAnotherProcessFinishesTheAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		ask  func(w *world) (channel string)
	}{
		{"to a mention", func(w *world) string { return w.ada.Mention(w.general, "What is it?") }},
		{"to a command", func(w *world) string { w.ada.Ask(w.general, "What is it?"); return w.general }},
		{"to a direct message", func(w *world) string { w.ada.Say(w.ada.DM(), "What is it?"); return w.ada.DM() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := begin(t, llmtest.Native(
				llmtest.Reply{llmtest.Text("It begins with a whole sentence. "), llmtest.Hang()}, said(20*time.Millisecond, words(10)...),
			), func(s *setting) { s.grace = time.Millisecond })
			channel := tt.ask(w)
			w.until("words appear", func() bool {
				got := w.discord.Answers(channel)
				return len(got) == 1 && strings.Contains(got[0].Content, "whole sentence")
			})
			first := w.discord.Answers(channel)[0].Message
			w.stop()
			w.start()
			want := strings.TrimSpace(strings.Join(words(10), ""))
			w.until("the answer is finished", func() bool {
				got := w.discord.Answers(channel)
				return len(got) == 1 && strings.HasPrefix(unquoted(got[0].Content), want+"\n")
			})
			if got := w.discord.Answers(channel)[0].Message; got != first {
				t.Errorf("the answer is in message %s, and was begun in %s", got, first)
			}
			w.harmless()
		})
	}
}
