package answer_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
)

// outcomeOf is how the turn of a message ended, with why.
func (s *stage) outcomeOf(id thread.MessageID) (session.Outcome, string) {
	s.Helper()
	t, err := s.store.TurnOf(s.Context(), tenant, channelRef, id)
	if err != nil {
		s.Fatal(err)
	}
	saved, err := s.store.Saved(s.Context(), t)
	if err != nil {
		s.Fatal(err)
	}
	return t.Outcome, saved.Sentence
}

func TestAnUnaskedAnswerNeedsEvidence(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rules   []string
		text    string
		outcome session.Outcome
		why     string
		shown   int
	}{
		"enough":          {[]string{"follow", "always"}, "what is alpha?", session.Answered, "", 1},
		"too little":      {[]string{"follow", "always", "evidence", "0.8"}, "what is alpha?", session.Declined, "matches 70 %", 0},
		"nothing":         {[]string{"follow", "always"}, "what is beta?", session.Declined, "nothing close", 0},
		"no room":         {[]string{"follow", "always", "channel_quota", "1/day"}, "what is alpha?", session.Declined, "quota", 0},
		"nobody asks for": {[]string{"follow", "always", "evidence", "0"}, "what is beta?", session.Declined, "nothing close", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bare(t, func(s *stage) {
				s.publish("alpha", access.Members)
				r, _ := s.judging(tt.rules...)
				if name == "no room" {
					if _, err := s.store.Accept(s.Context(), session.Intake{
						Tenant: tenant, Ref: thread.Ref{Platform: "console", Channel: "x", Thread: "x"}, EventKey: "x", Asker: thread.Person{ID: "x"},
						Text: "x", Audience: s.channel, Quotas: []session.Quota{{Counter: "channel:slack:T1:C1", Limit: 1, Window: 24 * time.Hour}},
					}); err != nil {
						s.Fatal(err)
					}
				}
				if j := s.hear(r, tt.text); !j.Ambient {
					s.Fatalf("decision %+v", j.Decision)
				}
				s.settle()
				outcome, why := s.outcomeOf("q1")
				if outcome != tt.outcome || !strings.Contains(why, tt.why) {
					s.Errorf("it ended as %s: %s", outcome, why)
				}
				if seen := s.seen(""); len(seen) != tt.shown && name != "no room" {
					s.Errorf("the channel sees %q", seen)
				}
			})
		})
	}
}

func TestAnUnaskedAnswerStaysSilentWhenTheModelFindsNothing(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*stage){
		"the model fails":          func(s *stage) { s.fails = true },
		"nobody in the room reads": func(s *stage) { s.channel = access.NewAudience(tenant) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bare(t, func(s *stage) {
				s.publish("alpha", access.Members)
				prepare(s)
				r, _ := s.judging("follow", "always")
				s.hear(r, "what is alpha?")
				s.settle()
				if outcome, why := s.outcomeOf("q1"); outcome != session.Declined || why == "" {
					s.Errorf("it ended as %s: %q", outcome, why)
				}
				s.want("")
				if j := s.hear(r, "does anybody?", replying); j.Reason != "other_thread" {
					s.Errorf("a reply beside an answer that was not given: %s", j.Reason)
				}
			})
		})
	}
}

func TestAnUnaskedAnswerWaitsForPeople(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		helpers string
		reply   func(*answer.Occurrence)
		who     access.Principal
		outcome session.Outcome
	}{
		"nobody replies":           {"", nil, "", session.Answered},
		"somebody replies":         {"", by("U2"), "", session.Declined},
		"the asker adds something": {"", by("U1"), "", session.Answered},
		"a helper replies":         {"group:support", by("U2"), "group:support", session.Declined},
		"somebody else replies":    {"group:support", by("U2"), "members", session.Answered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bare(t, func(s *stage) {
				s.publish("alpha", access.Members)
				r, rules := s.judging("forum", "true", "forum_wait", "10m")
				if tt.helpers != "" {
					rules.say("helpers", tt.helpers)
				}
				post := func(o *answer.Occurrence) { o.Forum = true }
				if j := s.hear(r, "what is alpha", post); j.Reason != "forum_post" || j.Wait != 10*time.Minute {
					s.Fatalf("decision %+v", j.Decision)
				}
				time.Sleep(5 * time.Minute)
				s.want("")
				if tt.reply != nil {
					s.hear(r, "I know", replying, tt.reply, holding(tt.who))
				}
				time.Sleep(4 * time.Minute)
				s.want("")
				time.Sleep(2 * time.Minute)
				s.settle()
				if outcome, why := s.outcomeOf("q1"); outcome != tt.outcome {
					s.Errorf("it ended as %s: %s", outcome, why)
				}
				if j := s.hear(r, "what is alpha", post); tt.outcome == session.Answered && j.Reason != "forum_answered" {
					s.Errorf("the post was judged again: %s", j.Reason)
				}
			})
		})
	}
}

func TestWhoAsksDoesNotWaitBehindAnUnaskedAnswer(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		r, _ := s.judging("forum", "true", "forum_wait", "1h")
		s.hear(r, "what is alpha", func(o *answer.Occurrence) { o.Forum = true })
		s.hear(r, "alpha please", mentioned, replying)
		s.settle()
		if n := len(s.seen("")); n != 1 {
			s.Errorf("%d answers, want one", n)
		}
	})
}

func TestUnaskedAnswersCoolDown(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		r, _ := s.judging("follow", "always", "cool_down", "10m")
		other := func(o *answer.Occurrence) { o.Ref.Thread = "2" }
		s.hear(r, "what is alpha?")
		s.settle()
		if j := s.hear(r, "what is alpha?", other); j.Reason != "cooling_down" {
			s.Errorf("a minute later: %s", j.Reason)
		}
		if j := s.hear(r, "alpha is fine.", other); j.Reason != "no_question" {
			s.Errorf("a remark: %s", j.Reason)
		}
		time.Sleep(10 * time.Minute)
		if j := s.hear(r, "what is alpha?", other); j.Reason != "ambient" {
			s.Errorf("eleven minutes later: %s", j.Reason)
		}
	})
}

// A replica that dies in the middle of an unasked answer leaves no half of it behind, whatever
// would hold the answer back by now.
func TestAnUnaskedAnswerThatBeganIsCompleted(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		ctx := s.Context()
		_, err := s.store.Accept(ctx, session.Intake{
			Tenant: tenant, Ref: channelRef, EventKey: "e", Message: "q1", Asker: thread.Person{ID: "U1"}, Text: "what is alpha?", Ambient: true, Audience: s.channel,
		})
		must(t, err)
		_, err = s.store.Beat(ctx, "dead", time.Second)
		must(t, err)
		dying, err := sessiontest.One(s.store.Lease(ctx, session.LeaseRequest{Replica: "dead"}))
		must(t, err)
		id, err := posts{stage: s}.Post(ctx, channelRef, "half of")
		must(t, err)
		key := session.PageKey{Kind: session.Answer}
		must(t, s.store.Intend(ctx, dying.Fence(), key, channelRef))
		must(t, s.store.Posted(ctx, dying.Fence(), key, id, "h"))
		time.Sleep(2 * time.Second)
		s.judging("follow", "always", "evidence", "0.9")
		s.settle()
		s.want("", "alpha says so [[1]](https://docs.example/alpha). <up> <down>")
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
