package conversationtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func answered(s Stage, at Place, n int) []Shown {
	var shown []Shown
	s.Until("the place is answered", func() bool {
		shown = slices.DeleteFunc(s.Shown(at), func(m Shown) bool { return policy.IsNotice(m.Text) })
		for _, m := range shown {
			if !m.Done {
				return false
			}
		}
		return len(shown) >= n && s.Model().Open() == 0
	})
	return shown
}

func waitUntilReads(s Stage, p Person, text string) {
	s.Until("a person reads "+text, func() bool { return s.Reads(p, text) })
}

func writing(s Stage, at Place) Shown {
	s.Until("words are seen", func() bool { return len(s.Shown(at)) > 0 })
	return s.Shown(at)[0]
}

func settled(s Stage, question thread.MessageID) {
	s.Until("the turn is done", func() bool { return s.Settled(question) })
}

func prompted(s Stage, n int) string {
	var b strings.Builder
	for _, m := range s.Model().Requests()[n].Messages {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}

func checkModelCalls(t *testing.T, s Stage, n int) {
	t.Helper()
	if got := len(s.Model().Requests()); got != n {
		t.Errorf("the model was asked %d times, want %d", got, n)
	}
}

func settingValues(key, value string) []policy.SettingValue {
	return []policy.SettingValue{{Key: key, Value: value}}
}

func unending() llmtest.Reply {
	return llmtest.Reply{llmtest.Text("This much was written as a whole sentence. "), llmtest.Hang()}
}

func answers(texts ...string) []llmtest.Reply {
	var replies []llmtest.Reply
	for _, text := range texts {
		replies = append(replies, llmtest.Answer(text))
	}
	return replies
}

func direct(root thread.MessageID) Place   { return Place{Thread: root, Direct: true} }
func inThread(root thread.MessageID) Place { return Place{Thread: root} }

func questions() []scenario {
	return []scenario{
		{"a direct message is answered", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("Between us.")})
			at := direct(s.Say(Ann, Place{Direct: true}, "are we alone?"))
			if shown := answered(s, at, 1); !strings.HasPrefix(shown[0].Text, "Between us.") {
				t.Errorf("the conversation shows %+v", shown)
			}
		}},
		{"a direct message without a question gets a hint", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{})
			s.Say(Ann, Place{Direct: true}, " ")
			waitUntilReads(s, Ann, "There is no question in this message. Write what")
			checkModelCalls(t, s, 0)
		}},
		{"documents are listed where nothing is written", func(t *testing.T, begin func(Setting) Stage) {
			for _, edited := range []bool{false, true} {
				s := begin(Setting{Listed: true, Edited: edited})
				at := inThread(s.Mention(Ann, Place{}, "where is the office?"))
				if shown := answered(s, at, 1); !strings.Contains(shown[0].Text, "I found these documents:") || !strings.Contains(shown[0].Text, "Handbook") {
					t.Errorf("the thread shows %+v", shown)
				}
				checkModelCalls(t, s, 0)
			}
		}},
		{"a command's documents are listed where nothing is written", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Listed: true})
			s.Ask(Ann, "where is the office?")
			waitUntilReads(s, Ann, "I found these documents:")
			checkModelCalls(t, s, 0)
		}},
		{"documents are listed in a direct message", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Listed: true})
			at := direct(s.Say(Ann, Place{Direct: true}, "where is the office?"))
			if shown := answered(s, at, 1); !strings.Contains(shown[0].Text, "I found these documents:") || !strings.Contains(shown[0].Text, "Handbook") {
				t.Errorf("the conversation shows %+v", shown)
			}
		}},
		{"documents of a deep search are listed where nothing is written", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Listed: true, Replies: researched(llmtest.Answer("Ann leads it [1]."))[:1]})
			question := s.Mention(Ann, Place{}, whereAndWho)
			settled(s, question)
			shown := s.Shown(inThread(question))
			if !strings.Contains(shown[len(shown)-1].Text, "I found these documents:") {
				t.Errorf("the thread shows %+v", shown)
			}
		}},
		{"a mention is answered in its thread", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("In the thread.")})
			s.Say(Bob, Place{}, "nothing for the bot")
			at := inThread(s.Mention(Ann, Place{}, "how so?"))
			if shown := answered(s, at, 1); len(shown) != 1 || !strings.HasPrefix(shown[0].Text, "In the thread.") {
				t.Errorf("the thread shows %+v", shown)
			}
			if checkModelCalls(t, s, 1); !strings.Contains(prompted(s, 0), "how so?") {
				t.Errorf("the model was shown %q", prompted(s, 0))
			}
		}},
		{"a mention without a question gets a hint", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{})
			s.Mention(Ann, Place{}, "")
			// The rest of the reply depends on the platform. If the bot looked for files first, it
			// already follows the thread, and the person need not mention it again.
			waitUntilReads(s, Ann, "There is no question in this message.")
			checkModelCalls(t, s, 0)
		}},
		{"a person who may not ask alone sees the refusal", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Said: settingValues("askers", "group:absent")})
			s.Mention(Ann, Place{}, "may I?")
			waitUntilReads(s, Ann, "cannot ask here")
			checkModelCalls(t, s, 0)
			if s.Reads(Bob, "cannot ask here") {
				t.Error("another person reads the refusal")
			}
		}},
		{"only the asker sees that a quota is used up", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Said: settingValues("user_quota", "1/hour"), Replies: answers("One.")})
			settled(s, s.Mention(Ann, Place{}, "one?"))
			s.Mention(Ann, Place{}, "two?")
			waitUntilReads(s, Ann, "You've asked 1 question this hour, the limit per person here. Try again at ")
			if s.Reads(Bob, "Try again at") {
				t.Error("another person reads the refusal")
			}
		}},
		{"one notice tells of all that wait", func(t *testing.T, begin func(Setting) Stage) {
			first := make(chan struct{})
			s := begin(Setting{Replies: append([]llmtest.Reply{{llmtest.Text("This takes a while. "), llmtest.Wait(first), llmtest.Text("Done.")}}, answers("Two.", "Three.")...)})
			at := inThread(s.Mention(Ann, Place{}, "one?"))
			writing(s, at)
			s.Mention(Ann, at, "two?")
			var notice Shown
			s.Until("it is said that a question waits", func() bool {
				shown := s.Shown(at)
				notice = shown[len(shown)-1]
				return notice.Text == policy.SayWaiting(1)
			})
			s.Mention(Ann, at, "three?")
			s.Until("the same notice tells of both", func() bool {
				return slices.ContainsFunc(s.Shown(at), func(m Shown) bool { return m.ID == notice.ID && m.Text == policy.SayWaiting(2) })
			})
			close(first)
			s.Until("all are answered and the notice is gone", func() bool {
				shown := s.Shown(at)
				return len(shown) == 3 && strings.HasPrefix(shown[0].Text, "This takes a while. Done.") &&
					strings.HasPrefix(shown[1].Text, "Two.") && strings.HasPrefix(shown[2].Text, "Three.")
			})
		}},
		{"the notice about a question goes with the question", func(t *testing.T, begin func(Setting) Stage) {
			first := make(chan struct{})
			s := begin(Setting{Replies: []llmtest.Reply{{llmtest.Text("This takes a while. "), llmtest.Wait(first), llmtest.Text("Done.")}}})
			at := inThread(s.Mention(Ann, Place{}, "one?"))
			writing(s, at)
			second := s.Mention(Ann, at, "two?")
			s.Until("it is said that a question waits", func() bool {
				return slices.ContainsFunc(s.Shown(at), func(m Shown) bool { return m.Text == policy.SayWaiting(1) })
			})
			s.Delete(Ann, second)
			s.Until("the deletion is known", func() bool {
				for e, err := range s.Store().Trail(context.WithoutCancel(t.Context()), session.AuditQuery{Tenant: access.DefaultTenant}) {
					if err == nil && e.Deed == session.QuestionDeleted {
						return true
					}
				}
				return false
			})
			close(first)
			s.Until("the first is answered and the notice is gone", func() bool {
				shown := s.Shown(at)
				return len(shown) == 1 && strings.HasPrefix(shown[0].Text, "This takes a while. Done.")
			})
			checkModelCalls(t, s, 1)
		}},
		{"a file is read with its question", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("It is 51820.")})
			answered(s, inThread(s.Attach(Ann, Place{}, "which port is it?", "The tunnel port is 51820.")), 1)
			for _, want := range []string{"which port is it?", "The tunnel port is 51820."} {
				if !strings.Contains(prompted(s, 0), want) {
					t.Errorf("the model was not shown %q: %s", want, prompted(s, 0))
				}
			}
		}},
		{"a long answer is shown whole and in order", func(t *testing.T, begin func(Setting) Stage) {
			const sentences = 120
			var text strings.Builder
			for i := range sentences {
				fmt.Fprintf(&text, "Sentence %d is one of many that say the same.\n\n", i+1)
			}
			s := begin(Setting{Replies: answers(text.String())})
			at := inThread(s.Mention(Ann, Place{}, "tell me everything"))
			var shown string
			s.Until("its last sentence is shown", func() bool {
				var all strings.Builder
				for _, m := range answered(s, at, 1) {
					all.WriteString(m.Text + "\n")
				}
				shown = strings.Join(strings.Fields(all.String()), " ")
				return strings.Contains(shown, fmt.Sprintf("Sentence %d is", sentences))
			})
			before := 0
			for i := range sentences {
				at := strings.Index(shown, fmt.Sprintf("Sentence %d is", i+1))
				if at < before {
					t.Fatalf("sentence %d is missing or comes too early: %s", i+1, shown)
				}
				before = at
			}
		}},
		{"nothing says that the bot is at work once it has answered", func(t *testing.T, begin func(Setting) Stage) {
			more := make(chan struct{})
			s := begin(Setting{Replies: []llmtest.Reply{{llmtest.Wait(more), llmtest.Text("Done.")}}})
			question := s.Mention(Ann, Place{}, "how so?")
			at := inThread(question)
			s.Until("it is said that the bot is at work", func() bool { return s.Busy(at) })
			close(more)
			answered(s, at, 1)
			settled(s, question)
			s.Until("it is said no longer", func() bool { return !s.Busy(at) })
		}},
		{"a thread that is entered half-way is read once", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("I see.", "Right.")})
			at := inThread(s.Say(Bob, Place{}, "the printer on floor 3 hums"))
			s.Say(Ann, at, "it always does")
			s.Mention(Ann, at, "what do you think?")
			s.Until("it is answered", func() bool { return len(s.Model().Requests()) == 1 && s.Model().Open() == 0 && s.Reads(Ann, "I see.") })
			for _, want := range []string{": the printer on floor 3 hums", ": it always does"} {
				if !strings.Contains(prompted(s, 0), want) {
					t.Errorf("the model was not shown %q: %s", want, prompted(s, 0))
				}
			}
			if got := prompted(s, 0); strings.Index(got, "floor 3 hums") > strings.Index(got, "it always does") {
				t.Errorf("the thread was read in another order: %s", got)
			}
			s.Say(Bob, at, "it stopped, by the way")
			s.Mention(Ann, at, "and now?")
			s.Until("it is answered again", func() bool { return s.Reads(Ann, "Right.") })
			if got := prompted(s, 1); strings.Count(got, "floor 3 hums") != 1 || !strings.Contains(got, ": it stopped, by the way") {
				t.Errorf("the model was shown %q", got)
			}
		}},
		{"changed and deleted messages of a thread are forgotten", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("I see.", "Right.", "Indeed.")})
			at := inThread(s.Say(Bob, Place{}, "the printer on floor 3 hums"))
			code, name := s.Say(Bob, at, "its code is 4711"), s.Say(Bob, at, "its name is Gutenberg")
			s.Mention(Ann, at, "what do you think?")
			s.Until("it is answered", func() bool { return s.Reads(Ann, "I see.") })
			check := func(n int, holds []string, lacks ...string) {
				t.Helper()
				got := prompted(s, n)
				for _, text := range holds {
					if strings.Count(got, text) != 1 {
						t.Errorf("the prompt of question %d does not hold %q once: %s", n+1, text, got)
					}
				}
				for _, text := range lacks {
					if strings.Contains(got, text) {
						t.Errorf("the prompt of question %d holds %q: %s", n+1, text, got)
					}
				}
			}
			check(0, []string{"floor 3 hums", "4711", "Gutenberg"})
			forgotten := func() bool { return s.Store().Transcripts() == 0 }
			s.Delete(Bob, code)
			s.Until("the deletion is noted", forgotten)
			s.Mention(Ann, at, "and now?")
			s.Until("it is answered again", func() bool { return s.Reads(Ann, "Right.") })
			check(1, []string{"floor 3 hums", "Gutenberg"}, "4711")
			s.Edit(Bob, name, "its name is Caxton")
			s.Until("the edit is noted", forgotten)
			s.Mention(Ann, at, "what is it called?")
			s.Until("it is answered once more", func() bool { return s.Reads(Ann, "Indeed.") })
			check(2, []string{"floor 3 hums", "Caxton"}, "4711", "Gutenberg")
		}},
	}
}

func followUps() []scenario {
	return []scenario{
		{"a conversation goes on", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("The first answer.", "The second answer.")})
			at := direct(s.Say(Ann, Place{Direct: true}, "what is first?"))
			answered(s, at, 1)
			s.Say(Ann, at, "and second?")
			s.Until("the follow-up is answered", func() bool { return s.Reads(Ann, "The second answer.") })
			if !strings.Contains(prompted(s, 1), "The first answer.") {
				t.Errorf("the follow-up was asked without what was said: %s", prompted(s, 1))
			}
		}},
		{"a follow-up needs no mention while it is a dialogue", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("First answer.", "Second answer.", "Third answer.")})
			at := inThread(s.Mention(Ann, Place{}, "first?"))
			answered(s, at, 1)
			s.Say(Ann, at, "and second?")
			answered(s, at, 2)
			s.Say(Bob, at, "I would do it differently") // people talk
			s.Say(Ann, at, "would you?")
			s.Mention(Bob, at, "and third?")
			shown := answered(s, at, 3)
			for i, want := range []string{"First", "Second", "Third"} {
				if !strings.HasPrefix(shown[i].Text, want) {
					t.Errorf("answer %d is %q", i+1, shown[i].Text)
				}
			}
			checkModelCalls(t, s, 3)
		}},
		{"stop following", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("First answer.", "Second answer.")})
			at := inThread(s.Mention(Ann, Place{}, "first?"))
			answered(s, at, 1)
			s.Say(Ann, at, "stop following")
			waitUntilReads(s, Ann, "I no longer follow this thread.")
			s.Say(Ann, at, "not for the bot")
			s.Mention(Ann, at, "second?")
			waitUntilReads(s, Ann, "Second answer.")
			checkModelCalls(t, s, 2)
		}},
	}
}
