package slackbot_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/slackbot"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// asksAbout returns the message by which the bot asks about a question of a thread, where it does.
func (s *stage) asksAbout(c *slacktest.Channel, root string) (found slacktest.Message, ok bool) {
	for _, m := range s.Answers(c, root) {
		if strings.Contains(m.Shown(), "Is an answer still wanted?") {
			found, ok = m, true
		}
	}
	return found, ok
}

// patient reads history without the pauses that leave the tiers to answers.
func patient(c *slackbot.Config) { c.Slack.Scan = time.Millisecond }

// Of what was asked while every process was away, what is young is answered and what is old is
// asked about: each once, however many processes start together and however often.
func TestMentionsOfAnOutage(t *testing.T) {
	t.Parallel()
	var young, old []string
	o := options{bot: patient, slack: slacktest.Config{NoTiers: true}, early: func(s *stage) {
		for i := range 5 {
			old = append(old, s.ann.Earlier(s.general, "", fmt.Sprintf("%s old question %d?", slacktest.Mention(), i), 30*time.Minute-time.Duration(i)*time.Second))
		}
		for i := range 5 {
			young = append(young, s.ann.Earlier(s.general, "", fmt.Sprintf("%s young question %d?", slacktest.Mention(), i), 5*time.Minute-time.Duration(i)*time.Second))
		}
	}}
	s := play(t, o, slices.Repeat([]llmtest.Reply{llmtest.Answer("The answer.")}, 5)...)
	s.start(o) // another process, at the same time
	s.wait("each is answered or asked about", func() bool {
		return !slices.ContainsFunc(young, func(q string) bool {
			a := s.Answers(s.general, q)
			return len(a) != 1 || !finished(a[0]) || !strings.HasPrefix(a[0].Shown(), "The answer.")
		}) && !slices.ContainsFunc(old, func(q string) bool { _, ok := s.asksAbout(s.general, q); return !ok })
	})
	s.start(o)
	s.wait("all three have looked at the channel, and then at its older threads", func() bool {
		older := 0
		for _, c := range s.Calls("conversations.history") {
			if c.Form.Get("latest") != "" {
				older++
			}
		}
		return older == 3
	})
	for _, q := range slices.Concat(young, old) {
		if got := s.Answers(s.general, q); len(got) != 1 {
			t.Errorf("a thread shows %+v", got)
		}
	}
}

// Mentions are found in threads that began long before: in those that the bot knows, however old,
// and in others of the last week.
func TestMentionsInOldThreadsOfAnOutage(t *testing.T) {
	t.Parallel()
	var known, unknown, lost string
	o := options{bot: patient, slack: slacktest.Config{NoTiers: true}, early: func(s *stage) {
		known = s.ann.Earlier(s.general, "", "From long ago.", 20*24*time.Hour)
		unknown = s.ann.Earlier(s.general, "", "From some days ago.", 4*24*time.Hour)
		lost = s.ann.Earlier(s.general, "", "From long ago too.", 21*24*time.Hour)
	}}
	s := play(t, o, slices.Repeat([]llmtest.Reply{llmtest.Answer("The answer.")}, 3)...)
	question := s.ann.Say(s.general, known, slacktest.Mention()+" and now?")
	s.answered(s.general, known, 1)
	s.settled(s.general, question)
	s.halt()
	for _, root := range []string{known, unknown, lost} {
		s.bob.Earlier(s.general, root, slacktest.Mention()+" is anybody there?", 5*time.Minute)
	}
	s.start(o)
	s.answered(s.general, known, 2)
	s.answered(s.general, unknown, 1)
	if got := s.Answers(s.general, lost); len(got) != 0 {
		t.Errorf("what cannot be found shows %+v; the documentation says that it is not", got)
	}
}

// What was said while no socket was open is found once one is, whether or not it mentions the bot,
// and what was heard before is not answered twice.
func TestQuestionsOfAnInterruption(t *testing.T) {
	t.Parallel()
	s := play(t, options{slack: slacktest.Config{NoTiers: true, Redeliver: []time.Duration{}}, bot: func(c *slackbot.Config) {
		patient(c)
		c.Slack.Interruption, c.Slack.Reconnect = time.Nanosecond, time.Millisecond
	}}, slices.Repeat([]llmtest.Reply{llmtest.Answer("The answer.")}, 4)...)
	s.looked()
	heard := s.ann.Say(s.general, "", slacktest.Mention()+" what is it?")
	s.answered(s.general, heard, 1)
	s.settled(s.general, heard)
	s.wait("both sockets are there to be cut", func() bool { open, _ := s.Sockets(); return open == 2 && s.bot.Connected() == 2 })
	s.Fail(slacktest.Fault{Method: "apps.connections.open", Times: 1 << 30, Status: http.StatusServiceUnavailable})
	s.CutSockets()
	s.wait("nobody listens, and both sockets know", func() bool {
		refused := slices.DeleteFunc(s.Calls("apps.connections.open"), func(c slacktest.Call) bool { return c.Error == "" })
		open, _ := s.Sockets()
		return open == 0 && len(refused) >= 2 && s.bot.Connected() == 0
	})
	s.ann.Say(s.general, heard, "and what is that?")
	root := s.ann.Say(s.general, "", slacktest.Mention()+" is anybody there?")
	looks := func() int { return len(s.Calls("conversations.history")) }
	before := looks()
	s.Mend()
	s.answered(s.general, heard, 2)
	s.answered(s.general, root, 1)
	s.wait("it has looked at the channel, and then at its older threads", func() bool { return looks() >= before+2 })
	s.wait("every turn is done", func() bool {
		n, err := s.store.Depth(s.ctx)
		return n == 0 && err == nil
	})
	if n := len(s.model.Requests()); n != 3 {
		t.Errorf("the model was asked %d times, want 3", n)
	}
	if s.Unheard() == 0 {
		t.Error("everything was heard when it was said")
	}
}

// Replies that mention nobody are made good like mentions, where the bot follows the thread and
// nobody else has answered: each once, however many processes start. What was heard and not to be
// answered stays so.
func TestFollowUpsOfAnOutage(t *testing.T) {
	t.Parallel()
	var young, old, overtaken, heard, foreign string
	o := options{bot: patient, slack: slacktest.Config{NoTiers: true}, early: func(s *stage) {
		for _, root := range []*string{&young, &old, &overtaken, &heard, &foreign} {
			*root = s.ann.Earlier(s.general, "", "From yesterday.", 20*time.Hour)
		}
	}}
	s := play(t, o, slices.Repeat([]llmtest.Reply{llmtest.Answer("The answer.")}, 9)...)
	for _, root := range []string{young, old, overtaken, heard} {
		s.ann.Say(s.general, root, slacktest.Mention()+" what is it?")
		s.answered(s.general, root, 1)
	}
	s.ann.Say(s.general, heard, "thanks!")
	s.idle()
	s.halt()
	followUp := s.ann.Earlier(s.general, young, "and on Linux?", 5*time.Minute)
	wanted := s.ann.Earlier(s.general, old, "and in the cloud?", 30*time.Minute)
	s.ann.Earlier(s.general, overtaken, "and on a Mac?", 6*time.Minute)
	s.bob.Earlier(s.general, overtaken, "it is the same there", 5*time.Minute)
	s.ann.Earlier(s.general, foreign, "and who answers here?", 5*time.Minute)
	fresh := s.ann.Earlier(s.general, "", slacktest.Mention()+" is anybody there?", 4*time.Minute)
	s.ann.Earlier(s.general, fresh, "I mean at night", 3*time.Minute)
	s.start(o)
	s.start(o) // another process, at the same time
	s.answered(s.general, young, 2)
	s.answered(s.general, fresh, 2)
	s.wait("the old one is asked about", func() bool { _, ok := s.asksAbout(s.general, old); return ok })
	s.idle()
	s.halt()
	looks := func() (n int) {
		for _, c := range s.Calls("conversations.history") {
			if c.Form.Get("latest") != "" && c.Form.Get("channel") == s.general.ID {
				n++
			}
		}
		return n
	}
	before := looks()
	s.start(o)
	s.wait("the third process has looked at the channel, and then at its older threads", func() bool { return looks() > before })
	s.idle()
	for root, want := range map[string]int{young: 2, old: 2, overtaken: 1, heard: 1, foreign: 0, fresh: 2} {
		if got := s.Answers(s.general, root); len(got) != want {
			t.Errorf("a thread shows %d messages, want %d: %+v", len(got), want, got)
		}
	}
	for name, id := range map[string]string{"the young one": followUp, "the old one": wanted} {
		_, err := s.store.TurnOf(s.ctx, access.DefaultTenant, thread.Ref{Platform: slack.Platform, Workspace: slacktest.TeamID, Channel: s.general.ID}, thread.MessageID(id))
		if taken := err == nil; taken != (id == followUp) {
			t.Errorf("%s was taken in: %v (%v)", name, taken, err)
		}
	}
	offer, _ := s.asksAbout(s.general, old)
	s.click(s.ann, s.general, offer, event.ActionStill)
	s.wait("it is answered", func() bool {
		a := s.Answers(s.general, old)
		return len(a) == 2 && finished(a[1]) && strings.HasPrefix(a[1].Shown(), "The answer.")
	})
}

// What had been taken in when every process went away is not left half-written, and not forgotten.
func TestTurnsOfAnOutage(t *testing.T) {
	t.Parallel()
	for _, streams := range []bool{true, false} {
		t.Run(fmt.Sprintf("streams %v", streams), func(t *testing.T) {
			t.Parallel()
			o := options{
				slack: slacktest.Config{NoTiers: true, NoStreams: !streams}, maxAge: time.Nanosecond, grace: time.Millisecond,
				bot: func(c *slackbot.Config) { patient(c); c.MaxAge = time.Nanosecond },
			}
			s := play(t, o, llmtest.Reply{llmtest.Text("Half of a sentence, which goes on and on. "), llmtest.Hang()}, llmtest.Answer("All of it."), llmtest.Answer("The next answer."))
			root := s.ann.Say(s.general, "", slacktest.Mention()+" what is it?")
			s.wait("words appear", func() bool {
				a := s.Answers(s.general, root)
				return len(a) == 1 && strings.Contains(a[0].Shown(), "Half of a sentence")
			})
			half := s.Answers(s.general, root)[0].TS
			s.ann.Say(s.general, root, slacktest.Mention()+" and then?")
			s.wait("it is said that the second question waits", func() bool {
				return slices.ContainsFunc(s.Answers(s.general, root), func(m slacktest.Message) bool { return strings.Contains(m.Shown(), "waiting here") })
			})
			s.halt()
			s.start(o)
			var broken, offer slacktest.Message
			s.wait("the half-written answer has an end, and the second question is asked about", func() bool {
				for _, m := range s.Answers(s.general, root) {
					if strings.Contains(m.Shown(), "waiting here") {
						return false
					}
					if m.TS == half {
						broken = m
					}
				}
				var asked bool
				offer, asked = s.asksAbout(s.general, root)
				return asked && finished(broken) && strings.Contains(broken.Shown(), "I was interrupted")
			})
			s.click(s.ann, s.general, broken, thread.ActionRetry)
			s.wait("it is answered in its place", func() bool {
				a := s.Answers(s.general, root)
				return a[0].TS == half && strings.HasPrefix(a[0].Shown(), "All of it.")
			})
			s.settled(s.general, root)
			s.click(s.ann, s.general, offer, event.ActionStill)
			s.wait("the second one is answered", func() bool {
				a := s.Answers(s.general, root)
				return len(a) == 2 && finished(a[1]) && strings.HasPrefix(a[1].Shown(), "The next answer.")
			})
		})
	}
}

// Text of an attempt that ended stays when its turn is stopped before the next attempt.
func TestStopBetweenAttemptsKeepsText(t *testing.T) {
	t.Parallel()
	for _, streams := range []bool{true, false} {
		t.Run(fmt.Sprintf("streams %v", streams), func(t *testing.T) {
			t.Parallel()
			o := options{slack: slacktest.Config{NoTiers: true, NoStreams: !streams}, grace: time.Millisecond}
			s := play(t, o, llmtest.Reply{llmtest.Text("Half of a sentence, which goes on and on. "), llmtest.Hang()})
			root := s.ann.Say(s.general, "", slacktest.Mention()+" what is it?")
			s.wait("words appear", func() bool {
				a := s.Answers(s.general, root)
				return len(a) == 1 && strings.Contains(a[0].Shown(), "Half of a sentence")
			})
			s.halt()
			at := thread.Ref{Platform: slack.Platform, Workspace: slacktest.TeamID, Channel: s.general.ID, Thread: root}
			_, err := s.store.Request(s.ctx, session.StopRequest{Tenant: access.DefaultTenant, Ref: at, By: session.Stopper{ID: s.ann.ID}})
			if err != nil {
				t.Fatal(err)
			}
			s.start(o)
			s.wait("the answer has an end below its text", func() bool {
				a := s.Answers(s.general, root)
				return len(a) == 1 && finished(a[0]) && strings.Count(a[0].Shown(), "Half of a sentence, which goes on and") == 1 &&
					strings.Contains(a[0].Shown(), "Stopped. What had been written is kept.")
			})
		})
	}
}

// A notice about the queue goes when the question is begun, whichever process said so and whichever
// begins it.
func TestNoticeOfAProcessThatHasGone(t *testing.T) {
	t.Parallel()
	o := options{grace: time.Millisecond}
	s := play(t, o, llmtest.Reply{llmtest.Text("This takes a while. "), llmtest.Hang()}, llmtest.Answer("One."), llmtest.Answer("Two."), llmtest.Answer("Three."))
	root := s.ann.Say(s.general, "", slacktest.Mention()+" one?")
	s.wait("words are seen", func() bool { return len(s.Answers(s.general, root)) == 1 })
	s.ann.Say(s.general, root, slacktest.Mention()+" two?")
	s.ann.Say(s.general, root, slacktest.Mention()+" three?")
	s.wait("the queue is told of", func() bool {
		return slices.ContainsFunc(s.Answers(s.general, root), func(m slacktest.Message) bool { return strings.Contains(m.Shown(), "2 more questions are waiting") })
	})
	s.halt()
	s.start(o)
	s.wait("all are answered and the notice is gone", func() bool {
		a := s.Answers(s.general, root)
		return len(a) == 3 && strings.HasPrefix(a[0].Shown(), "One.") && strings.HasPrefix(a[1].Shown(), "Two.") && strings.HasPrefix(a[2].Shown(), "Three.")
	})
}
