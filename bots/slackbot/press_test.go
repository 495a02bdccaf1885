package slackbot_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack"
	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// pressed is the id and value of a button that a message has.
func pressed(t *testing.T, m slacktest.Message, a thread.Action) (id, value string) {
	t.Helper()
	var blocks []struct {
		Elements []struct {
			ID    string `json:"action_id"`
			Value string `json:"value"`
		} `json:"elements"`
	}
	if err := json.Unmarshal(m.Blocks, &blocks); err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		for _, e := range b.Elements {
			if action, _, ok := thread.ParseButtonID(e.ID); ok && action == a || strings.HasPrefix(e.ID, thread.ButtonID(a, "")) {
				return e.ID, e.Value
			}
		}
	}
	t.Fatalf("there is no button %q in %s", a, m.Blocks)
	return "", ""
}

// click presses a button and waits until that was taken in.
func (s *stage) click(p *slacktest.Person, c *slacktest.Channel, m slacktest.Message, a thread.Action) {
	s.t.Helper()
	id, value := pressed(s.t.(*testing.T), m, a)
	s.delivered(p.Click(c, m.TS, id, value))
}

func (s *stage) delivered(id string) slacktest.Delivery {
	s.t.Helper()
	var d slacktest.Delivery
	s.wait("it is acknowledged", func() (ok bool) { d, ok = s.Delivered(id); return ok })
	return d
}

// replied waits until a command is answered by a text: with its acknowledgement or, from a machine
// that is slow, after it.
func (s *stage) replied(p *slacktest.Person, id, text string) {
	s.t.Helper()
	switch payload := string(s.delivered(id).Payload); {
	case !strings.Contains(payload, text):
		s.told(p, text)
	case !strings.Contains(payload, `"ephemeral"`):
		s.t.Errorf("everybody sees %s", payload)
	}
}

// settled waits until everything about a question is done.
func (s *stage) settled(c *slacktest.Channel, question string) {
	s.t.Helper()
	s.wait("the turn is done", func() bool { return s.done(c, question) })
}

func (s *stage) done(c *slacktest.Channel, question string) bool {
	ref := thread.Ref{Platform: slack.Platform, Workspace: slacktest.TeamID, Channel: c.ID}
	t, err := s.store.TurnOf(s.ctx, access.DefaultTenant, ref, thread.MessageID(question))
	return err == nil && t.State == session.Done
}

// told waits until a person was told something alone that holds a text.
func (s *stage) told(p *slacktest.Person, text string) slacktest.Message {
	s.t.Helper()
	var found slacktest.Message
	s.wait("the person is told "+text, func() bool {
		for _, m := range s.Ephemeral(p) {
			if strings.Contains(m.Shown(), text) {
				found = m
				return true
			}
		}
		return false
	})
	return found
}

func TestFailedAnswerIsTriedAgainInPlace(t *testing.T) {
	t.Parallel()
	s := play(t, options{}, llmtest.Reply{llmtest.Text("Half of it was said. "), llmtest.Hang()}, llmtest.Answer("All of it."))
	root := s.ann.Say(s.general, "", slacktest.Mention()+" how?")
	s.wait("words are seen", func() bool { return len(s.Answers(s.general, root)) == 1 })
	s.ann.React(s.general, root, "octagonal_sign")
	s.answered(s.general, root, 1)
	stopped := s.Answers(s.general, root)[0]
	s.settled(s.general, root)
	s.click(s.ann, s.general, stopped, thread.ActionRetry)
	s.wait("the new answer stands in its place", func() bool {
		a := s.Answers(s.general, root)
		return len(a) == 1 && a[0].TS == stopped.TS && strings.HasPrefix(a[0].Shown(), "All of it.")
	})
	s.wait("no status is left, which an edit would not end", func() bool {
		all := s.Statuses()
		return len(all) > 0 && all[len(all)-1].Text == ""
	})
}

func TestQuotaIsSaidInTheTimeOfTheReader(t *testing.T) {
	t.Parallel()
	s := play(t, options{policy: []policy.SettingValue{{Key: "user_quota", Value: "1/hour"}}}, llmtest.Answer("One."))
	s.answered(s.general, s.ann.Say(s.general, "", slacktest.Mention()+" one?"), 1)
	refused := regexp.MustCompile(`You've asked 1 question this hour, the limit per person here\. Try again at <!date\^\d+\^\{time\}\|\d\d:00 UTC>\.`)
	s.ann.Say(s.general, "", slacktest.Mention()+" two?")
	told := s.told(s.ann, "the limit per person here")
	if !refused.MatchString(told.Text) || strings.Contains(string(told.Blocks), "footnote:retry") {
		t.Errorf("in the channel the refusal is %q with %s", told.Text, told.Blocks)
	}
	roots := len(s.Roots(s.general))
	s.replied(s.ann, s.ann.Slash(s.general, "/ask", "three?"), "You've asked 1 question this hour")
	if now := len(s.Roots(s.general)); now != roots {
		t.Error("a command that a quota refuses shows its question in the channel")
	}
	dm := s.ann.OpenDM()
	s.answered(dm, s.ann.Say(dm, "", "one?"), 1)
	root := s.ann.Say(dm, "", "two?")
	s.wait("the refusal in the direct message", func() bool {
		return slices.ContainsFunc(s.Thread(dm, root), func(m slacktest.Message) bool {
			return refused.MatchString(m.Text) && !strings.Contains(string(m.Blocks), "footnote:retry")
		})
	})
}

func TestPrivateAnswerIsOfferedToTheAskerAlone(t *testing.T) {
	t.Parallel()
	secret := access.ACL{access.User("slack", "U001ANN")}
	s := play(t, options{secret: secret}, look(), llmtest.Answer("Install the client [1]."), look(), llmtest.Answer("The password is in here [2]."))
	root := s.ann.Say(s.general, "", slacktest.Mention()+" what about the VPN?")
	s.answered(s.general, root, 1)
	offer := s.told(s.ann, "Shall I answer you privately?")
	if len(s.Ephemeral(s.bob)) != 0 {
		t.Error("bob was told of the offer")
	}
	s.click(s.ann, s.general, offer, thread.ActionPrivate)
	dm := s.ann.OpenDM()
	s.told(s.ann, "direct message")
	s.wait("the offer that was taken is gone", func() bool {
		return !slices.ContainsFunc(s.Ephemeral(s.ann), func(m slacktest.Message) bool { return m.TS == offer.TS })
	})
	var private slacktest.Message
	s.wait("the answer stands in the direct message", func() bool {
		for _, r := range s.Roots(dm) {
			for _, a := range s.Answers(dm, r.TS) {
				if finished(a) && strings.Contains(a.Shown(), "The password") {
					private = a
					return true
				}
			}
		}
		return false
	})
	for _, m := range s.Thread(s.general, root) {
		if strings.Contains(m.Shown(), "password") {
			t.Errorf("the channel shows %q", m.Shown())
		}
	}
	s.settled(dm, private.TS)
	s.click(s.ann, dm, private, thread.ActionShare) // rests on what the channel may not read
	s.told(s.ann, "so it stays private")
	s.click(s.ann, dm, private, thread.ActionKeep)
	s.told(s.ann, "The answer stays private.")
}

func TestDeletedQuestionOfAnAnswerThatWasGivenIsMarked(t *testing.T) {
	t.Parallel()
	s := play(t, options{}, llmtest.Answer("Install the client."))
	root := s.ann.Say(s.general, "", slacktest.Mention()+" how?")
	s.answered(s.general, root, 1)
	s.settled(s.general, root)
	statuses, edits := len(s.Statuses()), len(s.Calls("chat.update"))
	s.ann.Delete(s.general, root)
	s.wait("the answer is marked", func() bool {
		a := s.Answers(s.general, root)
		return len(a) == 1 && strings.Contains(a[0].Shown(), "The question was deleted.")
	})
	if n := len(s.Calls("chat.update")) - edits; n != 1 {
		t.Errorf("it was edited %d times, want once", n)
	}
	for _, status := range s.Statuses()[statuses:] {
		if status.Text != "" { // the status of the answer may be taken back late
			t.Errorf("the bot was shown at work on what had been done: %+v", status)
		}
	}
}

func TestCommandsOfFootnote(t *testing.T) {
	t.Parallel()
	s := play(t, options{})
	chief := s.Person("chief", func(p *slacktest.Person) { p.Admin = true })
	chief.Join(s.general)
	for text, want := range map[string]string{
		"": "/footnote whoami", "help": "/footnote why", "whoami": "user:email:ann@example.com", "status": "one person talks with me", "nonsense": "There is no command",
		"stop": "Nothing of yours",
	} {
		s.replied(s.ann, s.ann.Slash(s.general, "/footnote", text), want)
	}
	s.replied(s.ann, s.ann.Slash(s.general, "/footnote", "config follow mention"), "Only administrators")
	chief.Slash(s.general, "/footnote", "config follow mention")
	s.wait("an administrator's change is stored, and no other", func() bool {
		changed, err := s.store.AllSettings(s.ctx, access.DefaultTenant)
		return err == nil && len(changed) == 1 && changed[0].Value == "mention" && changed[0].Channel == s.general.ID
	})
}

func TestAskAboutThis(t *testing.T) {
	t.Parallel()
	s := play(t, options{}, llmtest.Answer("In its thread."), llmtest.Answer("In private."), llmtest.Answer("Among two."))
	elsewhere := s.Channel("elsewhere", func(c *slacktest.Channel) { c.Members = nil }, s.ann)
	s.wait("the bot listens", func() bool { return s.bot.Connected() > 0 })
	asked := s.bob.Say(s.general, "", "how do I install the client?")
	ask := thread.ButtonID(event.ActionAsk, "")
	s.delivered(s.ann.Shortcut(s.general, asked, ask))
	if shown := s.answered(s.general, asked, 1); !strings.HasPrefix(shown[0], "In its thread.") {
		t.Errorf("the thread shows %q", shown)
	}
	s.delivered(s.bob.Shortcut(s.general, asked, ask))
	s.told(s.bob, "taken up already")
	answer := s.Answers(s.general, asked)[0]
	s.delivered(s.bob.Shortcut(s.general, answer.TS, ask))
	s.told(s.bob, "already one of my answers")

	far := s.ann.Say(elsewhere, "", "and how do I remove it?")
	s.delivered(s.ann.Shortcut(elsewhere, far, ask))
	dm := s.ann.OpenDM()
	s.wait("where the bot is not, the answer comes in private", func() bool {
		for _, r := range s.Roots(dm) {
			for _, a := range s.Answers(dm, r.TS) {
				if finished(a) && strings.HasPrefix(a.Shown(), "In private.") {
					return true
				}
			}
		}
		return false
	})
	if got := s.Answers(elsewhere, far); len(got) != 0 {
		t.Errorf("the channel shows %+v", got)
	}
	s.told(s.ann, "in a direct message")

	// In a conversation of other people the bot is as little as in a channel that it was not
	// invited to.
	theirs := s.Channel("theirs", func(c *slacktest.Channel) {
		c.ID, c.Direct, c.Members = "D0THEIRS", true, []string{s.ann.ID, s.bob.ID}
	})
	s.delivered(s.bob.Shortcut(theirs, s.ann.Say(theirs, "", "and how do I update it?"), ask))
	bobs := s.bob.OpenDM()
	s.wait("it is answered in private too", func() bool {
		for _, r := range s.Roots(bobs) {
			for _, a := range s.Answers(bobs, r.TS) {
				if finished(a) && strings.HasPrefix(a.Shown(), "Among two.") {
					return true
				}
			}
		}
		return false
	})
	s.delivered(s.bob.Shortcut(theirs, s.ann.Say(theirs, "", " "), ask))
	s.told(s.bob, "nothing in this message")
}

func TestSlacksStopButtonWithoutAStream(t *testing.T) {
	t.Parallel()
	s := play(t, options{}, llmtest.Reply{llmtest.Sleep(time.Hour)})
	root := s.ann.Say(s.general, "", slacktest.Mention()+" think hard")
	s.wait("the model is asked", func() bool { return len(s.model.Requests()) == 1 })
	s.ann.PressStop(s.general, root)
	if shown := s.answered(s.general, root, 1); !strings.Contains(shown[0], "Stopped") {
		t.Errorf("the thread shows %q", shown)
	}
}
