package discordbot_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// A thread that is locked before there is a word takes none; the question stands in the channel,
// and is answered there.
func TestThreadThatIsLocked(t *testing.T) {
	t.Parallel()
	locked := make(chan struct{})
	w := begin(t, llmtest.Native(llmtest.Reply{llmtest.Wait(locked), llmtest.Text("The answer.")}))
	question := w.ada.Mention(w.general, "What is it?")
	w.until("the thread is there", func() bool { return len(w.discord.Threads(w.general)) == 1 })
	w.discord.Lock(question)
	close(locked)
	if got := w.answers(w.general, 1)[0]; got != "The answer." {
		t.Errorf("the answer is %q", got)
	}
	if v := w.discord.Answers(w.general)[0]; v.ReplyTo != question {
		t.Errorf("it replies to %q, want %q", v.ReplyTo, question)
	}
}

// Nor does one that is locked and put into the archive while the answer is written there: nothing
// but the end is tried then.
func TestThreadThatIsLockedInTheMiddle(t *testing.T) {
	t.Parallel()
	locked := make(chan struct{})
	reply := llmtest.Reply{llmtest.Text("It begins with a whole sentence. "), llmtest.Wait(locked)}
	for range 30 {
		reply = append(reply, llmtest.Sleep(10*time.Millisecond), llmtest.Text("More. "))
	}
	w := begin(t, llmtest.Native(append(reply, llmtest.Text("The end."))), func(s *setting) { s.bot.Pace.Interval = 10 * time.Millisecond })
	question := w.ada.Mention(w.general, "What is it?")
	w.until("words appear", func() bool { return len(w.discord.Answers(question)) == 1 })
	w.discord.Lock(question)
	w.discord.Archive(question)
	close(locked)
	if got := w.answers(w.general, 1)[0]; !strings.HasSuffix(got, "The end.") {
		t.Errorf("the answer is %q", got)
	}
	refused := 0
	for _, r := range w.discord.Requests() {
		if r.Method == http.MethodPatch && strings.Contains(r.Path, "/messages/") && r.Status == http.StatusBadRequest {
			refused++
		}
	}
	if refused != 2 {
		t.Errorf("%d edits were refused, want one while it was written and the last", refused)
	}
}

// What the bot may not do is named with the channel, when it joins and when it matters.
func TestMissingPermissionsAreNamed(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "Into the void.")), func(s *setting) {
		s.before = func(w *world) { w.discord.Deny(w.general, discordtest.CreatePublicThreads|discordtest.SendMessages) }
	})
	w.until("they are named", func() bool { return w.log.has(`permissions="Send Messages, Create Public Threads"`) })
	w.ada.Mention(w.general, "What is it?")
	w.until("the failure names them", func() bool {
		return slices.ContainsFunc(strings.Split(w.log.String(), "\n"), func(line string) bool {
			return strings.Contains(line, "platform will never take the answer") && strings.Contains(line, "#general") &&
				strings.Contains(line, "Send Messages, Create Public Threads")
		})
	})
	w.until("Ada is told in private", func() bool {
		return slices.ContainsFunc(w.discord.Answers(w.ada.DM()), func(v discordtest.Version) bool {
			return strings.Contains(v.Content, "I may not answer your question in #general, because my role lacks: Send Messages, Create Public Threads.")
		})
	})
	w.harmless()
}

func TestAnswerOfThirtyThousandCharacters(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, strings.Repeat("😀 日本語の文書です。 👩‍👩‍👧 ", 1500))))
	question := w.ada.Mention(w.general, "Tell me everything.")
	w.until("the whole of it is attached", func() bool {
		return slices.ContainsFunc(w.discord.Answers(question), func(v discordtest.Version) bool { return strings.Count(v.File, "👩‍👩‍👧") == 1500 })
	})
	for _, v := range w.discord.Versions() {
		if v.Author != w.discord.Bot().ID {
			continue
		}
		if strings.ContainsRune(v.Content, '\uFFFD') || strings.Count(v.Content, "👩") != 2*strings.Count(v.Content, "👧") || strings.HasPrefix(v.Content, "\u200d") {
			t.Errorf("a character is cut in %q", v.Content)
		}
	}
	w.harmless()
}
