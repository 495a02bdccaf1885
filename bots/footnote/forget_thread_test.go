package main_test

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/openai/openaitest"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
)

// What was deleted in a thread after the bot had read it is in no later prompt. The rest is.
func TestDeletedMessageLeavesThePrompts(t *testing.T) {
	t.Parallel()
	w := newWorkplace(t, func(openaitest.Request) openaitest.Reply { return openaitest.Reply{Text: "Noted."} })
	bob := w.slack.Person("bob", nil)
	bob.Join(w.room)
	defer w.serve().stop(t)
	root := bob.Say(w.room, "", "The printer on floor 3 hums.")
	code := bob.Say(w.room, root, "Its code is 4711.")
	mention := func(text string, n int) (prompt string) {
		t.Helper()
		w.alice.Say(w.room, root, slacktest.Mention()+" "+text)
		w.until("answer "+text, func() bool {
			all := w.slack.Answers(w.room, root)
			return len(all) == n && !all[n-1].Streaming && strings.Contains(all[n-1].Shown(), "Noted.") && len(w.slack.Undelivered()) == 0
		})
		for _, r := range w.model.ChatRequests() {
			said := ""
			for _, m := range r.Chat.Messages {
				said += m.Text() + "\n"
			}
			if strings.Contains(said, text) {
				prompt = said
			}
		}
		return prompt
	}
	if got := mention("What is it about?", 1); !strings.Contains(got, "4711") || !strings.Contains(got, "floor 3 hums") {
		t.Fatalf("the thread was not read: %s", got)
	}
	bob.Delete(w.room, code)
	w.until("the deletion is acknowledged", func() bool { return len(w.slack.Undelivered()) == 0 })
	if got := mention("And what now?", 2); strings.Contains(got, "4711") || !strings.Contains(got, "floor 3 hums") {
		t.Errorf("after the deletion the prompt is %s", got)
	}
}
