package slackbot_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/slackbot"
	"github.com/footnotehq/footnote/core/conversation"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session/sessiontest"
)

// Whatever method is refused, fails or is cut off after it was carried out, once or twice: there is
// one whole answer, in a channel and in the agent's conversation, and nothing comes before a
// refusal allows it.
func TestEveryMethodMayFail(t *testing.T) {
	t.Parallel()
	methods := []string{
		"auth.test", "users.list", "users.info", "users.conversations", "conversations.info", "conversations.members", "conversations.history",
		"conversations.replies", "apps.connections.open", "assistant.threads.setStatus", "assistant.threads.setTitle",
		"assistant.threads.setSuggestedPrompts", "chat.startStream", "chat.appendStream", "chat.stopStream", "chat.postMessage", "chat.update",
		"chat.postEphemeral", "files.info",
	}
	faults := map[string]slacktest.Fault{
		"429":                    {Status: http.StatusTooManyRequests, RetryAfter: time.Second},
		"ratelimited in a 200":   {Error: "ratelimited"},
		"503":                    {Status: http.StatusServiceUnavailable, Times: 2},
		"internal_error":         {Error: "internal_error"},
		"cut off after the fact": {Drop: true, After: true},
	}
	for _, method := range methods {
		for name, fault := range faults {
			t.Run(method+" "+name, func(t *testing.T) {
				t.Parallel()
				fault := fault
				fault.Method = method
				s := play(t, options{fault: &fault}, growing(4, 100*time.Millisecond), growing(4, 100*time.Millisecond))
				root := s.ann.Send(s.general, "", slacktest.Mention()+" tell me", slacktest.File{Name: "a.txt", Media: "text/plain", Data: []byte("x"), Ask: true})
				dm := s.ann.OpenDM()
				direct := s.ann.Say(dm, "", "tell me")
				for _, at := range []struct {
					c    *slacktest.Channel
					root string
				}{{s.general, root}, {dm, direct}} {
					s.wait("one whole answer stands there", func() bool {
						a := s.Answers(at.c, at.root)
						return len(a) == 1 && finished(a[0]) && whole(a[0].Shown(), 4) == nil
					})
				}
				if n := s.Limited(); n > 1 {
					t.Errorf("%d calls were refused, want one at most", n)
				}
			})
		}
	}
}

func TestFiftyQuestionsAtOnce(t *testing.T) {
	t.Parallel()
	var replies []llmtest.Reply
	for i := range 50 {
		replies = append(replies, llmtest.Answer(fmt.Sprintf("Answer #%d#.", i)))
	}
	var people []*slacktest.Person
	s := play(t, options{slack: slacktest.Config{AckWithin: patience}, before: func(s *slacktest.Server) { // BenchmarkAnswers tells how soon they are
		for i := range 50 {
			people = append(people, s.Person(fmt.Sprintf("p%d", i), nil))
		}
	}}, replies...)
	var channels []*slacktest.Channel
	for i := range 10 {
		channels = append(channels, s.Channel(fmt.Sprintf("more-%d", i), nil, people...))
	}
	type question struct {
		c    *slacktest.Channel
		root string
	}
	var asked []question
	for i := range 50 {
		c := channels[i%len(channels)]
		asked = append(asked, question{c, people[i].Say(c, "", slacktest.Mention()+" how so?")})
	}
	seen := make(map[string]bool)
	for _, q := range asked {
		shown := s.answered(q.c, q.root, 1)
		if len(shown) != 1 || seen[shown[0]] {
			t.Errorf("a thread shows %q", shown)
		}
		seen[shown[0]] = true
	}
	if n := s.Limited(); n != 0 {
		t.Errorf("%d calls were refused", n)
	}
	for _, d := range s.Deliveries() {
		if d.Attempts != 1 || d.Acked.IsZero() {
			t.Errorf("%s was delivered %d times, acknowledged at %s", d.Event, d.Attempts, d.Acked)
		}
	}
}

func TestEventsOutOfOrder(t *testing.T) {
	t.Parallel()
	s := play(t, options{}, llmtest.Answer("Not asked for."), llmtest.Answer("Not asked for."))
	s.looked()
	ts := s.ann.Whisper(s.general, slacktest.Mention()+" never mind?") // its events come later
	s.ann.React(s.general, ts, "octagonal_sign")
	gone := s.ann.Whisper(s.general, slacktest.Mention()+" forget it?")
	s.ann.Delete(s.general, gone)
	s.quiet(2)
	s.Tell(s.general, ts)
	s.Tell(s.general, gone)
	s.wait("both questions are dealt with", func() bool {
		for _, id := range []string{ts, gone} {
			if !s.done(s.general, id) {
				return false
			}
		}
		return true
	})
	if n := len(s.model.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
	if a := s.Answers(s.general, gone); len(a) > 1 || len(a) == 1 && !strings.Contains(a[0].Shown(), "Stopped") {
		t.Errorf("the deleted question's thread shows %+v", a)
	}
}

func TestEventThatComesAgainLate(t *testing.T) {
	t.Parallel()
	s := play(t, options{}, llmtest.Answer("Once."), llmtest.Answer("Twice?"))
	root := s.ann.Say(s.general, "", slacktest.Mention()+" is it?")
	s.answered(s.general, root, 1)
	s.settled(s.general, root)
	s.halt() // and another process hears of it again
	s.start(options{})
	s.Again("message")
	s.Again("app_mention")
	s.quiet(4)
	if n := len(s.model.Requests()); n != 1 || len(s.Answers(s.general, root)) != 1 {
		t.Errorf("the model was asked %d times, %d answers", n, len(s.Answers(s.general, root)))
	}
}

// Whoever deletes an answer while it is written does not want it.
func TestAnswerThatIsDeletedWhileItIsWrittenStaysAway(t *testing.T) {
	t.Parallel()
	for _, streams := range []bool{true, false} {
		t.Run(fmt.Sprintf("streams %v", streams), func(t *testing.T) {
			t.Parallel()
			s := play(t, options{slack: slacktest.Config{NoStreams: !streams}}, growing(12, 200*time.Millisecond))
			root := s.ann.Say(s.general, "", slacktest.Mention()+" tell me")
			s.wait("words are seen", func() bool { return len(s.Answers(s.general, root)) == 1 })
			s.bob.Delete(s.general, s.Answers(s.general, root)[0].TS) // as administrators can
			s.settled(s.general, root)
			if a := s.Answers(s.general, root); len(a) != 0 {
				t.Errorf("the thread shows %+v", a)
			}
		})
	}
}

func TestTokenThatIsRevokedEndsWithASentence(t *testing.T) {
	t.Parallel()
	server := slacktest.Start(slacktest.Config{})
	t.Cleanup(server.Close)
	store := sessiontest.NewMemory()
	bot, err := slackbot.New(slackbot.Config{BotToken: slacktest.BotToken, AppToken: slacktest.AppToken, APIURL: server.URL()},
		slackbot.Deps{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := bot.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	server.Fail(slacktest.Fault{Error: "token_revoked", Times: 1000})
	bot.Bind(conversation.Services{Service: nothing()})
	if err := bot.Run(ctx); err == nil || !strings.Contains(err.Error(), "install the app to the workspace again") {
		t.Errorf("it ended with %v", err)
	}
}

func TestTurnOfARevokedTokenEnds(t *testing.T) {
	t.Parallel()
	s := play(t, options{}, llmtest.Reply{llmtest.Sleep(200 * time.Millisecond), llmtest.Text("Nobody reads this. ")})
	root := s.ann.Say(s.general, "", slacktest.Mention()+" hello?")
	s.wait("it is being answered", func() bool { return len(s.model.Requests()) == 1 })
	for _, method := range []string{"chat.postMessage", "chat.startStream", "chat.update", "chat.stopStream", "conversations.replies"} {
		s.Fail(slacktest.Fault{Method: method, Error: "token_revoked", Times: 1000})
	}
	s.wait("the turn is done", func() bool { return s.done(s.general, root) })
	if n := len(s.Calls("chat.postMessage")); n > 3 {
		t.Errorf("posting was tried %d times", n)
	}
}

// A command that waits for Slack is acknowledged all the same, and told about when it is carried
// out.
func TestCommandsAreAcknowledgedInTime(t *testing.T) {
	t.Parallel()
	s := play(t, options{slack: slacktest.Config{AckWithin: patience}}, llmtest.Answer("By command."))
	s.Fail(slacktest.Fault{Method: "chat.postMessage", Delay: 6 * time.Second})
	d := s.delivered(s.ann.Slash(s.general, "/ask", "how so?"))
	s.told(s.ann, "being answered in its thread")
	root := s.Roots(s.general)[0]
	for _, v := range s.Versions() {
		if v.TS == root.TS && !d.Acked.Before(v.At) {
			t.Errorf("acknowledged at %s, not before the question was posted at %s", d.Acked, v.At)
		}
	}
	s.answered(s.general, root.TS, 1)

	elsewhere := s.Channel("elsewhere", func(c *slacktest.Channel) { c.Members = nil }, s.bob)
	s.wait("whether ann could be told more has been looked into", func() bool {
		return slices.ContainsFunc(s.Calls("users.conversations"), func(c slacktest.Call) bool { return c.Form.Get("user") == s.ann.ID })
	})
	s.Fail(slacktest.Fault{Method: "users.conversations", Delay: 6 * time.Second})
	s.delivered(s.bob.Slash(elsewhere, "/footnote", "whoami"))
	s.told(s.bob, "your Slack account") // although the bot is not in that channel
}
