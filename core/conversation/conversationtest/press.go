package conversationtest

import (
	"context"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func presses() []scenario {
	return []scenario{
		{"a vote is kept, with its reason", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("Install the client.")})
			question := s.Mention(Ann, Place{}, "how?")
			shown := answered(s, inThread(question), 1)[0]
			settled(s, question)
			s.Press(Ann, shown.ID, thread.ActionUp)
			waitUntilReads(s, Ann, "Your 👍 is noted.")
			s.Press(Bob, shown.ID, thread.ActionDown)
			s.Submit(Bob, "It is too short.")
			var votes []session.Feedback
			s.Until("the reason is kept", func() bool {
				var err error
				if votes, err = s.Store().Feedback(context.WithoutCancel(t.Context()), session.FeedbackQuery{Tenant: access.DefaultTenant}); err != nil {
					t.Fatal(err)
				}
				return len(votes) == 2 && votes[0].Reason+votes[1].Reason == "It is too short."
			})
			if votes[0].Up == votes[1].Up {
				t.Errorf("the votes are %+v", votes)
			}
		}},
		{"an answer in a direct message is voted on and tried again", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: append([]llmtest.Reply{unending()}, answers("All of it.")...)})
			question := s.Say(Ann, Place{Direct: true}, "how?")
			at := direct(question)
			shown := writing(s, at)
			s.Say(Ann, at, "stop")
			checkStopped(t, s, at)
			settled(s, question)
			s.Press(Ann, shown.ID, thread.ActionRetry)
			waitUntilReads(s, Ann, "All of it.")
			s.Press(Ann, shown.ID, thread.ActionUp)
			waitUntilReads(s, Ann, "Your 👍 is noted.")
			checkModelCalls(t, s, 2)
		}},
		{"an answer that was stopped is tried again in place", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: append([]llmtest.Reply{unending()}, answers("All of it.")...)})
			question := s.Mention(Ann, Place{}, "how?")
			at := inThread(question)
			shown := writing(s, at)
			s.Say(Ann, at, "stop")
			answered(s, at, 1)
			settled(s, question)
			s.Press(Bob, shown.ID, thread.ActionRetry)
			waitUntilReads(s, Bob, "Only whoever asked")
			s.Press(Ann, shown.ID, thread.ActionRetry)
			s.Until("the new answer stands in its place", func() bool {
				now := s.Shown(at)
				return len(now) == 1 && now[0].ID == shown.ID && strings.HasPrefix(now[0].Text, "All of it.")
			})
		}},
		{"only an administrator corrects and removes", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("This is wrong.")})
			question := s.Mention(Ann, Place{}, "how?")
			at := inThread(question)
			shown := answered(s, at, 1)[0]
			settled(s, question)
			s.Choose(Bob, shown.ID, thread.ActionCorrect)
			waitUntilReads(s, Bob, "Only moderators")
			s.Choose(Chief, shown.ID, thread.ActionCorrect)
			s.Submit(Chief, "This is right.")
			s.Until("the correction is shown", func() bool { return strings.HasPrefix(s.Shown(at)[0].Text, "This is right.") })
			s.Choose(Ann, shown.ID, thread.ActionWhy)
			waitUntilReads(s, Ann, "corrected")
			s.Choose(Chief, shown.ID, thread.ActionRemove)
			s.Submit(Chief, "It was wrong all the same.")
			s.Until("the answer is gone", func() bool {
				now := s.Shown(at)
				return len(now) == 0 || !strings.Contains(now[0].Text, "This is right.")
			})
		}},
		{"why a message was not answered can be asked", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{})
			talk := s.Say(Bob, Place{}, "just talking")
			s.Until("the reason is shown", func() bool { // decisions are stored within a second
				s.Choose(Ann, talk, thread.ActionWhy)
				return s.Reads(Ann, "The message did not address the bot.")
			})
		}},
	}
}

func commands() []scenario {
	return []scenario{
		{"a question by a command is answered", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("By command.")})
			s.Ask(Ann, "how so?")
			waitUntilReads(s, Ann, "By command.")
			checkModelCalls(t, s, 1)
		}},
		{"a command of a person who may not ask is refused", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Said: settingValues("askers", "group:absent")})
			s.Ask(Ann, "how so?")
			waitUntilReads(s, Ann, "cannot ask here")
			if checkModelCalls(t, s, 0); s.Reads(Bob, "how so?") {
				t.Error("the question was posted all the same")
			}
		}},
		{"the commands", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{})
			for _, c := range []struct{ name, value, want string }{
				{"status", "", "I answer questions in this channel."}, {"help", "", "/footnote why"}, {"stop", "", "Nothing of yours is being answered here."},
				{"follow", "mention", "Only administrators"}, {"forget-me", "", "Nothing is deleted yet"},
			} {
				s.Footnote(Ann, c.name, c.value)
				waitUntilReads(s, Ann, c.want)
			}
		}},
		{"ask about this", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("It means this.")})
			said := s.Say(Bob, Place{}, "why does the standby lag behind?")
			s.AskAbout(Ann, said)
			waitUntilReads(s, Ann, "It means this.")
			for _, m := range append(s.Shown(Place{}), s.Shown(inThread(said))...) {
				if strings.Contains(m.Text, "It means this.") { // an answer is no person's text
					s.AskAbout(Ann, m.ID)
					waitUntilReads(s, Ann, "That's already one of my answers; reply in its thread to follow up.")
					break
				}
			}
			if checkModelCalls(t, s, 1); !strings.Contains(prompted(s, 0), "why does the standby lag behind?") {
				t.Errorf("the model was shown %q", prompted(s, 0))
			}
		}},
	}
}
