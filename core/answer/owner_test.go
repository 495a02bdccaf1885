package answer_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/action"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/owner"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
)

// desk is who owns the page, and whether they may be asked. Workers read it while a test changes
// it.
type desk struct {
	*sessiontest.Memory
	mu    sync.Mutex
	offer owner.Offer
	none  bool
	err   error
}

// set changes what the next question is told.
func (d *desk) set(change func(d *desk)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(d)
}

func (d *desk) Nearest(_ context.Context, _ session.Turn, _ access.Audience, pages []document.Ref) (owner.Offer, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(pages) == 0 || d.none {
		return owner.Offer{}, false, d.err
	}
	o := d.offer
	o.Page = pages[0]
	return o, true, d.err
}

// nothingFound is an engine that finds no answer, and a page that comes close.
type nothingFound struct{ page document.Ref }

func (n nothingFound) Run(_ context.Context, _ turn.Request, sink packet.Sink) (turn.Report, error) {
	end := turn.Ending{Outcome: session.NoEvidence, Sentence: "Nothing found.", Closest: []document.Ref{n.page}}
	sink.Accept(packet.Packet{Payload: packet.Stop{Reason: string(end.Outcome), Message: string(end.Sentence), Closest: []packet.Document{packet.DocumentOf(n.page, "", 0)}}})
	return turn.Report{Answers: []turn.Answer{{Model: "m", Ending: end}}}, nil
}

// offering runs a test in a bubble with a page of Ann's that comes close to every question.
func offering(t *testing.T, test func(s *stage, r *services, d *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		d := &desk{Memory: s.store, offer: owner.Offer{Owner: owner.Owner{Name: "Ann"}, Account: access.Account{ID: "U7", Name: "Ann Lee"}}}
		page := document.Ref{ID: s.publish("handbook", access.Members), Title: "handbook <!channel>"}
		r := serve(s, answer.Deps{
			Store: s.store, Prompts: s.store, Signal: s.signal, Engine: nothingFound{page}, Setups: setups{}, Library: s, Quotes: s, Surfaces: s, Metrics: s, Owners: d,
		}, answer.Config{}, action.Deps{Store: s.store, Metrics: s, Owners: d}, command.Deps{Store: s.store, Owners: d})
		s.Cleanup(s.run(r))
		test(s, r, d)
	})
}

func TestOwnerIsAskedByTheAskerOnce(t *testing.T) {
	t.Parallel()
	offering(t, func(s *stage, r *services, d *desk) {
		q := s.ask(r, "where is\n@everyone?")
		s.settle()
		s.want("", "Nothing found. <up> <down> <owner>")
		for _, by := range []string{"U2", "MOD"} {
			if got := s.act(r, thread.ActionOwner, q.ID, by); !got.Refused || got.Post != nil || !strings.Contains(got.Sentence, "Only the person who asked") {
				t.Errorf("%s is answered with %+v", by, got)
			}
		}
		got := s.act(r, thread.ActionOwner, q.ID, "U1", func(a *action.Request) { a.Message = "m0" })
		if got.Refused || got.Post == nil || got.Sentence != "I asked Ann Lee in the thread." {
			t.Fatalf("the asker is answered with %+v", got)
		}
		want := "Ada asks, and no document answers it. You own the nearest page, “handbook ‹!channel›”.\n> where is @everyone?"
		if got.Post.Mention != "U7" || got.Post.Text != want || got.Post.To != "m0" || got.Post.Subject != string(q.ID) {
			t.Errorf("posted is %+v", *got.Post)
		}
		for range 2 {
			if got := s.act(r, thread.ActionOwner, q.ID, "U1"); !got.Duplicate || got.Post != nil || !strings.Contains(got.Sentence, "asked already") {
				t.Errorf("a second press is answered with %+v", got)
			}
		}
	})
}

func TestOwnerIsDecidedAgainAtThePress(t *testing.T) {
	t.Parallel()
	offering(t, func(s *stage, r *services, d *desk) {
		q := s.ask(r, "where?")
		s.settle()
		press := func(want string) {
			t.Helper()
			if got := s.act(r, thread.ActionOwner, q.ID, "U1"); !got.Refused || got.Post != nil || !strings.Contains(got.Sentence, want) {
				t.Errorf("the press is answered with %+v, want %q", got, want)
			}
		}
		d.set(func(d *desk) { d.none = true })
		press("cannot be asked here any more")
		d.set(func(d *desk) { d.none, d.offer.Account = false, access.Account{} })
		press("cannot be asked here any more")
		d.set(func(d *desk) { d.offer.Account, d.err = access.Account{ID: "U7"}, errors.New("away") })
		press("cannot be found out")
		d.set(func(d *desk) { d.err, s.away = nil, true })
		press("cannot be found out")
		s.away = false
		if _, err := s.store.SetUndisturbed(t.Context(), tenant, "slack", "U7", true); err != nil {
			t.Fatal(err)
		}
		if got := s.act(r, thread.ActionOwner, q.ID, "U1"); got.Post != nil { // between the look-up and the claim
			t.Errorf("a person who does not want to be asked is: %+v", got)
		}
	})
}

func TestMessageThatWasNotPostedIsTriedAgain(t *testing.T) {
	t.Parallel()
	offering(t, func(s *stage, r *services, d *desk) {
		q := s.ask(r, "where?")
		s.settle()
		unposted := func(cause error) action.Reply {
			t.Helper()
			if got := s.act(r, thread.ActionOwner, q.ID, "U1"); got.Post == nil {
				t.Fatalf("the press is answered with %+v", got)
			}
			reply, err := r.Unposted(t.Context(), action.Request{Do: thread.ActionOwner, Tenant: tenant, Ref: channelRef}, q.ID, cause)
			if err != nil {
				t.Fatal(err)
			}
			return reply
		}
		if got := unposted(&thread.RateLimitError{}); !got.Refused || !strings.Contains(got.Sentence, "Try again") {
			t.Errorf("a message that was not posted is answered with %+v", got)
		}
		if got := unposted(thread.ErrOutcomeUnknown); !strings.Contains(got.Sentence, "not known") {
			t.Errorf("a message that may have been posted is answered with %+v", got)
		}
		if got := s.act(r, thread.ActionOwner, q.ID, "U1"); got.Post != nil || !got.Duplicate {
			t.Errorf("it is posted again: %+v", got)
		}
	})
}

func TestOwnerIsOnlyNamedWhereTheyCannotBeAsked(t *testing.T) {
	t.Parallel()
	offering(t, func(s *stage, r *services, d *desk) {
		d.set(func(d *desk) { d.offer.Account = access.Account{} })
		q := s.ask(r, "where?")
		s.settle()
		s.want("", "Nothing found. <up> <down>")
		d.set(func(d *desk) { d.none = true })
		s.ask(r, "and there?")
		s.settle()
		if got := s.act(r, thread.ActionPrivate, q.ID, "U1"); got.Refused {
			t.Fatalf("%+v", got)
		}
		d.set(func(d *desk) { d.none, d.offer.Account = false, access.Account{ID: "U7"} })
		s.settle()
		s.want("U1", "Nothing found. <up> <down>") // a private answer
	})
}

func TestAskMeIsSwitchedOffAndOn(t *testing.T) {
	t.Parallel()
	offering(t, func(s *stage, r *services, _ *desk) {
		for _, c := range []struct{ typed, want string }{
			{"ask-me", "people may have you asked"}, {"ask-me off", "You are not asked"}, {"ask-me", "You are not asked"}, {"ask-me whatever", "You are not asked"}, {"ask-me ON", "people may have you asked"},
		} {
			said, err := r.Command(t.Context(), command.Request{Tenant: tenant, Ref: channelRef, By: thread.Person{ID: "U7"}, Text: c.typed})
			if err != nil || !strings.Contains(said, c.want) {
				t.Errorf("%s says %q (%v), want %q", c.typed, said, err, c.want)
			}
		}
	})
}
