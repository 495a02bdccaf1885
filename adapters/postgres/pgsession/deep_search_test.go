package pgsession_test

import (
	"errors"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/google/go-cmp/cmp"
)

// running stores a question and leases its turn.
func running(t *testing.T, s *pgsession.Store, event string) session.Turn {
	t.Helper()
	ctx := t.Context()
	if _, err := s.Beat(ctx, "one", time.Minute); err != nil {
		t.Fatal(err)
	}
	ref := thread.Ref{Platform: "console", Workspace: "w", Channel: "c", Thread: event}
	in := session.Intake{
		Tenant: access.DefaultTenant, Ref: ref, EventKey: event, Message: thread.MessageID(event), Asker: thread.Person{ID: "ann"}, Text: "who and where?",
		Audience: access.NewAudience(access.DefaultTenant),
	}
	accepted, err := s.Accept(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	leased, err := s.Lease(ctx, session.LeaseRequest{Replica: "one", MaxAge: time.Hour, Most: 8})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range leased {
		if one.ID == accepted.Turn.ID {
			return one
		}
	}
	t.Fatalf("turn %s is not among %d", accepted.Turn.ID, len(leased))
	return session.Turn{}
}

func TestDeepSearchesBelongToTurns(t *testing.T) {
	t.Parallel()
	db, ctx := postgrestest.Open(t), t.Context()
	store, deep := pgsession.New(db), pgsession.NewDeepSearches(db)
	turn := running(t, store, "one")
	f := turn.Fence()
	record := func() deepsearch.Record {
		t.Helper()
		r, err := deep.Record(ctx, f.Tenant, f.Turn)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := record(); r.Planned() {
		t.Errorf("record = %+v", r)
	}
	plan := deepsearch.Record{Question: "who\x00 and where?", Audience: "k", Questions: []deepsearch.SubQuestion{{Text: "who?"}, {Text: "where?\x00", After: 1}}}
	if err := deep.Plan(ctx, f, plan); err != nil {
		t.Fatal(err)
	}
	chunk := document.ChunkID(7)
	finding := deepsearch.Finding{
		State: deepsearch.Found, Text: "In \x00 Dublin [2].", Shown: "In Dublin [[1]](https://docs.example/a).",
		Citations:  []message.Citation{{Number: 1, ModelSees: 2, Document: document.Ref{ID: "a", Title: "A", URL: "https://docs.example/a"}, Link: "https://docs.example/a"}},
		References: []message.Reference{{Number: 2, Document: document.Ref{ID: "a", UpdatedAt: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}, Chunk: &chunk, Text: "Dublin"}},
		Usage:      llm.Usage{Input: 3, Output: 4}, Took: time.Second,
	}
	judged := deepsearch.Judgment{Answer: "half", Missing: []string{"when"}}
	for what, err := range map[string]error{
		"found": deep.Found(ctx, f, 2, finding), "extend": deep.Extend(ctx, f, 2, judged, []deepsearch.SubQuestion{{Text: "when?", Round: 1, Again: 1}}),
		"no such": notErased(deep.Found(ctx, f, 9, finding)),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := deep.Found(ctx, f, 1, deepsearch.Finding{State: deepsearch.Missing}); err != nil {
		t.Error(err)
	}
	want := deepsearch.Record{
		Question: "who\uFFFD and where?", Audience: "k", Questions: []deepsearch.SubQuestion{{Text: "who?"}, {Text: "where?\uFFFD", After: 1}, {Text: "when?", Round: 1, Again: 1}},
		Findings: map[int]deepsearch.Finding{2: finding, 1: {State: deepsearch.Missing}}, Order: []int{2, 1}, Judgments: []deepsearch.Judgment{judged},
	}
	if diff := cmp.Diff(want, record()); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	saved, err := store.Saved(ctx, turn)
	if err != nil || len(saved.Plan) != 3 || saved.Plan[0].Number != 2 || saved.Plan[0].Shown != finding.Shown || len(saved.Plan[0].Citations) != 1 || saved.Plan[2].State != "" {
		t.Errorf("plan = %+v, %v", saved.Plan, err)
	}

	if err := deep.Forget(ctx, f, "gone"); err != nil {
		t.Fatal(err)
	}
	if r := record(); r.Questions[0].Text != "who?" || r.Questions[2].Text != "gone" || len(r.Judgments) != 1 || r.Judgments[0].Answer != "" {
		t.Errorf("record = %+v", r)
	}

	// Whoever held the turn before writes nothing any more.
	stale := f
	stale.Attempt--
	for what, err := range map[string]error{
		"plan": deep.Plan(ctx, stale, plan), "found": deep.Found(ctx, stale, 1, finding), "extend": deep.Extend(ctx, stale, 3, judged, nil),
		"forget": deep.Forget(ctx, stale, "gone"),
	} {
		if !errors.Is(err, session.ErrFenced) {
			t.Errorf("%s of an earlier attempt: %v", what, err)
		}
	}
	// Another plan takes the place of the first, with all that was found by it.
	if err := deep.Plan(ctx, f, deepsearch.Record{Question: "else", Direct: true}); err != nil {
		t.Fatal(err)
	}
	if r := record(); !r.Direct || len(r.Questions) != 0 || len(r.Judgments) != 0 {
		t.Errorf("record = %+v", r)
	}
}

func notErased(err error) error {
	if err == nil {
		return errors.New("a finding of no sub-question was kept")
	}
	return nil
}

// What was found goes with a question that is deleted or edited, and with an answer that is
// removed.
func TestDeepSearchesAreErased(t *testing.T) {
	t.Parallel()
	db, ctx := postgrestest.Open(t), t.Context()
	store, deep := pgsession.New(db), pgsession.NewDeepSearches(db)
	for name, erase := range map[string]func(session.Turn) error{
		"question deleted": func(turn session.Turn) error {
			_, err := store.Withdraw(ctx, turn.Session.Tenant, turn.Session.Ref, turn.Message, "")
			return err
		},
		"question edited": func(turn session.Turn) error {
			if err := store.Finish(ctx, turn.Fence(), session.Saved{Outcome: session.Answered}); err != nil {
				return err
			}
			if err := store.Delivered(ctx, turn.Fence(), ""); err != nil {
				return err
			}
			_, err := store.Edit(ctx, session.Edit{Tenant: turn.Session.Tenant, Ref: turn.Session.Ref, Message: turn.Message, Text: "another question"})
			return err
		},
		"answer removed": func(turn session.Turn) error {
			_, err := store.Remove(ctx, turn.Session.Tenant, turn.ID, "press "+string(turn.ID), session.Removal{By: thread.Person{ID: "mod"}})
			return err
		},
	} {
		turn := running(t, store, name)
		if err := deep.Plan(ctx, turn.Fence(), deepsearch.Record{Question: "q", Questions: []deepsearch.SubQuestion{{Text: "a?"}}}); err != nil {
			t.Fatal(err)
		}
		if err := erase(turn); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if r, err := deep.Record(ctx, turn.Session.Tenant, turn.ID); err != nil || r.Planned() {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
		if err := deep.Found(ctx, turn.Fence(), 1, deepsearch.Finding{State: deepsearch.Missing}); err == nil {
			t.Errorf("%s: a finding was kept after it", name)
		}
	}
}
