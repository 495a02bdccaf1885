package pgsession_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/session"
	"github.com/google/go-cmp/cmp"
)

// What people say to a search changes its plan or is refused for a reason, and whoever works on it
// finds out.
func TestPlansAreSteered(t *testing.T) {
	t.Parallel()
	db, ctx := postgrestest.Open(t), t.Context()
	store, deep := pgsession.New(db), pgsession.NewDeepSearches(db)
	turn := running(t, store, "one")
	f := turn.Fence()
	say := func(by session.Stopper, text string) deepsearch.Became {
		t.Helper()
		in, ok := deepsearch.ParseInstruction(text)
		if !ok {
			t.Fatalf("%q is no instruction", text)
		}
		became, err := deep.Steer(ctx, session.StopRequest{Tenant: f.Tenant, Ref: turn.Session.Ref, By: by}, in)
		if err != nil {
			t.Fatal(err)
		}
		if (became.Sentence(in) == "") != (became.Became == deepsearch.Changed || became.Became == deepsearch.NoSearch) {
			t.Errorf("%q became %s, which says %q", text, became.Became, became.Sentence(in))
		}
		return became.Became
	}
	plan := func(questions ...deepsearch.SubQuestion) {
		t.Helper()
		if err := deep.Plan(ctx, f, deepsearch.Record{Question: "q", Audience: "k", Questions: questions}); err != nil {
			t.Fatal(err)
		}
	}
	ann, bob := session.Stopper{ID: "ann"}, session.Stopper{ID: "bob"}
	if got := say(ann, "add: who?"); got != deepsearch.NoSearch {
		t.Errorf("a turn that is no deep search: %s", got)
	}
	plan()
	for _, early := range []struct {
		text string
		want deepsearch.Became
	}{{"drop 1", deepsearch.Unplanned}, {"instead of 1: who?", deepsearch.Unplanned}, {"start", deepsearch.NoSearch}, {"add:", deepsearch.Lacked}} {
		if got := say(ann, early.text); got != early.want {
			t.Errorf("%q to a search without a plan: %s", early.text, got)
		}
	}
	plan(deepsearch.SubQuestion{Text: "who?"}, deepsearch.SubQuestion{Text: "where?"})
	for _, step := range []struct {
		by   session.Stopper
		text string
		want deepsearch.Became
	}{
		{bob, "drop 1", deepsearch.Forbidden}, {session.Stopper{}, "drop 1", deepsearch.Forbidden},
		{ann, "drop 9", deepsearch.NoRow}, {ann, "drop 1, 9", deepsearch.NoRow}, {ann, "drop 0", deepsearch.NoRow}, {ann, "add:", deepsearch.Lacked}, {ann, "drop", deepsearch.Lacked}, {ann, "instead:", deepsearch.Lacked},
		{ann, "add: when?", deepsearch.Changed}, {ann, "Add: WHEN?", deepsearch.Changed}, // the second one changes nothing
		{session.Stopper{ID: "chief", Privileged: true}, "drop 2", deepsearch.Changed}, {ann, "drop 2", deepsearch.Changed},
		{ann, "instead of 3: why?", deepsearch.Changed},
	} {
		if got := say(step.by, step.text); got != step.want {
			t.Errorf("%s says %q: %s, want %s", step.by.ID, step.text, got, step.want)
		}
	}
	changes, err := deep.Changes(ctx, f, 2)
	want := deepsearch.Changes{Added: []deepsearch.SubQuestion{{Text: "when?", Added: true}, {Text: "why?", Added: true}}, Dropped: []int{2, 3}}
	if diff := cmp.Diff(want, changes); diff != "" || err != nil {
		t.Errorf("changes (-want +got):\n%s%v", diff, err)
	}
	if err := deep.Found(ctx, f, 2, deepsearch.Finding{State: deepsearch.Found, Text: "there"}); err != nil { // whoever worked on it comes too late
		t.Error(err)
	}
	if err := deep.Extend(ctx, f, 2, deepsearch.Judgment{}, nil); !errors.Is(err, deepsearch.ErrSteered) {
		t.Errorf("extended by somebody who does not know: %v", err)
	}
	if err := deep.Extend(ctx, f, 4, deepsearch.Judgment{}, []deepsearch.SubQuestion{{Text: "what for?", Round: 1}}); err != nil {
		t.Error(err)
	}
	if got := say(ann, "instead: how?"); got != deepsearch.Changed {
		t.Errorf("instead: %s", got)
	}
	r, err := deep.Record(ctx, f.Tenant, f.Turn)
	if err != nil || fmt.Sprint(r.Order) != "[2 3 1 4 5]" || r.Findings[2].State != deepsearch.Dropped || r.Questions[5] != (deepsearch.SubQuestion{Text: "how?", Round: 1, Added: true}) {
		t.Errorf("record = %+v, %v", r, err)
	}
	for i := range deepsearch.MaxAdded - 3 {
		say(ann, "add: "+strings.Repeat("more ", i+1))
	}
	if got := say(ann, "add: one more"); got != deepsearch.Full {
		t.Errorf("too many: %s", got)
	}
	for known, want := range map[int]bool{6: false, 9: true} {
		if closed, err := deep.Close(ctx, f, known); err != nil || closed != want {
			t.Errorf("closed by somebody who knows %d: %v, %v", known, closed, err)
		}
	}
	if r, err := deep.Record(ctx, f.Tenant, f.Turn); err != nil || !r.Closed {
		t.Errorf("record = %+v, %v", r, err)
	}
	if got := say(ann, "drop 1"); got != deepsearch.Over {
		t.Errorf("while the report is written: %s", got)
	}
	if err := store.Finish(ctx, f, session.Saved{Outcome: session.Answered}); err != nil {
		t.Fatal(err)
	}
	if got := say(ann, "drop 1"); got != deepsearch.Over {
		t.Errorf("after the report: %s", got)
	}
	if err := store.Delivered(context.WithoutCancel(ctx), f, ""); err != nil {
		t.Fatal(err)
	}
	running(t, store, "one again") // in another thread
	if got := say(ann, "add: where?"); got != deepsearch.Over {
		t.Errorf("after another thread's question: %s", got)
	}
}

// A report is written from what a search had found when it was stopped, by a turn of its own.
func TestFindingsAreCopied(t *testing.T) {
	t.Parallel()
	db, ctx := postgrestest.Open(t), t.Context()
	store, deep := pgsession.New(db), pgsession.NewDeepSearches(db)
	turn := running(t, store, "one")
	f := turn.Fence()
	finding := deepsearch.Finding{State: deepsearch.Found, Text: "In Dublin [1].", Shown: "In Dublin."}
	for what, err := range map[string]error{
		"plan": deep.Plan(ctx, f, deepsearch.Record{Question: "q", Audience: "k", Questions: []deepsearch.SubQuestion{{Text: "where?"}, {Text: "who?"}}}), "found": deep.Found(ctx, f, 1, finding),
		"finished": store.Finish(ctx, f, session.Saved{Outcome: session.Stopped}), "delivered": store.Delivered(ctx, f, ""),
	} {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	made, err := store.Derive(ctx, session.Derive{Tenant: f.Tenant, Of: f.Turn, As: session.Retried, Key: "press", By: "ann", Audience: turn.Audience, Findings: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := deep.Record(ctx, f.Tenant, made.Turn.ID)
	want := deepsearch.Record{
		Question: "q", Audience: "k", Closed: true, Questions: []deepsearch.SubQuestion{{Text: "where?"}, {Text: "who?"}}, Order: []int{1, 2}, Judgments: []deepsearch.Judgment{},
		Findings: map[int]deepsearch.Finding{1: finding, 2: {State: deepsearch.Failed, Shown: "The search was stopped before this was looked into."}},
	}
	if diff := cmp.Diff(want, r); diff != "" || err != nil {
		t.Errorf("record (-want +got):\n%s%v", diff, err)
	}
}
