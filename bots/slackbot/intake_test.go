package slackbot_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/slacktest"
	"github.com/footnotehq/footnote/bots/slackbot"
	"github.com/footnotehq/footnote/core/llm/llmtest"
)

// gate is a way to a Slack that answers nothing, but what connecting needs, until it is opened.
type gate struct {
	opened chan struct{}
	*http.Transport
}

func newGate(t *testing.T) gate {
	t.Helper()
	g := gate{make(chan struct{}), &http.Transport{}}
	t.Cleanup(g.CloseIdleConnections)
	return g
}

func (g gate) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, "auth.test") && !strings.HasSuffix(r.URL.Path, "apps.connections.open") {
		select {
		case <-g.opened:
		case <-r.Context().Done():
			return nil, context.Cause(r.Context())
		}
	}
	return g.Transport.RoundTrip(r)
}

// behind has the bot reach Slack through the gate alone.
func (g gate) behind(c *slackbot.Config) { c.HTTP = &http.Client{Transport: g} }

// acknowledged waits until all events are, of which none was delivered twice.
func (s *stage) acknowledged(events int) {
	s.t.Helper()
	s.wait("everything is acknowledged", func() bool { return len(s.Deliveries()) >= events && len(s.Undelivered()) == 0 })
	for _, d := range s.Deliveries() {
		if d.Attempts > 1 {
			s.t.Errorf("an event was delivered %d times", d.Attempts)
		}
	}
}

// An event is acknowledged before Slack was asked anything, however little is known of its
// question: who listens, what was said before, which files came with it, who asks. All of it is
// found out afterwards.
func TestEventsAreAcknowledgedBeforeSlackIsAsked(t *testing.T) {
	t.Parallel()
	g, root := newGate(t), ""
	s := play(t, options{
		slack: slacktest.Config{Redeliver: []time.Duration{time.Hour}}, bot: g.behind,
		early: func(s *stage) { root = s.ann.Earlier(s.general, "", "the printer is on fire", time.Minute) },
	}, llmtest.Answer("It is a log."))
	s.bob.Send(s.general, root, slacktest.Mention()+" what does this say?", slacktest.File{Name: "print.log", Media: "text/plain", Data: []byte("out of water")})
	s.acknowledged(1)
	close(g.opened)
	s.answered(s.general, root, 1)
	said, _ := s.asked(0)
	for _, want := range []string{"ann: the printer is on fire", "out of water", "what does this say?"} {
		if !strings.Contains(said, want) {
			t.Errorf("the model was not shown %q, but\n%s", want, said)
		}
	}
}

// Whether somebody may ask is found out after the acknowledgement as well: who may is answered, and
// who may not is told so, alone.
func TestWhoMayAskIsFoundOutAfterTheAcknowledgement(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	s := play(t, options{slack: slacktest.Config{Redeliver: []time.Duration{time.Hour}}, bot: g.behind, policy: said("askers", "members")}, llmtest.Answer("Here."))
	guest := s.Person("gus", func(p *slacktest.Person) { p.Guest = true })
	guest.Join(s.general)
	refused := guest.Say(s.general, "", slacktest.Mention()+" may I?")
	allowed := s.ann.Say(s.general, "", slacktest.Mention()+" may I?")
	s.acknowledged(2)
	close(g.opened)
	s.answered(s.general, allowed, 1)
	s.told(guest, "cannot ask here")
	if shown := s.Answers(s.general, refused); len(shown) != 0 {
		t.Errorf("who may not ask was answered: %+v", shown)
	}
	s.wait("nothing waits", func() bool { n, err := s.store.Depth(s.ctx); return n == 0 && err == nil })
	if n := len(s.model.Requests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}

// A process that dies after the acknowledgement, before it has asked Slack, leaves the question to
// another one, which asks.
func TestAnotherProcessAsksWhatWasPending(t *testing.T) {
	t.Parallel()
	g, root := newGate(t), ""
	o := options{
		slack: slacktest.Config{Redeliver: []time.Duration{time.Hour}}, bot: g.behind,
		early: func(s *stage) { root = s.ann.Earlier(s.general, "", "the printer is on fire", time.Minute) },
	}
	s := play(t, o, llmtest.Answer("Since noon."))
	s.bob.Say(s.general, root, slacktest.Mention()+" since when?")
	s.acknowledged(1)
	s.halt()
	if n := len(s.model.Requests()); n != 0 {
		t.Fatalf("the model was asked %d times", n)
	}
	o.bot, o.early = nil, nil
	s.start(o)
	s.answered(s.general, root, 1)
	if said, _ := s.asked(0); !strings.Contains(said, "ann: the printer is on fire") {
		t.Errorf("the model was shown\n%s", said)
	}
}

// A thread that could not be read is not forgotten: the answer says so, and the next mention reads
// all of it.
func TestUnreadThreadIsReadByNextMention(t *testing.T) {
	t.Parallel()
	s := play(t, options{slack: slacktest.Config{NoTiers: true}}, llmtest.Answer("One."), llmtest.Answer("Two."), llmtest.Answer("Three."))
	root := s.bob.Say(s.general, "", "The pump hums.")
	s.bob.Say(s.general, root, "It leaks as well.")
	s.Fail(slacktest.Fault{Method: "conversations.replies", Times: 1 << 20, Status: http.StatusServiceUnavailable})
	s.ann.Say(s.general, root, slacktest.Mention()+" what is wrong?")
	const unread = "I could not read the earlier messages of this thread"
	if said := s.answered(s.general, root, 1); !strings.Contains(said[0], unread) {
		t.Errorf("the first answer is %q", said)
	}
	s.Mend()
	prompt := func() string {
		r := s.model.Requests()
		return fmt.Sprint(r[len(r)-1].Messages)
	}
	for i := range 2 { // the second question and the third one, in whose history it is
		s.ann.Say(s.general, root, slacktest.Mention()+" and now?")
		if said := s.answered(s.general, root, 2+i); strings.Contains(said[1+i], unread) {
			t.Errorf("answer %d is %q", 2+i, said[1+i])
		}
		if got := prompt(); strings.Count(got, "The pump hums.") != 1 || strings.Count(got, "It leaks as well.") != 1 {
			t.Errorf("prompt %d is %s", 2+i, got)
		}
	}
}
