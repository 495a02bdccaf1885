package sessiontest

import (
	"time"

	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func (f *fixture) edit(id thread.MessageID, text string) session.Changed {
	f.Helper()
	changed, err := f.Edit(f.ctx, session.Edit{Tenant: tenant, Ref: place, Message: id, Text: text})
	f.must(err)
	return changed
}

func (f *fixture) withdraw(id thread.MessageID) session.Changed {
	f.Helper()
	changed, err := f.Withdraw(f.ctx, tenant, place, id, "The question was deleted.")
	f.must(err)
	return changed
}

func (f *fixture) complete(t session.Turn, text string) {
	f.Helper()
	key := session.PageKey{Kind: session.Answer}
	f.must(f.Intend(f.ctx, t.Fence(), key, place))
	f.must(f.Posted(f.ctx, t.Fence(), key, "page", "h1"))
	f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered, Runs: []session.Run{{
		Model: "m", Messages: []message.Message{{Role: message.Assistant, Text: text}}, Shown: text, Ending: session.Ending{Outcome: session.Answered},
	}}}))
	f.must(f.Final(f.ctx, t.Fence(), key, "h2"))
	f.must(f.Delivered(f.ctx, t.Fence(), ""))
}

func editWaiting(f *fixture) {
	in := f.question("first")
	in.Files = []message.File{{ID: "f1", Name: "a.txt", Text: "words"}}
	t := f.accept(in)
	if changed := f.edit(t.Message, "second"); changed != (session.Changed{Turn: t.ID, Asker: "U1"}) {
		f.Errorf("edit of a waiting question: %+v", changed)
	}
	if changed := f.edit(t.Message, "second"); !changed.Same {
		f.Errorf("an edit that changes nothing: %+v", changed)
	}
	if changed := f.edit("unknown", "second"); changed != (session.Changed{}) {
		f.Errorf("edit of a message that is no question: %+v", changed)
	}
	got := f.lease("r1")
	if got.ID != t.ID || got.Question.Text != "second" || len(got.Question.Files) != 1 || got.StopRequested {
		f.Errorf("leased %+v", got)
	}
	changed, err := f.Edit(f.ctx, session.Edit{Tenant: tenant, Ref: place, Message: t.Message, Text: "second", Files: []message.File{}})
	f.must(err)
	if changed.Same || !changed.Stop {
		f.Errorf("an edit that takes the files away: %+v", changed)
	}
}

func editLimited(f *fixture) {
	first := f.accept(f.question("first"))
	f.complete(f.lease("r1"), "old answer")
	edit := session.Edit{Tenant: tenant, Ref: place, Message: first.Message, Text: "second", Quotas: []session.Quota{{Counter: "c", Limit: 1, Window: time.Hour}}}
	if changed, err := f.Edit(f.ctx, edit); err != nil || !changed.LimitedUntil.IsZero() {
		f.Fatalf("the first edit: %+v, %v", changed, err)
	}
	f.complete(f.lease("r1"), "new answer")
	edit.Text = "third"
	changed, err := f.Edit(f.ctx, edit)
	f.must(err)
	if changed.Turn != first.ID || changed.Same || time.Until(changed.LimitedUntil) <= 0 {
		f.Errorf("the second edit: %+v", changed)
	}
	f.noLease("r1")
	if t, err := f.Turn(f.ctx, tenant, first.ID); err != nil || t.Question.Text != "second" {
		f.Errorf("turn %+v, %v", t, err)
	}
}

func editRunning(f *fixture) {
	first := f.accept(f.question("first"))
	f.accept(f.question("another"))
	t := f.lease("r1")
	key := session.PageKey{Kind: session.Answer}
	f.must(f.Intend(f.ctx, t.Fence(), key, place))
	f.must(f.Posted(f.ctx, t.Fence(), key, "page", "h1"))
	if changed := f.edit(first.Message, "second"); !changed.Stop || changed.Turn != t.ID {
		f.Errorf("edit of a running question: %+v", changed)
	}
	ids, err := f.Requested(f.ctx, []session.Fence{t.Fence()})
	f.must(err)
	f.equal("turns to stop", ids, []session.TurnID{t.ID})
	f.edit(first.Message, "third") // the newest edit counts
	f.wantErr(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Stopped, Runs: []session.Run{{
		Model: "m", Messages: []message.Message{{Role: message.Assistant, Text: "half"}}, Ending: session.Ending{Outcome: session.Stopped}}}}),
		session.ErrEdited)
	f.wantErr(f.Delivered(f.ctx, t.Fence(), ""), session.ErrFenced)

	other := f.lease("r1")
	if other.Question.Text != "another" {
		f.Fatalf("leased %q; the edited question is the session's newest", other.Question.Text)
	}
	f.finish(other, session.Answered)
	again := f.lease("r1")
	if again.ID != t.ID || again.Question.Text != "third" || again.StopRequested || again.Number != 3 {
		f.Errorf("leased again %+v", again)
	}
	pages, err := f.Pages(f.ctx, again.Fence())
	f.must(err)
	if len(pages) != 1 || pages[0].Message != "page" || pages[0].Hash != "" || pages[0].State != session.Posted {
		f.Errorf("pages to be edited: %+v", pages)
	}
	history, err := f.Load(f.ctx, again, 10)
	f.must(err)
	for _, m := range history {
		if m.Text == "half" || m.Text == "first" {
			f.Errorf("the history holds what was superseded: %q", m.Text)
		}
	}
	f.finish(again, session.Answered)
	f.noLease("r1")
}

func editAnswered(f *fixture) {
	first := f.accept(f.question("first"))
	f.complete(f.lease("r1"), "old answer")
	if changed := f.edit(first.Message, "second"); changed.Stop || changed.Turn != first.ID {
		f.Errorf("edit of an answered question: %+v", changed)
	}
	t := f.lease("r1")
	if t.ID != first.ID || t.Question.Text != "second" || t.Outcome != "" || t.Message != first.Message {
		f.Errorf("leased %+v", t)
	}
	f.complete(t, "new answer")
	follow := f.accept(f.question("more"))
	history, err := f.Load(f.ctx, follow, 10)
	f.must(err)
	var texts []string
	for _, m := range history {
		texts = append(texts, m.Text)
	}
	f.equal("history", texts, []string{"second", "new answer"})
	saved, err := f.Saved(f.ctx, t)
	f.must(err)
	if len(saved.Runs) != 1 || saved.Runs[0].Shown != "new answer" {
		f.Errorf("saved %+v", saved)
	}
}

func editDelivering(f *fixture) {
	first := f.accept(f.question("first"))
	t := f.lease("r1")
	f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered}))
	if changed := f.edit(first.Message, "second"); !changed.Stop {
		f.Errorf("edit while the answer is delivered: %+v", changed)
	}
	f.noLease("r1")
	f.must(f.Delivered(f.ctx, t.Fence(), ""))
	if again := f.lease("r1"); again.ID != t.ID || again.Question.Text != "second" || again.State != session.Running {
		f.Errorf("leased %+v", again)
	}
}

func editStopped(f *fixture) {
	first := f.accept(f.question("first"))
	t := f.lease("r1")
	f.edit(first.Message, "second")
	_, err := f.Request(f.ctx, session.StopRequest{Tenant: tenant, Ref: place, Message: first.Message, By: session.Stopper{ID: "U1"}})
	f.must(err)
	f.finish(t, session.Stopped)
	f.noLease("r1")
	if stopped, err := f.Turn(f.ctx, tenant, t.ID); err != nil || stopped.Question.Text != "second" || stopped.Outcome != session.Stopped {
		f.Errorf("the stopped turn is %+v (%v)", stopped, err)
	}
	if changed := f.edit(first.Message, "third"); changed.Same {
		f.Errorf("an edit after the stop has happened: %+v", changed)
	}
	if again := f.lease("r1"); again.Question.Text != "third" {
		f.Errorf("leased %q", again.Question.Text)
	}
}

func editBornLimited(f *fixture) {
	quotas := []session.Quota{{Counter: "c", Limit: 1, Window: 24 * time.Hour}}
	ask := func(text string) session.Turn {
		in := f.question(text)
		in.Quotas = quotas
		return f.accept(in)
	}
	ask("room")
	f.finish(f.lease("r1"), session.Answered)
	for _, state := range []session.State{session.Queued, session.Running, session.Done} {
		t := ask("no room")
		if t.LimitedUntil.IsZero() {
			f.Fatal("there was room")
		}
		if state != session.Queued {
			t = f.lease("r1")
		}
		if state == session.Done {
			f.finish(t, session.Limited)
		}
		f.edit(t.Message, "asked again")
		if state == session.Running {
			f.wantErr(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Limited}), session.ErrEdited)
		}
		again := f.lease("r1")
		if again.ID != t.ID || !again.LimitedUntil.IsZero() || again.Question.Text != "asked again" {
			f.Errorf("edited when %s it is leased as %+v", state, again)
		}
		f.finish(again, session.Answered)
	}
}

func withdrawRetried(f *fixture) {
	first := f.accept(f.question("personal"))
	f.complete(f.lease("r1"), "A")
	// the vote stays with the old answer
	_, err := f.Vote(f.ctx, session.Vote{Tenant: tenant, Turn: first.ID, Key: "v", Person: mod})
	f.must(err)
	f.edit(first.Message, "personal too")
	f.complete(f.lease("r1"), "B")
	f.derive(first.ID, session.Retried)
	f.complete(f.lease("r1"), "C")
	f.withdraw(first.Message)
	votes, err := f.Feedback(f.ctx, session.FeedbackQuery{Tenant: tenant})
	f.must(err)
	if r := f.find(session.Target{Turn: first.ID}); len(votes) != 1 || votes[0].Question != "" || r.Question.Text != "" {
		f.Errorf("what is left is %+v and %q", votes, r.Question.Text)
	}
	old, err := f.Turn(f.ctx, tenant, first.ID)
	if err != nil || old.Question.Text != "" {
		f.Errorf("the turn that was retried keeps %q (%v)", old.Question.Text, err)
	}
	newest := f.find(session.Target{Turn: first.ID}).ID
	for _, as := range []session.Derivation{session.Retried, session.Privately} {
		_, err := f.Derive(f.ctx, session.Derive{Tenant: tenant, Of: newest, As: as, Key: "late " + string(as), Audience: old.Audience})
		f.wantErr(err, session.ErrUnknownTurn)
	}
}

func withdrawWaiting(f *fixture) {
	first := f.accept(f.question("first"))
	if changed := f.withdraw(first.Message); changed.Turn != first.ID || changed.Stop {
		f.Errorf("withdrawn: %+v", changed)
	}
	if changed := f.withdraw(first.Message); !changed.Same {
		f.Errorf("withdrawn twice: %+v", changed)
	}
	if changed := f.edit(first.Message, "second"); !changed.Same {
		f.Errorf("edited after it was withdrawn: %+v", changed)
	}
	f.noLease("r1")
	t, err := f.Turn(f.ctx, tenant, first.ID)
	f.must(err)
	if t.Outcome != session.Superseded || t.Question.Text != "" {
		f.Errorf("turn %+v", t)
	}
	if changed := f.withdraw("unknown"); changed != (session.Changed{}) {
		f.Errorf("a message that is no question: %+v", changed)
	}
}

func withdrawRunning(f *fixture) {
	first := f.accept(f.question("first"))
	t := f.lease("r1")
	if changed := f.withdraw(first.Message); !changed.Stop {
		f.Errorf("withdrawn: %+v", changed)
	}
	ids, err := f.Requested(f.ctx, []session.Fence{t.Fence()})
	f.must(err)
	f.equal("turns to stop", ids, []session.TurnID{t.ID})
	f.wantErr(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Stopped}), session.ErrWithdrawn)
	f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Superseded, Sentence: "gone"}))
	f.noLease("r1") // nothing was posted
	next := f.accept(f.question("next"))
	history, err := f.Load(f.ctx, next, 10)
	f.must(err)
	f.equal("history", len(history), 0)
}

func withdrawAnswered(f *fixture) {
	first := f.accept(f.question("first"))
	f.complete(f.lease("r1"), "an answer")
	f.withdraw(first.Message)
	t := f.lease("r1") // to mark the posted page
	if t.ID != first.ID || t.State != session.Done || t.Outcome != session.Superseded {
		f.Fatalf("leased %+v", t)
	}
	saved, err := f.Saved(f.ctx, t)
	f.must(err)
	if saved.Sentence != "The question was deleted." || saved.Outcome != session.Superseded || len(saved.Runs) != 1 {
		f.Errorf("saved %+v", saved)
	}
	pages, err := f.Pages(f.ctx, t.Fence())
	f.must(err)
	if len(pages) != 1 || pages[0].Hash != "" {
		f.Errorf("pages %+v", pages)
	}
	f.must(f.Delivered(f.ctx, t.Fence(), ""))
	f.noLease("r1")
}

func withdrawDelivering(f *fixture) {
	first := f.accept(f.question("first"))
	t := f.lease("r1")
	f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered}))
	f.withdraw(first.Message)
	f.must(f.Delivered(f.ctx, t.Fence(), ""))
	if again := f.lease("r1"); again.ID != t.ID || again.Outcome != session.Superseded {
		f.Errorf("leased %+v", again)
	}
}
