package sessiontest

import (
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func containsAny(text string, parts ...string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

func (f *fixture) nothingLeft(name string, id session.TurnID) {
	f.Helper()
	t, err := f.Turn(f.ctx, tenant, id)
	f.must(err)
	saved, err := f.Saved(f.ctx, t)
	f.must(err)
	if t.Question.Text != "" || len(t.Question.Files) != 0 || len(saved.Runs) != 0 || saved.Correction != nil || saved.Outcome != session.Superseded {
		f.Errorf("%s keeps the question %+v and %+v", name, t.Question, saved)
	}
}

// deliverWaiting completes all turns that wait for delivery. It fails the test if a turn still
// needs an answer.
func (f *fixture) deliverWaiting() {
	f.Helper()
	for t := f.tryLease("r1"); t != nil; t = f.tryLease("r1") {
		if t.State == session.Running {
			f.Fatalf("turn %d is to be answered", t.Number)
		}
		f.must(f.Delivered(f.ctx, t.Fence(), ""))
	}
}

func withdrawErases(f *fixture) {
	in := f.question("personal")
	in.Files = []message.File{{ID: "f1", Name: "a.txt", Text: "personal"}}
	first := f.answered(in, "A personal")
	f.edit(first.Message, "personal too")
	second := f.answerNext("B personal")
	f.derive(first.ID, session.Retried)
	third := f.answerNext("C personal")
	f.must(f.Correct(f.ctx, tenant, third.ID, "c", session.Correction{Text: "D personal", By: mod}))
	f.deliverWaiting()
	f.withdraw(first.Message)
	f.nothingLeft("what was retried", second.ID)
	saved, err := f.Saved(f.ctx, third)
	if err != nil || len(saved.Runs) != 1 || saved.Correction == nil {
		f.Errorf("what is to be marked is %+v (%v)", saved, err)
	}
	f.deliverWaiting()
	f.nothingLeft("what was marked", third.ID)
	f.noLease("r1")
}

func editErases(f *fixture) {
	in := f.question("personal")
	in.Files = []message.File{{ID: "f1", Name: "a.txt", Text: "personal"}}
	retriedTurn := f.answered(in, "A personal")
	asked := f.answered(f.question("another"), "kept")
	f.derive(retriedTurn.ID, session.Retried)
	first := f.answerNext("B personal")
	private := f.derive(first.ID, session.Privately).Turn
	f.answerNext("C, between us")
	shared := f.derive(private.ID, session.Shared, func(d *session.Derive) {
		d.Saved = session.Saved{Outcome: session.Answered, Runs: []session.Run{answer("C, between us")}}
	}).Turn
	f.deliverWaiting()
	_, err := f.Vote(f.ctx, session.Vote{Tenant: tenant, Turn: first.ID, Key: "v", Person: mod})
	f.must(err)
	noFiles := session.Edit{Tenant: tenant, Ref: place, Message: first.Message, Text: "harmless", Files: []message.File{}}
	_, err = f.Edit(f.ctx, noFiles)
	f.must(err)
	votes, err := f.Feedback(f.ctx, session.FeedbackQuery{Tenant: tenant})
	if err != nil || len(votes) != 1 || votes[0].Question != "" || votes[0].Vote.Turn == first.ID {
		f.Fatalf("the votes are %+v (%v)", votes, err)
	}
	f.nothingLeft("what was answered before", votes[0].Vote.Turn)
	old, err := f.Turn(f.ctx, tenant, retriedTurn.ID)
	f.must(err)
	saved, err := f.Saved(f.ctx, old)
	if err != nil || old.Question.Text != "" || len(old.Question.Files) != 0 || len(saved.Runs) != 0 || saved.Outcome != session.Answered {
		f.Errorf("what was tried again keeps %+v and %+v (%v)", old.Question, saved, err)
	}
	again := f.answerNext("D")
	if again.ID != first.ID || again.Question.Text != "harmless" || len(again.Question.Files) != 0 {
		f.Errorf("answered again is %+v", again.Question)
	}
	for name, id := range map[string]session.TurnID{"another question": asked.ID, "the private answer": private.ID, "the shared copy": shared.ID} {
		t, err := f.Turn(f.ctx, tenant, id)
		f.must(err)
		saved, err := f.Saved(f.ctx, t)
		if err != nil || len(saved.Runs) != 1 || t.Question.Text == "" {
			f.Errorf("of %s is left %+v and %+v (%v)", name, t.Question, saved, err)
		}
	}

	running := f.accept(f.question("personal"))
	t := f.lease("r1")
	f.edit(running.Message, "harmless")
	f.wantErr(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Stopped, Runs: []session.Run{answer("E personal")}}), session.ErrEdited)
	entries := f.trail(session.AuditQuery{})
	f.nothingLeft("the attempt that the edit ended", entries[len(entries)-1].Turn)
	f.answerNext("F")
}

func editReworded(f *fixture) {
	for name, hold := range map[string]func(session.Turn){
		"removed": func(t session.Turn) {
			_, err := f.Remove(f.ctx, tenant, t.ID, "remove", session.Removal{By: mod})
			f.must(err)
		},
		"corrected": func(t session.Turn) {
			f.must(f.Correct(f.ctx, tenant, t.ID, "correct", session.Correction{Text: "C", By: mod}))
		},
	} {
		t := f.answered(f.question("personal"), "A")
		hold(t)
		f.deliverWaiting()
		if changed := f.edit(t.Message, "harmless"); !changed.Same || changed.Turn != t.ID {
			f.Errorf("%s: the edit of its question is %+v", name, changed)
		}
		f.noLease("r1")
		if now, err := f.Turn(f.ctx, tenant, t.ID); err != nil || now.Question.Text != "harmless" {
			f.Errorf("%s: its question reads %q (%v)", name, now.Question.Text, err)
		}
	}
	waits := f.accept(f.question("personal"))
	stop := func() {
		_, err := f.Request(f.ctx, session.StopRequest{Tenant: tenant, Ref: place, Message: waits.Message, By: session.Stopper{ID: "U1"}})
		f.must(err)
	}
	stop()
	if changed := f.edit(waits.Message, "harmless"); !changed.Same {
		f.Errorf("stopped before it was begun: the edit is %+v", changed)
	}
	t := f.lease("r1")
	f.edit(waits.Message, "harmless too")
	f.finish(t, session.Stopped)
	f.noLease("r1")
	if now, err := f.Turn(f.ctx, tenant, t.ID); err != nil || t.Question.Text != "harmless" || now.Question.Text != "harmless too" {
		f.Errorf("stopped: its question reads %q, then %q (%v)", t.Question.Text, now.Question.Text, err)
	}
}

func withdrawDerived(f *fixture) {
	public := f.answered(f.question("personal"), "A personal")
	private := f.derive(public.ID, session.Privately).Turn
	f.answerNext("B personal")
	shared := f.derive(private.ID, session.Shared, func(d *session.Derive) {
		d.Saved = session.Saved{Outcome: session.Answered, Runs: []session.Run{answer("> personal")}}
	}).Turn
	f.deliverWaiting()
	other := f.answered(f.question("another"), "kept")
	f.withdraw(public.Message)
	f.deliverWaiting()
	for name, id := range map[string]session.TurnID{"the answer": public.ID, "the private answer": private.ID, "the copy": shared.ID} {
		f.nothingLeft(name, id)
	}
	kept, err := f.Saved(f.ctx, other)
	if err != nil || len(kept.Runs) != 1 {
		f.Errorf("another answer is %+v (%v)", kept, err)
	}

	asked := f.accept(f.question("asked privately too"))
	f.complete(f.lease("r1"), "A")
	f.derive(asked.ID, session.Privately)
	running := f.lease("r1")
	f.withdraw(asked.Message)
	stops, err := f.Requested(f.ctx, []session.Fence{running.Fence()})
	if err != nil || len(stops) != 1 {
		f.Errorf("the private turn that runs is to stop: %v (%v)", stops, err)
	}
	f.wantErr(f.Finish(f.ctx, running.Fence(), session.Saved{Outcome: session.Answered, Runs: []session.Run{answer("B")}}), session.ErrWithdrawn)
	f.must(f.Finish(f.ctx, running.Fence(), session.Saved{Outcome: session.Superseded, Sentence: "gone", Runs: []session.Run{answer("B")}}))
	f.deliverWaiting()
	f.nothingLeft("the private turn that ran", running.ID)
}

func (f *fixture) erase(id thread.MessageID) (erased bool, running []session.TurnID) {
	f.Helper()
	erased, running, err := f.Erase(f.ctx, tenant, place, id)
	f.must(err)
	return erased, running
}

func erased(f *fixture) {
	first := f.answered(f.question("q"), "secret 1")
	f.derive(first.ID, session.Retried)
	t := f.lease("r1")
	page := f.find(session.Target{Turn: t.ID})
	if gone, _ := f.erase(first.Message); gone {
		f.Error("a question was taken for a page")
	}
	pages, err := f.Pages(f.ctx, t.Fence())
	f.must(err)
	id := pages[0].Message
	second := session.PageKey{Kind: session.Answer, Number: 1}
	f.must(f.Intend(f.ctx, t.Fence(), second, place))
	f.must(f.Posted(f.ctx, t.Fence(), second, "p2", "h"))
	if gone, _ := f.erase("p2"); gone {
		f.Error("a page that a worker may take back was erased")
	}
	f.must(f.Drop(f.ctx, t.Fence(), second))
	f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered, Runs: []session.Run{answer("secret 2")}}))
	f.must(f.Final(f.ctx, t.Fence(), firstPage, "h"))
	f.must(f.Delivered(f.ctx, t.Fence(), ""))
	for i, want := range []bool{true, false} {
		if gone, running := f.erase(id); gone != want || len(running) > 0 {
			f.Errorf("try %d erased: %v (%v)", i+1, gone, running)
		}
	}
	for _, turn := range []session.Turn{first, page.Turn} {
		saved, err := f.Saved(f.ctx, turn)
		if err != nil || len(saved.Runs) != 0 || saved.Removed == nil || saved.Outcome != session.Answered {
			f.Errorf("of turn %d is left %+v (%v)", turn.Number, saved, err)
		}
	}
	f.noLease("r1") // the message was deleted, and no other is posted
	f.equal("the history", f.texts(f.accept(f.question("next"))), []string{"q"})
	if gone, _ := f.erase("unknown"); gone {
		f.Error("an unknown message was erased")
	}
}

func erasedWhileItIsWritten(f *fixture) {
	f.accept(f.question("q"))
	t := f.lease("r1")
	f.must(f.Intend(f.ctx, t.Fence(), firstPage, place))
	f.must(f.Posted(f.ctx, t.Fence(), firstPage, "p1", "h"))
	gone, running := f.erase("p1")
	if want := []session.TurnID{t.ID}; !gone || !slices.Equal(running, want) {
		f.Errorf("erased: %v, to be stopped: %v, want %v", gone, running, want)
	}
	f.removedAsItRuns(t, "p1")
}

func erasedBeforeItIsRecorded(f *fixture) {
	f.accept(f.question("q"))
	t := f.lease("r1")
	f.must(f.Intend(f.ctx, t.Fence(), firstPage, place))
	if gone, _ := f.erase("p1"); gone {
		f.Error("a message that is not known was erased")
	}
	second := session.PageKey{Kind: session.Answer, Number: 1}
	f.must(f.Intend(f.ctx, t.Fence(), second, place))
	f.erase("p2")
	f.must(f.Posted(f.ctx, t.Fence(), second, "p2", "h"))
	if stops, err := f.Requested(f.ctx, []session.Fence{t.Fence()}); err != nil || len(stops) > 0 {
		f.Errorf("a page that a worker may take back stops the turn: %v (%v)", stops, err)
	}
	f.must(f.Posted(f.ctx, t.Fence(), firstPage, "p1", "h"))
	f.removedAsItRuns(t, "p1")
}

func (f *fixture) removedAsItRuns(t session.Turn, page thread.MessageID) {
	f.Helper()
	if again, _ := f.erase(page); again {
		f.Error("it was erased twice")
	}
	stops, err := f.Requested(f.ctx, []session.Fence{t.Fence()})
	if err != nil || len(stops) != 1 {
		f.Errorf("the turn is to stop: %v (%v)", stops, err)
	}
	f.wantErr(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Stopped, Runs: []session.Run{answer("secret")}}), session.ErrRemoved)
	if saved, err := f.Saved(f.ctx, t); err != nil || len(saved.Runs) != 0 || saved.Removed == nil {
		f.Errorf("what ran left %+v (%v)", saved, err)
	}
}

func (f *fixture) pruneAll(r session.Retention) session.Pruned {
	f.Helper()
	var sum session.Pruned
	for more := true; more; {
		var gone session.Pruned
		var err error
		gone, more, err = f.Prune(f.ctx, tenant, r, session.Actor{Platform: session.Host, ID: "root"})
		f.must(err)
		sum = sum.Add(gone)
	}
	return sum
}

var expireAtOnce = session.Retention{Sessions: time.Microsecond, Audit: time.Microsecond}

func prune(f *fixture) {
	in := f.question("q")
	in.Files = []message.File{{ID: "f1", Name: "a.txt", Text: "words"}}
	t := f.answered(in, "A")
	f.answered(f.question("q2"), "B")
	private := f.question("private")
	private.Owner = "U1"
	f.answered(private, "C")
	elsewhere := f.question("elsewhere")
	elsewhere.Ref.Thread = "200.2"
	f.answered(elsewhere, "D")
	f.equal("kept for good", f.pruneAll(session.Retention{}), session.Pruned{})
	f.equal("young", f.pruneAll(session.Retention{Sessions: time.Hour, Audit: time.Hour}), session.Pruned{})
	f.equal("old", f.pruneAll(expireAtOnce), session.Pruned{Sessions: 3, Turns: 4, Files: 1, Threads: 2})
	_, err := f.Turn(f.ctx, tenant, t.ID)
	f.wantErr(err, session.ErrUnknownTurn)
	_, err = f.TurnOf(f.ctx, tenant, place, t.Message)
	f.wantErr(err, session.ErrUnknownTurn)
	f.equal("what is known of the thread", f.known(), session.Thread{})
	again, err := f.Accept(f.ctx, in) // a late delivery of the event
	f.must(err)
	if !again.Duplicate {
		f.Error("what was removed was taken in again")
	}
	f.equal("removed twice", f.pruneAll(expireAtOnce), session.Pruned{})
	entries := f.trail(session.AuditQuery{})
	last := entries[len(entries)-1]
	if len(entries) != 5 || last.Deed != session.RetentionApplied || last.Who.ID != "root" || last.Details["sessions"] != "3" || last.Details["turns"] != "4" {
		f.Errorf("the trail keeps its young entries, and ends with %+v", last)
	}
	f.answered(f.question("a new session"), "E")
}

func pruneBusy(f *fixture) {
	running := f.question("runs")
	running.Ref.Thread = "1"
	f.accept(running)
	r := f.lease("r1")
	waiting := f.question("waits")
	waiting.Ref.Thread, waiting.After = "2", time.Hour
	f.accept(waiting)
	delivering := f.question("is delivered")
	delivering.Ref.Thread = "3"
	f.accept(delivering)
	d := f.lease("r1")
	f.must(f.Finish(f.ctx, d.Fence(), session.Saved{Outcome: session.Answered}))
	corrected := f.question("is to be corrected")
	corrected.Ref.Thread = "4"
	c := f.answered(corrected, "A")
	f.must(f.Correct(f.ctx, tenant, c.ID, "c", session.Correction{Text: "B", By: mod}))
	f.equal("nothing can go", f.pruneAll(expireAtOnce), session.Pruned{})
	f.finish(r, session.Answered)
	f.must(f.Delivered(f.ctx, d.Fence(), ""))
	f.deliverWaiting()
	f.equal("all but what waits", f.pruneAll(expireAtOnce), session.Pruned{Sessions: 3, Turns: 3, Threads: 3})
}

func pruneDry(f *fixture) {
	f.answered(f.question("q"), "A")
	want := session.Pruned{Sessions: 1, Turns: 1, Threads: 1}
	for range 2 {
		got, err := f.Prunable(f.ctx, tenant, expireAtOnce)
		f.must(err)
		f.equal("would go", got, want)
	}
	f.equal("goes", f.pruneAll(expireAtOnce), want)
	tenants, err := f.Tenants(f.ctx)
	f.must(err)
	f.equal("tenants", tenants, []access.TenantID{tenant})
}
