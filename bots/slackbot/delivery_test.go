package slackbot_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/slackbot"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// overHTTP is a stage whose events, commands and presses come as signed requests to one address, of
// which the first so many get no answer although they were taken in.
func overHTTP(t *testing.T, unanswered int32, replies ...llmtest.Reply) *stage {
	t.Helper()
	var bot atomic.Pointer[slackbot.Bot]
	var left atomic.Int32
	left.Store(unanswered)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := bot.Load()
		if b == nil {
			http.Error(w, "not yet", http.StatusServiceUnavailable)
			return
		}
		if left.Add(-1) >= 0 {
			b.Handler().ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		}
		b.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	s := play(t, options{
		slack: slacktest.Config{EventsURL: front.URL + "/slack/events", Redeliver: []time.Duration{0, 100 * time.Millisecond, 200 * time.Millisecond}},
		bot:   func(c *slackbot.Config) { c.AppToken, c.SigningSecret = "", slacktest.SigningSecret },
	}, replies...)
	bot.Store(s.bot)
	return s
}

func TestRetriedRequestsAreOneQuestion(t *testing.T) {
	t.Parallel()
	s := overHTTP(t, 3, llmtest.Answer("Once."), llmtest.Answer("Twice?"))
	root := s.ann.Say(s.general, "", slacktest.Mention()+" hello?")
	s.answered(s.general, root, 1)
	s.settled(s.general, root)
	s.wait("everything is acknowledged", func() bool { return len(s.Undelivered()) == 0 })
	retried := 0
	for _, d := range s.Deliveries() {
		retried += d.Attempts - 1
	}
	if n := len(s.model.Requests()); n != 1 || len(s.Answers(s.general, root)) != 1 || retried != 3 {
		t.Errorf("after %d retries the model was asked %d times", retried, n)
	}
}

func TestCommandsPressesAndFormsOverHTTP(t *testing.T) {
	t.Parallel()
	s := overHTTP(t, 0, llmtest.Answer("Install the client."), llmtest.Answer("From its menu."))
	s.replied(s.ann, s.ann.Slash(s.general, "/ask", "how?"), "being answered in its thread")
	s.replied(s.ann, s.ann.Slash(s.general, "/footnote", "whoami"), "user:slack:"+s.ann.ID)
	root := s.Roots(s.general)[0].TS
	s.answered(s.general, root, 1)
	s.settled(s.general, root)
	s.click(s.bob, s.general, s.Answers(s.general, root)[0], thread.ActionDown)
	s.wait("a form is opened", func() bool { return len(s.Views()) == 1 })
	s.delivered(s.bob.Submit(s.Views()[0], map[string]string{"text": "Which client?"}))
	s.wait("the reason is kept", func() bool {
		votes, err := s.store.Feedback(s.ctx, session.FeedbackQuery{Tenant: access.DefaultTenant})
		return err == nil && len(votes) == 1 && votes[0].Reason == "Which client?"
	})
	asked := s.bob.Say(s.general, "", "and how do I remove it?")
	s.delivered(s.bob.Shortcut(s.general, asked, thread.ButtonID(event.ActionAsk, "")))
	s.answered(s.general, asked, 1)
}

func TestOneSocketIsRefreshedWhileTheOtherStays(t *testing.T) {
	t.Parallel()
	s := play(t, options{}, llmtest.Answer("One."), llmtest.Answer("Two."), llmtest.Answer("Three."))
	s.wait("both sockets are open", func() bool { n, _ := s.Sockets(); return n == 2 })
	for range 3 {
		_, before := s.Sockets()
		s.DisconnectOne("refresh_requested")
		root := s.ann.Say(s.general, "", slacktest.Mention()+" still there?")
		s.answered(s.general, root, 1)
		s.wait("it is open again", func() bool { n, ever := s.Sockets(); return n == 2 && ever > before })
	}
	if n := s.Unheard(); n != 0 {
		t.Errorf("%d deliveries found no socket", n)
	}
}

func TestChannelWhoseAnswersArePrivate(t *testing.T) {
	t.Parallel()
	s := play(t, options{policy: said("private", "always")}, llmtest.Answer("For you alone."), llmtest.Answer("This too."))
	root := s.ann.Say(s.general, "", slacktest.Mention()+" how?")
	s.told(s.ann, "direct message")
	dm := s.ann.OpenDM()
	private := func(text string) func() bool {
		return func() bool {
			for _, r := range s.Roots(dm) {
				for _, a := range s.Answers(dm, r.TS) {
					if finished(a) && strings.HasPrefix(a.Shown(), text) {
						return true
					}
				}
			}
			return false
		}
	}
	s.wait("the answer stands in the direct message", private("For you alone."))
	s.replied(s.ann, s.ann.Slash(s.general, "/ask", "and now?"), "direct message")
	s.wait("so does the command's", private("This too."))
	if a := s.Answers(s.general, root); len(a) != 0 {
		t.Errorf("the channel shows %+v", a)
	}
}

// An answer whose process died is completed in the same direct message by the next one.
func TestPrivateAnswerIsTakenOver(t *testing.T) {
	t.Parallel()
	o := options{policy: said("private", "always")}
	s := play(t, o, llmtest.Reply{llmtest.Text("Half an answer stands here. "), llmtest.Hang()}, llmtest.Answer("The whole answer."))
	s.ann.Say(s.general, "", slacktest.Mention()+" how?")
	dm := s.ann.OpenDM()
	shown := func() (all []slacktest.Message) {
		for _, r := range s.Roots(dm) {
			all = append(all, s.Answers(dm, r.TS)...)
		}
		return all
	}
	s.wait("half of it is seen", func() bool { return len(shown()) == 1 })
	s.halt()
	s.start(o)
	s.wait("the whole answer stands there", func() bool {
		all := shown()
		return len(all) == 1 && finished(all[0]) && strings.HasPrefix(all[0].Shown(), "The whole answer.")
	})
	if n := len(s.Roots(dm)); n != 1 {
		t.Errorf("the direct message has %d threads", n)
	}
}

// Slack lets an app have ten sockets: where there are many processes each makes do with one.
func TestManyProcessesHaveOneSocketEach(t *testing.T) {
	t.Parallel()
	s := play(t, options{crowd: 6}, llmtest.Answer("Still here."))
	s.wait("the processes were counted", func() bool { return s.crowd.asked.Load() > 0 })
	s.Disconnect("refresh_requested")
	s.wait("one socket is open", func() bool { n, ever := s.Sockets(); return n == 1 && ever >= 2 })
	root := s.ann.Say(s.general, "", slacktest.Mention()+" hello?")
	s.answered(s.general, root, 1)
	if n, _ := s.Sockets(); n != 1 {
		t.Errorf("%d sockets are open", n)
	}
}
