package pgsession_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/google/go-cmp/cmp"
)

// What people say while a plan is being made is in it: once, though it is said twice or the plan is
// begun anew, and of a question that needs none it makes one.
func TestInstructionsBeforePlan(t *testing.T) {
	t.Parallel()
	db, ctx := postgrestest.Open(t), t.Context()
	store, deep := pgsession.New(db), pgsession.NewDeepSearches(db)
	turn := running(t, store, "one")
	f := turn.Fence()
	say := func(text string) {
		t.Helper()
		in, _ := deepsearch.ParseInstruction(text)
		if became, err := deep.Steer(ctx, session.StopRequest{Tenant: f.Tenant, Ref: turn.Session.Ref, By: session.Stopper{ID: "ann"}}, in); err != nil || became.Became != deepsearch.Changed {
			t.Errorf("%q: %+v, %v", text, became, err)
		}
	}
	begun := deepsearch.Record{Question: "q", Audience: "k"}
	if err := deep.Plan(ctx, f, begun); err != nil {
		t.Fatal(err)
	}
	say("add: when?")
	say("add: when?")
	say("instead: why?")
	if err := deep.Plan(ctx, f, begun); err != nil { // by another process
		t.Fatal(err)
	}
	direct := begun
	direct.Direct = true
	if err := deep.Plan(ctx, f, direct); !errors.Is(err, deepsearch.ErrSteered) {
		t.Errorf("a question that needs no depth: %v", err)
	}
	planned := begun
	planned.Questions = []deepsearch.SubQuestion{{Text: "q"}}
	if err := deep.Plan(ctx, f, planned); err != nil {
		t.Fatal(err)
	}
	r, err := deep.Record(ctx, f.Tenant, f.Turn)
	want := []deepsearch.SubQuestion{{Text: "q"}, {Text: "when?", Added: true}, {Text: "why?", Added: true}}
	if diff := cmp.Diff(want, r.Questions); diff != "" || err != nil || len(r.Order) != 2 || r.Findings[1].State != deepsearch.Dropped {
		t.Errorf("record %+v, %v (-want +got):\n%s", r, err, diff)
	}
	planned.Question = "another"
	if err := deep.Plan(ctx, f, planned); err != nil {
		t.Fatal(err)
	}
	if r, err := deep.Record(ctx, f.Tenant, f.Turn); err != nil || len(r.Questions) != 1 {
		t.Errorf("another question's record is %+v, %v", r, err)
	}
}

// A search that waits is nobody's until somebody chooses, stops it, edits its question, changes its
// plan, or its time is over; and one answer counts.
func TestWaitingSearchHasNoLease(t *testing.T) {
	t.Parallel()
	db := postgrestest.Open(t)
	store, deep := pgsession.New(db), pgsession.NewDeepSearches(db)
	ann, bob := session.Stopper{ID: "ann"}, session.Stopper{ID: "bob"}
	for name, c := range map[string]struct {
		most  time.Duration
		early bool // it happens before the turn is let go of
		do    func(ctx context.Context, say func(session.Stopper, string) deepsearch.Became, t session.Turn) error
		goes  bool
	}{
		"nothing happens":  {most: time.Hour},
		"its time is over": {goes: true},
		"somebody else chooses": {most: time.Hour, do: func(_ context.Context, say func(session.Stopper, string) deepsearch.Became, _ session.Turn) error {
			if got := say(bob, "start"); got != deepsearch.Forbidden {
				t.Errorf("somebody else starts it: %s", got)
			}
			return nil
		}},
		"it is started twice": {most: time.Hour, goes: true, do: func(_ context.Context, say func(session.Stopper, string) deepsearch.Became, _ session.Turn) error {
			if first, second := say(ann, "Start!"), say(ann, "just answer"); first != deepsearch.Changed || second != deepsearch.Decided {
				t.Errorf("it became %s, then %s", first, second)
			}
			return nil
		}},
		"it is started at once": {most: time.Hour, goes: true, early: true, do: func(_ context.Context, say func(session.Stopper, string) deepsearch.Became, _ session.Turn) error {
			say(ann, "start")
			return nil
		}},
		"its plan is changed": {most: time.Hour, goes: true, do: func(_ context.Context, say func(session.Stopper, string) deepsearch.Became, _ session.Turn) error {
			if got := say(ann, "drop 2"); got != deepsearch.Changed {
				t.Errorf("it became %s", got)
			}
			return nil
		}},
		"its plan is changed at once": {most: time.Hour, goes: true, early: true, do: func(_ context.Context, say func(session.Stopper, string) deepsearch.Became, _ session.Turn) error {
			say(ann, "drop 2")
			return nil
		}},
		"its plan is longer at once": {most: time.Hour, goes: true, early: true, do: func(_ context.Context, say func(session.Stopper, string) deepsearch.Became, _ session.Turn) error {
			say(ann, "add: when?")
			return nil
		}},
		"it is stopped": {most: time.Hour, goes: true, do: func(ctx context.Context, _ func(session.Stopper, string) deepsearch.Became, turn session.Turn) error {
			_, err := store.Request(ctx, session.StopRequest{Tenant: turn.Session.Tenant, Ref: turn.Session.Ref, By: ann})
			return err
		}},
		"its answer is removed": {most: time.Hour, goes: true, early: true, do: func(ctx context.Context, _ func(session.Stopper, string) deepsearch.Became, turn session.Turn) error {
			_, err := store.Remove(ctx, turn.Session.Tenant, turn.ID, "remove", session.Removal{})
			return err
		}},
		"its question is edited": {most: time.Hour, goes: true, do: func(ctx context.Context, _ func(session.Stopper, string) deepsearch.Became, turn session.Turn) error {
			_, err := store.Edit(ctx, session.Edit{Tenant: turn.Session.Tenant, Ref: turn.Session.Ref, Message: turn.Message, Text: "deep: another"})
			return err
		}},
	} {
		ctx := t.Context()
		turn := running(t, store, name)
		f := turn.Fence()
		plan := deepsearch.Record{Question: "q", Audience: "k", Questions: []deepsearch.SubQuestion{{Text: "who?"}, {Text: "where?"}}, Asked: true}
		if err := deep.Plan(ctx, f, plan); err != nil {
			t.Fatal(err)
		}
		say := func(by session.Stopper, text string) deepsearch.Became {
			in, ok := deepsearch.ParseInstruction(text)
			became, err := deep.Steer(ctx, session.StopRequest{Tenant: f.Tenant, Ref: turn.Session.Ref, By: by}, in)
			if err != nil || !ok {
				t.Errorf("%s: %v, %v", name, ok, err)
			}
			return became.Became
		}
		shown := deepsearch.Waiting{Most: c.most, Again: time.Hour, Questions: 2}
		act := func() {
			if c.do != nil {
				if err := c.do(ctx, say, turn); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		if c.early {
			act()
		}
		if err := deep.Await(ctx, f, shown); err != nil {
			t.Fatal(err)
		}
		if err := deep.Await(ctx, f, shown); !errors.Is(err, session.ErrFenced) {
			t.Errorf("%s: let go of twice: %v", name, err)
		}
		if !c.early {
			act()
		}
		leased, err := store.Lease(ctx, session.LeaseRequest{Replica: "another", Most: 9})
		if err != nil || (len(leased) == 1) != c.goes || c.goes && (leased[0].ID != f.Turn || leased[0].Failures != 0) {
			t.Errorf("%s: leased %+v, %v", name, leased, err)
		}
		if len(leased) == 1 {
			if err := store.Finish(ctx, leased[0].Fence(), session.Saved{Outcome: session.Answered}); err != nil && !errors.Is(err, session.ErrRemoved) {
				t.Error(err)
			}
		}
	}
}

// How far a search was at its end is shown again with its plan.
func TestSearchProgressIsStored(t *testing.T) {
	t.Parallel()
	db, ctx := postgrestest.Open(t), t.Context()
	store, deep := pgsession.New(db), pgsession.NewDeepSearches(db)
	turn := running(t, store, "one")
	f := turn.Fence()
	end := packet.Progress{Seconds: 83, Searches: 12, Documents: 9, Cost: "0.12 USD"}
	for what, err := range map[string]error{
		"plan": deep.Plan(ctx, f, deepsearch.Record{Question: "q", Questions: []deepsearch.SubQuestion{{Text: "who?"}}}),
		"end":  deep.Conclude(ctx, f, end), "finish": store.Finish(ctx, f, session.Saved{Outcome: session.Answered}),
	} {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	saved, err := store.Saved(ctx, turn)
	if err != nil || saved.Progress != end {
		t.Errorf("saved %+v, %v", saved.Progress, err)
	}
	shown := deepsearch.Replay(saved.Plan, saved.Progress)
	if last := shown[len(shown)-1].Payload; last != packet.Payload(end) {
		t.Errorf("replayed with %+v", last)
	}
}

// What is asked in the thread of a search that waits does not wait with it. Two are never at work
// at once, and what is asked once the search was started waits for it.
func TestWaitingSearchBlocksNoQuestion(t *testing.T) {
	t.Parallel()
	db, ctx := postgrestest.Open(t), t.Context()
	store, deep := pgsession.New(db), pgsession.NewDeepSearches(db)
	search := running(t, store, "one")
	plan := deepsearch.Record{Question: "q", Audience: "k", Questions: []deepsearch.SubQuestion{{Text: "who?"}, {Text: "where?"}}, Asked: true}
	if err := deep.Plan(ctx, search.Fence(), plan); err != nil {
		t.Fatal(err)
	}
	ask := func(event string, ahead int) session.TurnID {
		t.Helper()
		accepted, err := store.Accept(ctx, session.Intake{
			Tenant: access.DefaultTenant, Ref: search.Session.Ref, EventKey: event, Message: thread.MessageID(event), Asker: thread.Person{ID: "ann"}, Text: event,
			Audience: access.NewAudience(access.DefaultTenant),
		})
		if err != nil || accepted.Ahead != ahead {
			t.Errorf("%s has %d ahead, want %d: %v", event, accepted.Ahead, ahead, err)
		}
		return accepted.Turn.ID
	}
	lease := func(what string, want session.TurnID) session.Turn {
		t.Helper()
		one, err := sessiontest.One(store.Lease(ctx, session.LeaseRequest{Replica: "one", Most: 9}))
		if one == nil {
			one = new(session.Turn)
		}
		if err != nil || one.ID != want {
			t.Errorf("%s: leased %q, want %q: %v", what, one.ID, want, err)
		}
		return *one
	}
	done := func(turn session.Turn) {
		t.Helper()
		if err := errors.Join(store.Finish(ctx, turn.Fence(), session.Saved{Outcome: session.Answered}), store.Delivered(ctx, turn.Fence(), "")); err != nil {
			t.Fatal(err)
		}
	}
	first := ask("first", 1)
	lease("while the plan is made", "")
	if err := deep.Await(ctx, search.Fence(), deepsearch.Waiting{Most: time.Hour, Again: time.Hour, Questions: 2}); err != nil {
		t.Fatal(err)
	}
	answered := lease("once the plan waits", first)
	second := ask("second", 1)
	done(answered)
	answered = lease("after the first", second)
	in, _ := deepsearch.ParseInstruction("start")
	if became, err := deep.Steer(ctx, session.StopRequest{Tenant: access.DefaultTenant, Ref: search.Session.Ref, By: session.Stopper{ID: "ann"}}, in); err != nil || became.Became != deepsearch.Changed {
		t.Fatalf("%+v, %v", became, err)
	}
	third := ask("third", 2)
	if err := store.Finish(ctx, answered.Fence(), session.Saved{Outcome: session.Answered}); err != nil {
		t.Fatal(err)
	}
	lease("while an answer is delivered", "")
	if err := store.Delivered(ctx, answered.Fence(), ""); err != nil {
		t.Fatal(err)
	}
	done(lease("once it was started", search.ID))
	lease("after the report", third)
}
