package sessiontest

import (
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/session"
)

func removed(f *fixture) {
	first := f.answered(f.question("q"), "secret 1")
	f.derive(first.ID, session.Retried)
	second := f.answerNext("secret 2")
	key := "act:remove"
	ids, err := f.Remove(f.ctx, tenant, second.ID, key, session.Removal{By: mod, Reason: "wrong"})
	f.must(err)
	if len(ids) != 0 {
		f.Errorf("turns %v are to be stopped", ids)
	}
	ids, err = f.Remove(f.ctx, tenant, second.ID, key, session.Removal{By: ada})
	f.must(err)
	for _, t := range []session.Turn{first, second} {
		saved, err := f.Saved(f.ctx, t)
		if err != nil || len(saved.Runs) != 0 || saved.Sentence != "" || saved.Outcome != session.Answered || saved.Removed == nil ||
			saved.Removed.By != mod || saved.Removed.Reason != "wrong" || saved.Removed.At.IsZero() {
			f.Errorf("of turn %d is left %+v, %+v (%v %v)", t.Number, saved, saved.Removed, err, ids)
		}
	}
	t := f.lease("r1") // to show the removal on the platform
	pages, err := f.Pages(f.ctx, t.Fence())
	if err != nil || t.ID != second.ID || len(pages) != 1 || pages[0].State != session.Posted || pages[0].Hash != "" {
		f.Fatalf("turn %d is to be delivered with pages %+v (%v)", t.Number, pages, err)
	}
	f.must(f.Delivered(f.ctx, t.Fence(), ""))
	f.noLease("r1")
	f.equal("the history", f.texts(f.accept(f.question("next"))), []string{"q"})
	_, err = f.Derive(f.ctx, session.Derive{Tenant: tenant, Of: second.ID, As: session.Retried, Key: "k", Audience: t.Audience})
	f.wantErr(err, session.ErrRemoved)
	f.wantErr(f.Correct(f.ctx, tenant, second.ID, "c", session.Correction{Text: "x", By: mod}), session.ErrRemoved)
	_, err = f.Vote(f.ctx, session.Vote{Tenant: tenant, Turn: second.ID, Key: "v", Person: ada, Up: true})
	f.wantErr(err, session.ErrRemoved)
	_, err = f.Remove(f.ctx, tenant, "00000000-0000-7000-8000-ffffffffffff", "k2", session.Removal{By: mod})
	f.wantErr(err, session.ErrUnknownTurn)
	_, err = f.Find(f.ctx, session.Target{Tenant: tenant, Turn: "not an id"})
	f.wantErr(err, session.ErrUnknownTurn)
}

func removedEdited(f *fixture) {
	in := f.question("q")
	first := f.answered(in, "secret 1")
	// the vote stays with the old answer
	_, err := f.Vote(f.ctx, session.Vote{Tenant: tenant, Turn: first.ID, Key: "v", Person: mod})
	f.must(err)
	f.edit(in.Message, "asked in other words")
	second := f.answerNext("secret 2")
	votes, err := f.Feedback(f.ctx, session.FeedbackQuery{Tenant: tenant})
	if err != nil || len(votes) != 1 || votes[0].Turn == second.ID {
		f.Fatalf("the vote is about %+v (%v)", votes, err)
	}
	before, err := f.Turn(f.ctx, tenant, votes[0].Turn)
	f.must(err)
	_, err = f.Remove(f.ctx, tenant, second.ID, "act:remove", session.Removal{By: mod})
	f.must(err)
	for name, t := range map[string]session.Turn{"before the edit": before, "after the edit": second} {
		if saved, err := f.Saved(f.ctx, t); err != nil || len(saved.Runs) != 0 || saved.Removed == nil {
			f.Errorf("%s is left %+v (%v)", name, saved, err)
		}
	}
	if t := f.lease("r1"); t.ID != second.ID {
		f.Fatalf("turn %d is delivered; what stood there before has no messages", t.Number)
	} else {
		f.must(f.Delivered(f.ctx, t.Fence(), ""))
	}
	f.noLease("r1")
}

func removedWhileRunning(f *fixture) {
	f.accept(f.question("runs"))
	f.accept(f.question("waits"))
	run := f.lease("r1")
	waits := f.find(session.Target{Ref: place, Message: "m2"})
	ids, err := f.Remove(f.ctx, tenant, run.ID, "a", session.Removal{By: mod})
	f.must(err)
	if !slices.Equal(ids, []session.TurnID{run.ID}) {
		f.Errorf("turns %v are to be stopped", ids)
	}
	stops, err := f.Requested(f.ctx, []session.Fence{run.Fence()})
	if err != nil || len(stops) != 1 {
		f.Errorf("its stop is not recorded: %v (%v)", stops, err)
	}
	_, err = f.Remove(f.ctx, tenant, waits.ID, "b", session.Removal{By: mod})
	f.must(err)
	f.wantErr(f.Finish(f.ctx, run.Fence(), session.Saved{Outcome: session.Stopped, Sentence: "secret", Runs: []session.Run{answer("secret")}}), session.ErrRemoved)
	saved, err := f.Saved(f.ctx, run)
	if err != nil || len(saved.Runs) != 0 || saved.Removed == nil || saved.Sentence != "" {
		f.Errorf("what ran left %+v (%v)", saved, err)
	}
	f.must(f.Delivered(f.ctx, run.Fence(), ""))
	var again []session.TurnID
	for range 2 {
		t := f.lease("r1")
		again = append(again, t.ID)
		if t.State != session.Done {
			f.Errorf("turn %d is %s", t.Number, t.State)
		}
		f.must(f.Delivered(f.ctx, t.Fence(), ""))
	}
	if !slices.Contains(again, run.ID) || !slices.Contains(again, waits.ID) {
		f.Errorf("turns %v were delivered once more", again)
	}
	f.noLease("r1")
}

func corrected(f *fixture) {
	t := f.answered(f.question("q"), "A is wrong [4].")
	text := "A is right [[1]](https://example.org/a#top), see [[9]](https://example.org/x)."
	f.must(f.Correct(f.ctx, tenant, t.ID, "c1", session.Correction{Text: text, By: mod}))
	f.must(f.Correct(f.ctx, tenant, t.ID, "c1", session.Correction{Text: "late", By: mod}))
	saved, err := f.Saved(f.ctx, t)
	if err != nil || saved.Correction == nil || saved.Correction.Text != text || saved.Correction.By != mod || saved.Correction.At.IsZero() || len(saved.Runs) != 1 {
		f.Errorf("saved is %+v (%v)", saved.Correction, err)
	}
	past, err := f.Load(f.ctx, f.accept(f.question("next")), 10)
	f.must(err)
	if len(past) != 2 || past[1].Text != "A is right [4], see https://example.org/x." || past[1].Turn != 1 || len(past[1].Citations) != 1 || len(past[1].Documents) != 4 {
		f.Errorf("the history is %+v", past)
	}
	_, err = f.Derive(f.ctx, session.Derive{Tenant: tenant, Of: t.ID, As: session.Retried, Key: "k", Audience: t.Audience})
	f.wantErr(err, session.ErrCorrected)
	again := f.lease("r1")
	if again.ID != t.ID || again.State != session.Done {
		f.Fatalf("leased turn %d (%s), want the corrected one", again.Number, again.State)
	}
	// A change during a delivery is delivered afterwards.
	f.must(f.Correct(f.ctx, tenant, t.ID, "c2", session.Correction{Text: "better", By: mod}))
	f.must(f.Delivered(f.ctx, again.Fence(), ""))
	again = f.lease("r1")
	if again.ID != t.ID {
		f.Fatalf("leased turn %d, want the corrected one once more", again.Number)
	}
	f.must(f.Delivered(f.ctx, again.Fence(), ""))
	if next := f.lease("r1"); next.Question.Text != "next" {
		f.Errorf("leased turn %d, want the next question", next.Number)
	}
}

func revisedLate(f *fixture) {
	t := f.answered(f.question("q"), "A")
	f.must(f.Correct(f.ctx, tenant, t.ID, "c", session.Correction{Text: "B", By: mod}))
	_, err := f.Beat(f.ctx, "r1", 0)
	f.must(err) // all replicas were down for longer than MaxAge
	f.beat("r9")
	again, err := One(f.Lease(f.ctx, session.LeaseRequest{Replica: "r9", MaxAge: time.Nanosecond}))
	f.must(err)
	if again == nil || again.ID != t.ID || again.Abandoned {
		f.Errorf("leased %+v, want the corrected turn, which is not too old", again)
	}
}
