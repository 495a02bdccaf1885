package discordbot_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// A thread that could not be read is not forgotten: the next mention reads all of it, with the
// message that opened the thread.
func TestUnreadThreadIsReadByNextMention(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "One."), said(0, "Two."), said(0, "Three.")))
	root := w.ada.Say(w.general, "The pump hums.")
	thread := w.ada.Open(root, "Pump")
	w.ada.Say(thread, "It leaks as well.")
	w.discord.Inject(discordtest.Fault{Method: http.MethodGet, Path: "/messages", Status: http.StatusServiceUnavailable, Body: "{}", Times: 1 << 30})
	for i, times := range []int{0, 1, 1} { // the third question has the second one in its history
		w.ada.Mention(thread, "what is wrong?")
		w.answers(thread, 1+i)
		w.discord.Mend()
		r := w.model.Requests()
		got := fmt.Sprint(r[len(r)-1].Messages)
		if strings.Count(got, "The pump hums.") != times || strings.Count(got, "It leaks as well.") != times {
			t.Errorf("prompt %d is %s", 1+i, got)
		}
	}
}
