package discordbot_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/discord/discordtest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
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

// The second question is written before the first answer has words, so the first answer's message
// is newer than both questions. The second answer's post is carried out, and its response is lost.
func TestLostPostSparesTheOtherAnswerOfTheThread(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		kill bool
	}{{"the process retries", false}, {"the process dies", true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{})
			second := said(0, "The second answer is here.")
			model := llmtest.Native(llmtest.Reply{llmtest.Wait(asked), llmtest.Text("The first answer is here.")}, second, second)
			if tt.kill {
				model = llmtest.Native(llmtest.Reply{llmtest.Wait(asked), llmtest.Text("The first answer is here.")},
					llmtest.Reply{llmtest.Text("The second answer begins with a sentence. "), llmtest.Hang()}, second)
			}
			w := begin(t, model, func(s *setting) { s.grace = time.Millisecond })
			channel := w.ada.Mention(w.general, "What is it?")
			w.until("the thread is open", func() bool { return len(w.discord.Threads(w.general)) == 1 })
			w.ada.Say(channel, "And what else?")
			w.until("the second question waits", func() bool { return len(w.discord.Answers(channel)) > 0 })
			lost := discordtest.Fault{Method: "POST", Path: "/messages", Holds: "The second answer", Status: 502, Body: "<html></html>", Done: true}
			if tt.kill {
				lost.Times = 1000
			}
			w.discord.Inject(lost)
			close(asked)
			if tt.kill {
				w.until("the second answer is posted", func() bool {
					return slices.ContainsFunc(w.discord.Answers(channel), func(v discordtest.Version) bool { return strings.Contains(v.Content, "The second answer") })
				})
				w.stop()
				w.discord.Mend()
				w.start()
			}
			w.delivered(2)
			got := w.answers(channel, 2)
			slices.Sort(got)
			if !slices.Equal(got, []string{"The first answer is here.", "The second answer is here."}) {
				t.Errorf("the thread shows %q", got)
			}
			w.harmless()
		})
	}
}

// A command's answer of two messages stands next to another answer of the thread. The response to
// the post of the second message is lost.
func TestLostFollowUpOfACommandSparesOtherAnswers(t *testing.T) {
	t.Parallel()
	w := begin(t, llmtest.Native(said(0, "The first answer is here."), said(0, words(110)...)))
	channel := w.ada.Mention(w.general, "What is it?")
	w.answers(channel, 1)
	w.discord.Inject(discordtest.Fault{Method: "POST", Path: "/webhooks/", Status: 502, Body: "<html></html>", Done: true})
	w.ada.Ask(channel, "Tell me everything.")
	w.delivered(2)
	got := w.answers(channel, 3)
	if got[0] != "The first answer is here." {
		t.Errorf("the first answer is now %q", got[0])
	}
	if whole := strings.Join(got[1:], " "); strings.Count(whole, "Sentence ") != 110 {
		t.Errorf("the command shows %q", whole)
	}
	w.harmless()
}

// delivered waits until n questions were asked and all answers are delivered.
func (w *world) delivered(n int) {
	w.Helper()
	w.until("everything is delivered", func() bool {
		turns := w.asked()
		for _, t := range turns {
			now, err := w.store.Turn(w.ctx, t.Session.Tenant, t.ID)
			if err != nil {
				w.Fatal(err)
			}
			if now.State != session.Done {
				return false
			}
		}
		return len(turns) >= n
	})
}
