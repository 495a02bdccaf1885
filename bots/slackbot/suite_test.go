package slackbot_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/event"
	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	common "github.com/footnotehq/footnote/core/conversation/conversationtest"
	"github.com/footnotehq/footnote/core/llm/llmtest"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
)

func TestConversation(t *testing.T) {
	t.Parallel()
	common.Suite(t, common.Platform{Begin: beginTalk})
}

// talkStage is a workspace in which the platforms' common scenarios are played.
type talkStage struct {
	*stage
	options options
	people  map[common.Person]*slacktest.Person
	placed  map[thread.MessageID]*slacktest.Channel
	earlier []thread.MessageID
	sent    []string // deliveries of commands, whose acknowledgement may hold the answer
}

func beginTalk(t *testing.T, setting common.Setting) common.Stage {
	s := &talkStage{placed: make(map[thread.MessageID]*slacktest.Channel)}
	s.options = options{
		bot: patient, policy: setting.Said, listed: setting.Listed, slack: slacktest.Config{NoTiers: true, NoStreams: setting.Edited, Redeliver: []time.Duration{}},
		early: func(base *stage) {
			s.stage = base
			chief := base.Person("chief", func(p *slacktest.Person) { p.Admin = true })
			chief.Join(base.general)
			s.people = map[common.Person]*slacktest.Person{common.Ann: base.ann, common.Bob: base.bob, common.Chief: chief}
			for _, e := range setting.Earlier {
				text := e.Text
				if e.Mentions {
					text = slacktest.Mention() + " " + text
				}
				s.earlier = append(s.earlier, s.at(s.people[e.By].Earlier(base.general, "", text, e.Ago), base.general))
			}
		},
	}
	if setting.Owned {
		s.options.owned = func() string { return s.bob.ID }
	}
	s.stage = play(t, s.options, setting.Replies...)
	return s
}

func (s *talkStage) at(id string, c *slacktest.Channel) thread.MessageID {
	s.placed[thread.MessageID(id)] = c
	return thread.MessageID(id)
}

func (s *talkStage) channel(at common.Place) *slacktest.Channel {
	if at.Direct {
		return s.ann.OpenDM()
	}
	return s.general
}

func (s *talkStage) Say(by common.Person, at common.Place, text string) thread.MessageID {
	c := s.channel(at)
	return s.at(s.people[by].Say(c, string(at.Thread), text), c)
}

func (s *talkStage) Mention(by common.Person, at common.Place, text string) thread.MessageID {
	return s.Say(by, at, strings.TrimSpace(slacktest.Mention()+" "+text))
}

func (s *talkStage) Attach(by common.Person, at common.Place, text, content string) thread.MessageID {
	c := s.channel(at)
	file := slacktest.File{Name: "notes.txt", Media: "text/plain", Data: []byte(content)}
	return s.at(s.people[by].Send(c, string(at.Thread), slacktest.Mention()+" "+text, file), c)
}

// Busy looks for a status after which the bot posted nothing there: Slack clears it with a message.
func (s *talkStage) Busy(at common.Place) bool {
	var last slacktest.Status
	for _, status := range s.Statuses() {
		if status.Channel == s.channel(at).ID && status.Thread == string(at.Thread) {
			last = status
		}
	}
	return last.Text != "" && !slices.ContainsFunc(s.Answers(s.channel(at), string(at.Thread)), func(m slacktest.Message) bool {
		return m.TS > fmt.Sprintf("%d.%06d", last.At.Unix(), last.At.Nanosecond()/1000)
	})
}

func (s *talkStage) Edit(by common.Person, id thread.MessageID, text string) {
	if by == common.Ann {
		text = slacktest.Mention() + " " + text
	}
	s.people[by].Edit(s.placed[id], string(id), text)
}

func (s *talkStage) Delete(by common.Person, id thread.MessageID) {
	s.people[by].Delete(s.placed[id], string(id))
}

func (s *talkStage) React(by common.Person, id thread.MessageID) {
	s.people[by].React(s.placed[id], string(id), "octagonal_sign")
}

func (s *talkStage) Press(by common.Person, on thread.MessageID, do thread.Action) {
	s.t.Helper()
	s.pressOn(by, on, do)
}

func (s *talkStage) pressOn(by common.Person, on thread.MessageID, do thread.Action) {
	s.t.Helper()
	c := s.placed[on]
	var shown slacktest.Message
	s.wait("the button "+string(do)+" is shown", func() bool {
		i := slices.IndexFunc(s.all(c), func(m slacktest.Message) bool { return m.TS == string(on) })
		if i < 0 {
			return false
		}
		shown = s.all(c)[i]
		return strings.Contains(string(shown.Blocks), thread.ButtonID(do, ""))
	})
	s.click(s.people[by], c, shown, do)
}

func (s *talkStage) Choose(by common.Person, on thread.MessageID, do thread.Action) {
	s.delivered(s.people[by].Shortcut(s.placed[on], string(on), thread.ButtonID(do, "")))
}

func (s *talkStage) Submit(by common.Person, text string) {
	s.t.Helper()
	s.wait("a form is opened", func() bool { return len(s.Views()) > 0 })
	views := s.Views()
	s.delivered(s.people[by].Submit(views[len(views)-1], map[string]string{"text": text}))
}

func (s *talkStage) Still(by common.Person, on thread.MessageID) {
	s.t.Helper()
	var offer slacktest.Message
	s.wait("it is asked about", func() (ok bool) { offer, ok = s.asksAbout(s.placed[on], string(on)); return ok })
	s.pressOn(by, s.at(offer.TS, s.placed[on]), event.ActionStill)
}

func (s *talkStage) Ask(by common.Person, question string) {
	s.sent = append(s.sent, s.people[by].Slash(s.general, "/ask", question))
}

func (s *talkStage) Footnote(by common.Person, name, value string) {
	s.sent = append(s.sent, s.people[by].Slash(s.general, "/footnote", strings.TrimSpace(name+" "+value)))
}

func (s *talkStage) AskAbout(by common.Person, on thread.MessageID) {
	s.delivered(s.people[by].Shortcut(s.placed[on], string(on), thread.ButtonID(event.ActionAsk, "")))
}

// all lists what a channel shows, with its threads.
func (s *talkStage) all(c *slacktest.Channel) []slacktest.Message {
	var all []slacktest.Message
	for _, root := range s.Roots(c) {
		all = append(all, s.Thread(c, root.TS)...)
	}
	return all
}

func (s *talkStage) Shown(at common.Place) []common.Shown {
	var shown []common.Shown
	c := s.channel(at)
	for _, m := range s.Answers(c, string(at.Thread)) {
		shown = append(shown, common.Shown{ID: s.at(m.TS, c), Text: m.Shown(), Done: finished(m)})
	}
	return shown
}

func (s *talkStage) Reads(p common.Person, text string) bool {
	person := s.people[p]
	readable := slices.Concat(s.all(s.general), s.all(person.OpenDM()), s.Ephemeral(person))
	if slices.ContainsFunc(readable, func(m slacktest.Message) bool {
		return m.User == slacktest.BotUser && strings.Contains(m.Shown(), text)
	}) {
		return true
	}
	return slices.ContainsFunc(s.sent, func(id string) bool {
		d, ok := s.Delivered(id)
		var told struct{ Text string }
		return ok && json.Unmarshal(d.Payload, &told) == nil && strings.Contains(told.Text, text)
	})
}

func (s *talkStage) Settled(question thread.MessageID) bool {
	return s.done(s.placed[question], string(question))
}

func (s *talkStage) Earlier() []thread.MessageID { return s.earlier }

func (s *talkStage) Restart(between func()) {
	s.halt()
	between()
	s.wait("the events are given up", func() bool { return len(s.Undelivered()) == 0 })
	again := s.options
	again.early = nil
	s.start(again)
}

func (s *talkStage) Model() *llmtest.Model      { return s.model }
func (s *talkStage) Store() *sessiontest.Memory { return s.store }

func (s *talkStage) Until(what string, holds func() bool) {
	s.t.Helper()
	s.wait(what, holds)
}
