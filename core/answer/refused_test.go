package answer_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// refusals are the refusals of the trail, each with who asked and why it was refused.
func (s *stage) refusals() []string {
	s.Helper()
	var all []string
	for e, err := range s.store.Trail(s.Context(), session.AuditQuery{Tenant: tenant}) {
		if err != nil {
			s.Fatal(err)
		}
		if e.Deed != session.QuestionRefused {
			continue
		}
		all = append(all, e.Who.ID+" "+e.Details["reason"])
		if text := fmt.Sprintf("%+v", e); strings.Contains(text, "alpha") {
			s.Errorf("the trail holds words: %s", text)
		}
	}
	return all
}

func TestWhatIsRefusedIsInTheAuditTrail(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		r, rules := s.judging()
		s.hear(r, "what is alpha?", mentioned)
		s.settle()
		first, _ := s.saved("q1")
		var want []string
		expect := func(more ...string) {
			s.Helper()
			want = append(want, more...)
			if got := s.refusals(); !slices.Equal(got, want) {
				s.Fatalf("the trail holds the refusals %q, want %q", got, want)
			}
		}
		same := func(o *answer.Occurrence) { o.Message = "q2" }
		rules.say("paused", "true")
		for range 2 { // both events of a mention
			s.hear(r, "what is alpha?", mentioned, same)
		}
		expect("U1 paused")
		s.hear(r, "what is alpha?", replying) // would have been answered, and nobody asked the bot
		s.hear(r, "alpha is fine", by("U2"))
		expect()
		for range 2 { // replicas that hear the same command
			s.hear(r, "", by("U2"), func(o *answer.Occurrence) { o.Command, o.Message, o.EventKey = true, "", "i1" })
		}
		expect("U2 paused")
		s.act(r, thread.ActionRetry, first.ID, "U1")
		expect("U1 paused")

		rules.say("paused", "false", "askers", "group:staff")
		s.hear(r, "what is alpha?", mentioned, by("U3"))
		expect("U3 not_permitted")

		rules.say("user_quota", "1/hour")
		long := thread.Mention{
			Tenant: tenant, Ref: channelRef, EventKey: "long", Message: "long", Asker: thread.Person{ID: "U4"}, Text: strings.Repeat("alpha ", 20_000),
			Listens: access.NewAudience(tenant),
		}
		var rejected policy.Rejection
		if _, err := r.Accept(s.Context(), long); !errors.As(err, &rejected) {
			s.Errorf("a long question is answered with %v", err)
		}
		expect("U4 too_long")
		long.Text, long.Message = " ", "empty"
		if _, err := r.Accept(s.Context(), long); !errors.As(err, &rejected) {
			s.Errorf("an empty question is answered with %v", err)
		}
		expect()
		if _, err := s.edit(r, "what is alpha really?"); err != nil {
			s.Fatal(err)
		}
		for _, text := range []string{"what is alpha after all?", "what is alpha now?"} {
			if _, err := s.edit(r, text); !errors.As(err, &rejected) {
				s.Errorf("an edit beyond the quota: %v", err)
			}
		}
		expect("U1 limited")
	})
}

func TestWhoStopsAndUnfollowsIsInTheAuditTrail(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		r, _ := s.judging()
		s.hear(r, "what is alpha?", mentioned)
		s.settle()
		for range 2 { // the second changes nothing
			s.act(r, thread.ActionUnfollow, "", "U2")
		}
		s.act(r, thread.ActionFollow, "", "U1")
		want := []string{"turn U1", "thread.unfollow U2", "thread.follow U1"}
		if got := s.trail(); !slices.Equal(got, want) {
			s.Errorf("the audit trail holds %q, want %q", got, want)
		}
	})
}
