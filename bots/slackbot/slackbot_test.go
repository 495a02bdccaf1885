package slackbot_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/slackbot"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
)

func TestMentionIsAnsweredInItsThreadWhileItIsWritten(t *testing.T) {
	t.Parallel()
	heard, begun, more := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s := play(t, options{}, append(llmtest.Reply{llmtest.Wait(heard)}, look()...), llmtest.Reply{
		llmtest.Text("Install the client first [1]. "), llmtest.Wait(begun), llmtest.Text("Then sign in [1]. "),
		llmtest.Wait(more), llmtest.Text("That is all."),
	})
	root := s.ann.Say(s.general, "", slacktest.Mention()+" how do I set the VPN up?")
	reads := func(text string) func() bool {
		return func() bool {
			a := s.Answers(s.general, root)
			return len(a) == 1 && strings.Contains(a[0].Shown(), text)
		}
	}
	s.wait("the question was heard", func() bool { return len(s.Statuses()) > 0 })
	close(heard)
	s.wait("the beginning is read", reads("Install the client first"))
	close(begun)
	s.wait("more is read", reads("Then sign in"))
	close(more)
	shown := s.answered(s.general, root, 1)
	if len(shown) != 1 {
		t.Fatalf("%d messages in the thread, want 1: %q", len(shown), shown)
	}
	for _, want := range []string{"Install the client first", "https://docs.example/vpn", "That is all."} {
		if !strings.Contains(shown[0], want) {
			t.Errorf("the answer %q lacks %q", shown[0], want)
		}
	}
	lengths := map[int]bool{}
	for _, v := range s.Versions() {
		if v.User == slacktest.BotUser && v.Thread == root {
			lengths[len(v.Shown())] = true
			if v.Edited {
				t.Errorf("the answer shows (edited)")
			}
		}
	}
	if len(lengths) < 3 {
		t.Errorf("the answer was seen in %d states, want it to grow", len(lengths))
	}
	if statuses := s.Statuses(); len(statuses) == 0 || statuses[0].Thread != root || statuses[0].Text != "is reading your question…" {
		t.Errorf("statuses: %+v", statuses)
	}
	if got := s.model.Requests()[0].Messages; !strings.HasSuffix(got[len(got)-1].Text, "how do I set the VPN up?") {
		t.Errorf("the model was asked %q", got[len(got)-1].Text)
	}
}

func TestTwinAndDuplicatesAreOneQuestion(t *testing.T) {
	t.Parallel()
	s := play(t, options{}, llmtest.Answer("Yes, it is."))
	root := s.ann.Say(s.general, "", slacktest.Mention()+" is it?")
	s.answered(s.general, root, 1)
	before := len(s.Deliveries())
	s.Again("app_mention")
	s.Again("message")
	s.quiet(before + 2)
	if got := len(s.model.Requests()); got != 1 {
		t.Errorf("the model was asked %d times, want once", got)
	}
	if got := s.Answers(s.general, root); len(got) != 1 {
		t.Errorf("%d answers, want 1", len(got))
	}
}

// A mention that was refused is not answered by its other event, which comes when answering is
// allowed again; its author may edit it.
func TestRefusedMentionStaysRefused(t *testing.T) {
	t.Parallel()
	lifted := new(atomic.Bool)
	s := play(t, options{policy: said("paused", "true"), lifted: lifted}, llmtest.Answer("Now."))
	root := s.ann.Say(s.general, "", slacktest.Mention()+" is it?")
	s.wait("a refusal", func() bool { return len(s.Ephemeral(s.ann)) == 1 })
	s.quiet(2)
	lifted.Store(true)
	s.Again("app_mention")
	s.Again("message")
	s.quiet(4)
	if got := len(s.model.Requests()); got != 0 {
		t.Errorf("the model was asked %d times", got)
	}
	s.ann.Edit(s.general, root, slacktest.Mention()+" is it, by now?")
	s.answered(s.general, root, 1)
}

func TestOwnMessagesAndOtherBotsAreIgnored(t *testing.T) {
	t.Parallel()
	s := play(t, options{}, llmtest.Answer("Yes."))
	other := s.Person("robot", func(p *slacktest.Person) { p.Bot = true })
	other.Join(s.general)
	other.Say(s.general, "", slacktest.Mention()+" hello")
	s.ann.Say(s.general, "", "nothing for the bot, see `"+slacktest.Mention()+"`")
	root := s.ann.Say(s.general, "", slacktest.Mention()+" hello")
	s.answered(s.general, root, 1)
	s.wait("own events are acknowledged", func() bool {
		n := 0
		for _, d := range s.Deliveries() {
			if d.Event == "message" {
				n++
			}
		}
		return n >= 4
	})
	if got := len(s.model.Requests()); got != 1 {
		t.Errorf("the model was asked %d times, want once", got)
	}
}

// Where Slack shows no status, and no streams with their cards, the asker sees in the thread that
// the question was heard.
func TestWithoutAStatusTheThreadTellsOfTheSearch(t *testing.T) {
	t.Parallel()
	first, seen := make(chan struct{}), make(chan struct{})
	s := play(t, options{slack: slacktest.Config{NoStreams: true}, fault: &slacktest.Fault{Method: "assistant.threads.setStatus", Error: "unknown_method", Times: 100}},
		llmtest.Reply{llmtest.Wait(first), llmtest.Text("One.")}, look(), llmtest.Reply{llmtest.Wait(seen), llmtest.Text("Install the client [1].")})
	asked := s.ann.Say(s.general, "", slacktest.Mention()+" first?")
	s.wait("the bot knows that no status is shown", func() bool { return len(s.Calls("agents.sessions.setStatus")) > 0 }) // which comes after
	close(first)
	s.answered(s.general, asked, 1)
	root := s.ann.Say(s.general, "", slacktest.Mention()+" how do I set the VPN up?")
	s.wait("the search is shown", func() bool {
		a := s.Answers(s.general, root)
		return len(a) == 1 && strings.Contains(a[0].Shown(), "vpn") && strings.Contains(a[0].Shown(), "Search")
	})
	close(seen)
	if shown := s.answered(s.general, root, 1); len(shown) != 1 || !strings.Contains(shown[0], "Install the client") || strings.Contains(shown[0], "Searching") {
		t.Errorf("the thread shows %q", shown)
	}
}

func TestReactionsThatStopAreChosen(t *testing.T) {
	t.Parallel()
	s := play(t, options{bot: func(c *slackbot.Config) { c.StopReactions = []string{"⏹️", ":no_entry:"} }},
		llmtest.Reply{llmtest.Text("This much was written before the stop. "), llmtest.Hang()},
		llmtest.Reply{llmtest.Text("And this much of another. "), llmtest.Hang()})
	for _, reaction := range []string{"no_entry", "black_square_for_stop"} {
		root := s.ann.Say(s.general, "", slacktest.Mention()+" tell me everything")
		s.wait("words are seen", func() bool { return len(s.Answers(s.general, root)) > 0 })
		s.ann.React(s.general, root, "octagonal_sign")
		s.ann.React(s.general, root, reaction)
		if shown := s.answered(s.general, root, 1); !strings.Contains(shown[0], "Stopped") {
			t.Errorf("the thread shows %q", shown[0])
		}
	}
}

func TestWhoeverTheChannelNamesMayStop(t *testing.T) {
	t.Parallel()
	s := play(t, options{policy: said("stoppers", "user:slack:U002BOB")}, llmtest.Reply{llmtest.Text("This much was written before the stop. "), llmtest.Hang()})
	root := s.ann.Say(s.general, "", slacktest.Mention()+" tell me everything")
	s.wait("words are seen", func() bool { return len(s.Answers(s.general, root)) > 0 })
	eve := s.Person("eve", nil)
	eve.Join(s.general)
	eve.React(s.general, root, "octagonal_sign")
	s.told(eve, "moderators can stop this answer")
	s.bob.React(s.general, root, "octagonal_sign")
	if shown := s.answered(s.general, root, 1); !strings.Contains(shown[0], "Stopped") {
		t.Errorf("the thread shows %q", shown[0])
	}
	if n := len(s.Ephemeral(s.bob)); n != 0 {
		t.Errorf("bob was told %d things", n)
	}
}

func TestSlacksOwnStopButtonStops(t *testing.T) {
	t.Parallel()
	for _, told := range []bool{true, false} {
		t.Run(fmt.Sprintf("told by an event %v", told), func(t *testing.T) {
			t.Parallel()
			s := play(t, options{slack: slacktest.Config{NoStopEvent: !told}}, growing(200, 50*time.Millisecond))
			root := s.ann.Say(s.general, "", slacktest.Mention()+" tell me everything")
			s.wait("words are seen", func() bool { return len(s.Answers(s.general, root)) > 0 && s.Answers(s.general, root)[0].Shown() != "" })
			s.ann.PressStop(s.general, s.Answers(s.general, root)[0].TS)
			s.wait("the thread says that it was stopped", func() bool {
				a := s.Answers(s.general, root)
				return len(a) == 1 && strings.Contains(a[0].Shown(), "sentence number 1 ") && strings.Contains(a[0].Shown(), "Stopped")
			})
			if s.model.Open() != 0 {
				t.Errorf("the model is still being read")
			}
		})
	}
}

// Whether a file came with it is told by the message event alone: where the mention's event comes
// first it is a question until that is known, and the sentence stands in the thread.
func TestMentionWithoutAQuestionIsRejectedOnce(t *testing.T) {
	t.Parallel()
	s := play(t, options{})
	root := s.ann.Say(s.general, "", slacktest.Mention())
	said := func() []slacktest.Message { return append(s.Ephemeral(s.ann), s.Answers(s.general, root)...) }
	s.wait("it is said that there is no question", func() bool { return len(said()) > 0 && strings.Contains(said()[0].Shown(), "no question") })
	s.quiet(2)
	s.idle()
	if got := said(); len(got) != 1 {
		t.Errorf("ann was told %+v", got)
	}
}

// A mention without a word that is edited has a question then, also where it was taken in before it
// was known whether a file came with it.
func TestABareMentionThatIsEditedIsAQuestion(t *testing.T) {
	t.Parallel()
	s := play(t, options{})
	turn := session.Turn{Pending: &session.Pending{Ask: json.RawMessage(`{"bare":true,"listens":true}`)}, Question: message.Message{Text: conversation.AboutFiles}}
	if !s.bot.Complete(t.Context(), turn).Empty {
		t.Error("without a word and a file there is a question")
	}
	turn.Question.Text = "how do I connect?"
	if s.bot.Complete(t.Context(), turn).Empty {
		t.Error("the edited question is taken for none")
	}
}

func TestWhoeverBeganTheThreadMayStopItsAnswers(t *testing.T) {
	t.Parallel()
	for name, silent := range map[string]bool{"Slack says who that is": false, "it is read": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, options{slack: slacktest.Config{NoParents: silent}}, llmtest.Reply{llmtest.Text("This much was written. "), llmtest.Hang()})
			root := s.bob.Say(s.general, "", "a thread about something")
			question := s.ann.Say(s.general, root, slacktest.Mention()+" what is it?")
			s.wait("words are seen", func() bool { return len(s.Answers(s.general, root)) > 0 })
			s.bob.React(s.general, question, "octagonal_sign")
			if shown := s.answered(s.general, root, 1); !strings.Contains(shown[0], "Stopped") {
				t.Errorf("the thread shows %q", shown[0])
			}
		})
	}
}

func TestFollowUpIsUnderstoodAfterARestart(t *testing.T) {
	t.Parallel()
	s := play(t, options{}, llmtest.Answer("First answer."), llmtest.Answer("Second answer."))
	root := s.ann.Say(s.general, "", slacktest.Mention()+" first?")
	s.answered(s.general, root, 1)
	s.halt()
	s.ann.Say(s.general, root, "and second?") // while nobody is there: it is delivered again
	s.start(options{})
	if shown := s.answered(s.general, root, 2); !strings.HasPrefix(shown[1], "Second") {
		t.Errorf("the thread shows %q", shown)
	}
}

func TestSlashCommandPostsTheQuestionAndAnswersInItsThread(t *testing.T) {
	t.Parallel()
	s := play(t, options{}, llmtest.Answer("It is."))
	id := s.ann.Slash(s.general, "/ask", "is <!channel> it?")
	s.wait("the question is posted", func() bool { return len(s.Roots(s.general)) == 1 })
	question := s.Roots(s.general)[0]
	if strings.Contains(question.Text, "<!channel>") || !strings.Contains(question.Shown(), "ann asks:") {
		t.Errorf("the question was posted as %q / %q", question.Text, question.Shown())
	}
	s.answered(s.general, question.TS, 1)
	s.replied(s.ann, id, "being answered in its thread")
}

func TestSlashCommandStopsOwnAnswers(t *testing.T) {
	t.Parallel()
	s := play(t, options{}, llmtest.Reply{llmtest.Text("This much was written. "), llmtest.Hang()})
	root := s.ann.Say(s.general, "", slacktest.Mention()+" tell me everything")
	s.wait("words are seen", func() bool { return len(s.Answers(s.general, root)) > 0 })
	other := s.bob.Slash(s.general, "/footnote", "stop")
	s.wait("bob is answered", func() bool { _, ok := s.Delivered(other); return ok })
	s.ann.Slash(s.general, "/footnote", "stop")
	if shown := s.answered(s.general, root, 1); !strings.Contains(shown[0], "Stopped") {
		t.Errorf("the thread shows %q", shown[0])
	}
}

func TestTenAnswersAtOnceStayWithinTheTiers(t *testing.T) {
	t.Parallel()
	var replies []llmtest.Reply
	for range 10 {
		var r llmtest.Reply
		for i := range 20 {
			r = append(r, llmtest.Text(fmt.Sprintf("This is sentence number %d of the answer. ", i+1)), llmtest.Sleep(150*time.Millisecond))
		}
		replies = append(replies, r)
	}
	s := play(t, options{}, replies...)
	var roots []string
	for i := range 10 {
		roots = append(roots, s.ann.Say(s.general, "", fmt.Sprintf("%s question %d", slacktest.Mention(), i)))
	}
	for _, root := range roots {
		if shown := s.answered(s.general, root, 1); !strings.Contains(shown[0], "sentence number 20 ") {
			t.Errorf("an answer is %q", shown[0])
		}
	}
	if n := s.Limited(); n != 0 {
		t.Errorf("%d calls were refused with 429, want none", n)
	}
}

func TestBroadcastInAnAnswerPingsNobody(t *testing.T) {
	t.Parallel()
	s := play(t, options{}, llmtest.Answer("Hello <!channel> and <@U001ANN>, @here too. "))
	root := s.ann.Say(s.general, "", slacktest.Mention()+" shout")
	s.answered(s.general, root, 1)
	for _, v := range s.Versions() {
		if v.User == slacktest.BotUser && (strings.Contains(v.Shown()+v.Text, "<!channel>") || strings.Contains(v.Shown()+v.Text, "<@U")) {
			t.Errorf("a version holds a mention: %q", v.Shown())
		}
	}
}

func TestHalfACitationIsNeverSeen(t *testing.T) {
	t.Parallel()
	pieces := []llmtest.Step{}
	for _, r := range strings.Repeat("Install the client [1], then sign in [1]. ", 12) {
		pieces = append(pieces, llmtest.Text(string(r)), llmtest.Sleep(6*time.Millisecond))
	}
	s := play(t, options{bot: nil, slack: slacktest.Config{}}, look(), llmtest.Reply(pieces))
	root := s.ann.Say(s.general, "", slacktest.Mention()+" how?")
	s.answered(s.general, root, 1)
	seen := 0
	for _, v := range s.Versions() {
		if v.User != slacktest.BotUser || v.Thread != root {
			continue
		}
		seen++
		text := v.Shown()
		if open, closed := strings.Count(text, "](http"), strings.Count(text, "example/vpn)"); open != closed {
			t.Errorf("a version ends in half a link: %q", text)
		}
		if strings.HasSuffix(strings.TrimSpace(text), "[1") || strings.HasSuffix(strings.TrimSpace(text), "[") {
			t.Errorf("a version ends in half a citation: %q", text)
		}
	}
	if seen < 3 {
		t.Errorf("only %d versions were seen", seen)
	}
}
