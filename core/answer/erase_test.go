package answer_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// saved is what the store keeps of the turn that a message belongs to.
func (s *stage) saved(id thread.MessageID) (session.Turn, session.Saved) {
	s.Helper()
	t, err := s.store.TurnOf(s.Context(), tenant, channelRef, id)
	if err != nil {
		s.Fatal(err)
	}
	saved, err := s.store.Saved(s.Context(), t)
	if err != nil {
		s.Fatal(err)
	}
	return t, saved
}

// trail lists the deeds of the audit trail, each with who did it.
func (s *stage) trail() []string {
	s.Helper()
	var all []string
	for e, err := range s.store.Trail(s.Context(), session.AuditQuery{Tenant: tenant}) {
		if err != nil {
			s.Fatal(err)
		}
		all = append(all, string(e.Deed)+" "+e.Who.ID)
	}
	return all
}

// What the channel shows of a deleted question is its answer with a mark; the store keeps neither.
func TestADeletedQuestionIsErasedWithItsAnswer(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		r, _ := s.judging()
		s.hear(r, "what is alpha?", mentioned)
		s.settle()
		question, _ := s.saved("q1")
		private := s.act(r, thread.ActionPrivate, question.ID, "U1").Turn
		s.settle()
		if _, err := r.Deleted(s.Context(), tenant, channelRef, "q1"); err != nil {
			s.Fatal(err)
		}
		s.settle()
		for _, owner := range []string{"", "U1"} {
			s.want(owner, "alpha says so [[1]](https://docs.example/alpha). (The question was deleted.)")
		}
		for _, id := range []session.TurnID{question.ID, private} {
			turn, err := s.store.Turn(s.Context(), tenant, id)
			if err != nil {
				s.Fatal(err)
			}
			if kept, err := s.store.Saved(s.Context(), turn); err != nil || turn.Question.Text != "" || len(kept.Runs) != 0 {
				s.Errorf("the store keeps %q and %+v (%v)", turn.Question.Text, kept.Runs, err)
			}
		}
		want := []string{"turn U1", "answer.private U1", "turn U1", "question.delete "}
		if got := s.trail(); !slices.Equal(got, want) {
			s.Errorf("the audit trail holds %q, want %q", got, want)
		}
	})
}

func TestAnAnswerThatWasDeletedIsErased(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		r, _ := s.judging()
		s.slow = time.Minute
		s.hear(r, "what is alpha?", mentioned)
		time.Sleep(10 * time.Second)
		if err := r.AnswerDeleted(s.Context(), tenant, channelRef, "m1"); err != nil { // none of its pages
			s.Fatal(err)
		}
		s.settle()
		s.settle()
		if _, saved := s.saved("m0"); len(saved.Runs) != 1 || saved.Outcome != session.Answered {
			s.Fatalf("what runs was touched: %+v", saved)
		}
		if err := (posts{stage: s}).Delete(s.Context(), channelRef, "m0"); err != nil {
			s.Fatal(err)
		}
		for range 2 {
			if _, err := r.Deleted(s.Context(), tenant, channelRef, "m0"); err != nil { // by an adapter that cannot tell whose message it was
				s.Fatal(err)
			}
		}
		s.settle()
		s.want("")
		if _, saved := s.saved("m0"); len(saved.Runs) != 0 || saved.Removed == nil {
			s.Errorf("the store keeps %+v", saved)
		}
		if got := s.trail(); !slices.Equal(got, []string{"turn U1", "answer.delete "}) {
			s.Errorf("the audit trail holds %q", got)
		}
	})
}

// Whoever deletes an answer while it is written does not want it.
func TestAnAnswerThatIsDeletedWhileItIsWrittenStaysAway(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		r, _ := s.judging()
		s.slow = time.Minute
		s.hear(r, "what is alpha?", mentioned)
		time.Sleep(10 * time.Second)
		if err := (posts{stage: s}).Delete(s.Context(), channelRef, "m0"); err != nil {
			s.Fatal(err)
		}
		if err := r.AnswerDeleted(s.Context(), tenant, channelRef, "m0"); err != nil {
			s.Fatal(err)
		}
		s.settle()
		s.settle()
		s.want("")
		if turn, saved := s.saved("m0"); len(saved.Runs) != 0 || saved.Removed == nil || turn.State != session.Done {
			s.Errorf("the store keeps %s %+v", turn.State, saved)
		}
		if got := s.trail(); !slices.Equal(got, []string{"answer.delete ", "turn U1"}) {
			s.Errorf("the audit trail holds %q", got)
		}
	})
}

// What was public is not tried again in public where answers have become private since.
func TestRetriesAndEditsFollowThePresentPolicy(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		r, rules := s.judging()
		s.hear(r, "what is alpha?", mentioned)
		s.settle()
		public, _ := s.saved("q1")
		rules.say("private", "always")
		if got := s.act(r, thread.ActionRetry, public.ID, "MOD"); !got.Refused {
			s.Errorf("a moderator's retry is answered with %+v", got)
		}
		var rejected policy.Rejection
		_, err := s.edit(r, "what is alpha now?")
		if !errors.As(err, &rejected) || !strings.Contains(rejected.Sentence, "Ask it again") {
			s.Errorf("an edit is answered with %v", err)
		}
		got := s.act(r, thread.ActionRetry, public.ID, "U1")
		if got.Refused || got.Turn == public.ID {
			s.Errorf("the asker's retry is answered with %+v", got)
		}
		s.settle()
		const said = "alpha says so [[1]](https://docs.example/alpha). <up> <down>"
		s.want("", said)
		if seen := s.seen("U1"); len(seen) != 1 || !strings.HasPrefix(seen[0], "alpha says so") {
			s.Errorf("the asker sees %q", seen)
		}
		if again := s.act(r, thread.ActionRetry, public.ID, "U1"); !again.Duplicate || again.Turn != got.Turn {
			s.Errorf("a second retry is answered with %+v", again)
		}
	})
}

func TestEditsCountAgainstRoles(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		s.person["U1"] = access.NewAudience(tenant, access.Members, "group:interns")
		r, _ := s.judging("role_quota", "group:interns 2/hour")
		s.hear(r, "what is alpha?", mentioned, holding("group:interns"))
		s.settle()
		if _, err := s.edit(r, "what is alpha really?"); err != nil {
			s.Fatal(err)
		}
		var rejected policy.Rejection
		if _, err := s.edit(r, "what is alpha after all?"); !errors.As(err, &rejected) || !strings.Contains(rejected.Sentence, "Try again at") {
			s.Errorf("an edit beyond the role's quota: %v", err)
		}
		s.mu.Lock()
		s.person["U1"] = access.NewAudience(tenant, access.Members)
		s.mu.Unlock()
		if _, err := s.edit(r, "what is alpha after all?"); err != nil {
			s.Errorf("an edit of somebody who does not hold the role any more: %v", err)
		}
	})
}

func TestCommandsAreInTheAuditTrail(t *testing.T) {
	t.Parallel()
	bare(t, func(s *stage) {
		s.publish("alpha", access.Members)
		r, _ := s.judging()
		s.hear(r, "what is alpha?", mentioned)
		s.settle()
		for _, text := range []string{"config evidence 0.7", "follow always", "pause", "resume", "config evidence reset", "config evidence reset", "status", "config follow"} {
			s.command(r, text, admin)
		}
		s.command(r, "pause") // of somebody who may not
		want := []string{"turn U1", "setting.set U1", "setting.set U1", "setting.set U1", "setting.set U1", "setting.reset U1"}
		if got := s.trail(); !slices.Equal(got, want) {
			s.Errorf("the audit trail holds %q, want %q", got, want)
		}
		s.command(r, "forget-me confirm")
		for _, deed := range s.trail() {
			if strings.HasSuffix(deed, "U1") {
				s.Errorf("of who was forgotten the trail says %q", deed)
			}
		}
	})
}
