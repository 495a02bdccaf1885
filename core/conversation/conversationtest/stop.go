package conversationtest

import (
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/thread"
)

func checkStopped(t *testing.T, s Stage, at Place) {
	t.Helper()
	shown := answered(s, at, 1)
	if !strings.Contains(shown[0].Text, "This much was written as a whole sentence.") || !strings.Contains(shown[0].Text, "Stopped") {
		t.Errorf("the place shows %+v", shown)
	}
	checkModelCalls(t, s, 1)
}

// growing returns a reply that never ends. Its second sentence follows after seen is closed.
func growing(seen <-chan struct{}) llmtest.Reply {
	return llmtest.Reply{llmtest.Text("This much was written as a whole sentence. "), llmtest.Wait(seen), llmtest.Text("And this is another one.\n\n"), llmtest.Hang()}
}

func grown(s Stage, at Place, seen chan struct{}) Shown {
	writing(s, at)
	close(seen)
	s.Until("the answer grows", func() bool { return strings.Contains(s.Shown(at)[0].Text, "another one") })
	return s.Shown(at)[0]
}

func stops() []scenario {
	return []scenario{
		{"stop is a word in a direct message", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: append(answers(), unending())})
			at := direct(s.Say(Ann, Place{Direct: true}, "tell me everything"))
			writing(s, at)
			s.Say(Ann, at, "stop")
			checkStopped(t, s, at)
		}},
		{"stop is a word next to the question in a direct message", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: append(answers(), unending())})
			at := direct(s.Say(Ann, Place{Direct: true}, "tell me everything"))
			writing(s, at)
			s.Say(Ann, Place{Direct: true}, "stop")
			checkStopped(t, s, at)
		}},
		{"stop is a word in a thread", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: append(answers(), unending())})
			at := inThread(s.Mention(Ann, Place{}, "tell me everything"))
			writing(s, at)
			s.Say(Ann, at, "Stop!")
			checkStopped(t, s, at)
		}},
		{"whoever asked stops by a reaction to the question", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: append(answers(), unending())})
			question := s.Mention(Ann, Place{}, "tell me everything")
			writing(s, inThread(question))
			s.React(Ann, question)
			checkStopped(t, s, inThread(question))
		}},
		{"only an administrator stops by a reaction to the answer", func(t *testing.T, begin func(Setting) Stage) {
			seen := make(chan struct{})
			s := begin(Setting{Replies: append(answers(), growing(seen))})
			at := inThread(s.Mention(Ann, Place{}, "tell me everything"))
			shown := grown(s, at, seen)
			s.React(Bob, shown.ID)
			s.Say(Bob, at, "stop")
			waitUntilReads(s, Bob, "Only whoever asked")
			s.React(Chief, shown.ID)
			checkStopped(t, s, inThread(at.Thread))
		}},
		{"the button stops", func(t *testing.T, begin func(Setting) Stage) {
			seen := make(chan struct{})
			s := begin(Setting{Edited: true, Replies: append(answers(), growing(seen))})
			at := inThread(s.Mention(Ann, Place{}, "tell me everything"))
			shown := grown(s, at, seen)
			s.Press(Bob, shown.ID, thread.ActionStop)
			waitUntilReads(s, Bob, "Only whoever asked")
			s.Press(Ann, shown.ID, thread.ActionStop)
			checkStopped(t, s, at)
		}},
		{"a deleted question is not answered", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: append(answers(), unending())})
			question := s.Mention(Ann, Place{}, "never mind")
			writing(s, inThread(question))
			s.Delete(Ann, question)
			s.Until("the model is let go of", func() bool { return s.Model().Open() == 0 })
			s.Until("what was written is marked", func() bool { return strings.Contains(s.Shown(inThread(question))[0].Text, "The question was deleted.") })
			checkModelCalls(t, s, 1)
		}},
	}
}

func changes() []scenario {
	return []scenario{
		{"an edited question is answered again in place", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("About the old one.", "About the new one.")})
			question := s.Mention(Ann, Place{}, "the old question?")
			first := answered(s, inThread(question), 1)[0]
			s.Edit(Ann, question, "the new question?")
			s.Until("the new answer replaces the old one", func() bool {
				shown := s.Shown(inThread(question))
				return len(shown) == 1 && shown[0].ID == first.ID && strings.HasPrefix(shown[0].Text, "About the new one.")
			})
			if !strings.Contains(prompted(s, 1), "the new question?") {
				t.Errorf("the model was shown %q", prompted(s, 1))
			}
		}},
		{"a message becomes a question by being edited", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("With the client.")})
			question := s.Mention(Ann, Place{}, "")
			waitUntilReads(s, Ann, "There is no question in this message.")
			s.Edit(Ann, question, "how do I connect?")
			waitUntilReads(s, Ann, "With the client.")
			checkModelCalls(t, s, 1)
		}},
		{"an answer whose question was deleted says so", func(t *testing.T, begin func(Setting) Stage) {
			s := begin(Setting{Replies: answers("Install the client.")})
			question := s.Say(Ann, Place{Direct: true}, "how?")
			at := direct(question)
			answered(s, at, 1)
			settled(s, question)
			s.Delete(Ann, question)
			s.Until("the answer is marked", func() bool {
				shown := s.Shown(at)
				return len(shown) == 1 && strings.Contains(shown[0].Text, "The question was deleted.")
			})
		}},
	}
}
