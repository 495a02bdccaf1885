package answer_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"pgregory.net/rapid"
)

// What was taken in is carried out by whichever process is there next, however long that takes.
func TestWhatPeopleDidOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		do   func(s *stage, r *services, id session.TurnID)
		want string
	}{
		{"a removal", func(s *stage, r *services, id session.TurnID) {
			s.act(r, thread.ActionRemove, id, "MOD", saying(""))
		}, "This answer was removed."},
		{"a correction", func(s *stage, r *services, id session.TurnID) {
			s.act(r, thread.ActionCorrect, id, "MOD", saying("Mine."))
		},
			"Mine. (Corrected by name of MOD. A person wrote this, not the bot.) <up> <down>"},
		{"a retry", func(s *stage, r *services, id session.TurnID) {
			s.publish("handbook", "group:board")
			s.act(r, thread.ActionRetry, id, "U1")
		}, "Nothing found. <up> <down>"},
		{"a removal after a correction", func(s *stage, r *services, id session.TurnID) {
			s.act(r, thread.ActionCorrect, id, "MOD", saying("Mine."))
			s.act(r, thread.ActionRemove, id, "MOD", saying(""))
		}, "This answer was removed."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				s.publish("handbook", access.Members)
				first := s.service()
				end := s.run(first)
				q := s.ask(first, "handbook?")
				s.settle()
				end()
				tt.do(s, first, q.ID) // taken in by a process that answers no more
				s.want("", footed+" <up> <down>")
				if !strings.Contains(tt.name, "retry") { // a question grows old, an answer that is to go does not
					time.Sleep(24 * time.Hour)
				}
				s.replica()
				s.settle()
				s.want("", tt.want)
			})
		})
	}
}

// step is something that somebody does in the property test.
type step struct {
	do     thread.Action // empty: a question
	by     string
	turn   int // of those that there are
	change int // document whose access list changes before it
	acl    access.ACL
	hears  access.Audience
}

// Whatever people do to answers, in whatever order and while access lists and channels change: what
// is posted to the channel names only documents that everybody in it may read at that moment, what
// one person is shown only what that person may read, and so do all contexts. What was removed is
// in no message and no context.
func TestNothingDoneToAnswersShowsWhatItsReadersMayNotRead(t *testing.T) {
	t.Parallel()
	principals := []access.Principal{access.Public, access.Members, access.Channel("slack", "C1"), access.User("slack", "U1"), access.User("slack", "U2")}
	acl := rapid.Custom(func(t *rapid.T) access.ACL { return access.ACL{rapid.SampledFrom(principals).Draw(t, "acl")} })
	steps := rapid.Custom(func(t *rapid.T) step {
		return step{
			do: rapid.SampledFrom([]thread.Action{"", "", thread.ActionPrivate, thread.ActionPrivate, thread.ActionShare, thread.ActionShare,
				thread.ActionRetry, thread.ActionRemove, thread.ActionCorrect, thread.ActionKeep}).Draw(t, "action"),
			by: rapid.SampledFrom([]string{"U1", "U2", "MOD"}).Draw(t, "by"), turn: rapid.IntRange(0, 7).Draw(t, "turn"),
			change: rapid.IntRange(0, 2).Draw(t, "document"), acl: acl.Draw(t, "new list"),
			hears: access.NewAudience(tenant, rapid.SampledFrom([][]access.Principal{{access.Members, principals[2]}, {principals[2]}, {}}).Draw(t, "channel")...),
		}
	})
	rapid.Check(t, func(rt *rapid.T) {
		plan := rapid.SliceOfN(steps, 3, 10).Draw(rt, "steps")
		synctest.Test(t, func(t *testing.T) {
			for _, leak := range play(t, plan) {
				rt.Error(leak)
			}
		})
	})
}

// play carries a plan out and returns what it showed to whom it should not have.
func play(t *testing.T, plan []step) (leaks []string) {
	s := newStage(t)
	s.person["U2"] = access.NewAudience(tenant, access.Members, access.User("slack", "U2"))
	s.person["MOD"] = access.NewAudience(tenant, access.Members)
	r := s.replica()
	names := []string{"handbook", "salaries", "plans"}
	ids := make([]document.ID, len(names))
	for i, name := range names {
		ids[i] = s.publish(name, access.Members)
	}
	var turns []session.TurnID
	before := map[string][]string{}
	for n, st := range plan {
		s.mu.Lock()
		s.acl[ids[st.change]], s.channel = st.acl, st.hears
		read := len(s.histories)
		s.mu.Unlock()
		switch {
		case st.do == "" || len(turns) == 0:
			turns = append(turns, s.ask(r, fmt.Sprintf("q%d: handbook salaries plans", n), func(m *thread.Mention) { m.Asker.ID = st.by }).ID)
		default:
			text := saying("")
			if st.do == thread.ActionCorrect {
				text = saying(fmt.Sprintf("corrected %d", n))
			}
			if reply := s.act(r, st.do, turns[st.turn%len(turns)], st.by, text); reply.Turn != "" && !slices.Contains(turns, reply.Turn) {
				turns = append(turns, reply.Turn)
			}
		}
		s.settle()
		for _, owner := range []string{"", "U1", "U2", "MOD"} {
			readers := s.channel
			if owner != "" {
				readers = s.person[owner]
			}
			now := s.seen(owner)
			for i, text := range now {
				if i < len(before[owner]) && before[owner][i] == text {
					continue // it was shown while its readers might read it
				}
				for d, name := range names {
					if strings.Contains(text, name+" says") && !readers.MayRead(s.acl[ids[d]]) {
						leaks = append(leaks, fmt.Sprintf("step %d (%s by %s) shows %q: %s", n, st.do, st.by, owner, text))
					}
				}
			}
			before[owner] = now
		}
		// A context that began while a retry waited is the same audience's: nothing changes before
		// the next step.
		for _, history := range s.histories[read:] {
			for d, name := range names {
				private := !s.channel.MayRead(s.acl[ids[d]]) && !s.person["U1"].MayRead(s.acl[ids[d]]) && !s.person["U2"].MayRead(s.acl[ids[d]])
				if strings.Contains(history, name+" says") && private {
					leaks = append(leaks, fmt.Sprintf("step %d (%s by %s) is given: %s", n, st.do, st.by, history))
				}
			}
		}
	}
	return leaks
}

// policies says that a channel holds what the test wants.
type policies struct {
	command.Policies
	change func(*policy.Policy)
}

func (p policies) Policy(context.Context, access.TenantID, session.Place) (policy.Effective, error) {
	e := policy.Resolve()
	p.change(&e.Policy)
	return e, nil
}

// What is answered once more is admitted like a new question.
func TestWhatHoldsInTheChannelHoldsForAnotherTry(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*policy.Policy)
		by     string
		want   [2]string // what a retry and a private answer are refused with; empty: they are not
	}{
		{"nothing special", func(*policy.Policy) {}, "U1", [2]string{}},
		{"it is paused", func(p *policy.Policy) { p.Paused = true }, "U1", [2]string{"paused", "paused"}},
		{"it is switched off", func(p *policy.Policy) { p.Enabled = false }, "U1", [2]string{"do not answer", "do not answer"}},
		{"private answers are off", func(p *policy.Policy) { p.Private = policy.PrivateOff }, "U1", [2]string{"", "Private answers"}},
		{"the asker may not ask any more", func(p *policy.Policy) { p.Askers = []access.ACL{{"group:board"}} }, "U1", [2]string{"cannot ask here", "cannot ask here"}},
		{"a moderator may", func(p *policy.Policy) { p.Askers = []access.ACL{{"group:board"}} }, "MOD", [2]string{"", "Only whoever asked"}},
		{"a quota", func(p *policy.Policy) {
			p.Quotas = []policy.Quota{{For: policy.PerUser, Count: 1, Window: 24 * time.Hour}}
		}, "U1", [2]string{"", "Try again at"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				s.publish("handbook", access.Members)
				r := s.service()
				defer s.run(r)()
				q := s.ask(r, "handbook?")
				s.settle()
				r.actions.Policies = policies{change: tt.change}
				for i, do := range []thread.Action{thread.ActionRetry, thread.ActionPrivate} {
					got := s.act(r, do, q.ID, tt.by)
					if got.Refused != (tt.want[i] != "") || !strings.Contains(got.Sentence, tt.want[i]) {
						t.Errorf("%s is answered with %+v, want %q", do, got, tt.want[i])
					}
					s.settle()
				}
			})
		})
	}
}
