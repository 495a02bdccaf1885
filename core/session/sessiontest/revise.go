package sessiontest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

var (
	firstPage = session.PageKey{Kind: session.Answer}
	ada       = thread.Person{ID: "U1", Name: "Ada"}
	mod       = thread.Person{ID: "U8", Name: "Mo"}
)

func (f *fixture) answered(in session.Intake, text string) session.Turn {
	f.Helper()
	f.accept(in)
	return f.answerNext(text)
}

func (f *fixture) answerNext(text string) session.Turn {
	f.Helper()
	t := f.lease("r1")
	pages, err := f.Pages(f.ctx, t.Fence())
	f.must(err)
	if len(pages) == 0 {
		f.must(f.Intend(f.ctx, t.Fence(), firstPage, t.Session.Ref))
		f.must(f.Posted(f.ctx, t.Fence(), firstPage, thread.MessageID(fmt.Sprint("p-", t.ID)), "h"))
	}
	f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered, Sentence: "Said.", Runs: []session.Run{answer(text)}}))
	f.must(f.Final(f.ctx, t.Fence(), firstPage, "h"))
	f.must(f.Delivered(f.ctx, t.Fence(), ""))
	return t
}

func (f *fixture) find(t session.Target) session.Record {
	f.Helper()
	t.Tenant = tenant
	r, err := f.Find(f.ctx, t)
	f.must(err)
	return r
}

func (f *fixture) derive(of session.TurnID, as session.Derivation, change ...func(*session.Derive)) session.Accepted {
	f.Helper()
	d := session.Derive{Tenant: tenant, Of: of, As: as, Key: fmt.Sprint("act:", of, as), Audience: access.NewAudience(tenant, access.Members)}
	for _, c := range change {
		c(&d)
	}
	got, err := f.Derive(f.ctx, d)
	f.must(err)
	return got
}

func (f *fixture) texts(before session.Turn) []string {
	f.Helper()
	past, err := f.Load(f.ctx, before, 50)
	f.must(err)
	out := []string{}
	for _, m := range past {
		if m.Text != "" && m.Role != "tool_result" {
			out = append(out, m.Text)
		}
	}
	return out
}

func retried(f *fixture) {
	f.answered(f.question("before"), "A before")
	in := f.question("q")
	in.Reply = &session.ReplyToken{Sealed: []byte("old"), Expires: time.Unix(4_000_000_000, 0).UTC()}
	old := f.answered(in, "A old")
	f.answered(f.question("after"), "A after")
	page := thread.MessageID(fmt.Sprint("p-", old.ID))

	got := f.derive(old.ID, session.Retried, func(d *session.Derive) {
		d.Reply = &session.ReplyToken{Sealed: []byte("new"), Expires: time.Unix(4_100_000_000, 0).UTC()}
	})
	if got.Duplicate || got.Turn.Number != 4 || got.Turn.Session.ID != old.Session.ID || got.Turn.Question.Text != "q" ||
		got.Turn.Origin != (session.Origin{Turn: old.ID, As: session.Retried}) || string(got.Turn.Reply.Sealed) != "new" || got.Turn.Message != old.Message {
		f.Errorf("the second try is %+v", got)
	}
	for name, target := range map[string]session.Target{
		"the old turn": {Turn: old.ID}, "the new turn": {Turn: got.Turn.ID},
		"the page": {Ref: place, Message: page}, "the question": {Ref: place, Message: old.Message},
	} {
		if r := f.find(target); r.ID != got.Turn.ID || r.Starter != "U2" {
			f.Errorf("%s leads to turn %d", name, r.Number)
		}
	}
	again := f.derive(old.ID, session.Retried, func(d *session.Derive) { d.Key = "another press" })
	if !again.Duplicate || again.Turn.ID != got.Turn.ID {
		f.Errorf("a second press made %+v", again)
	}
	t := f.lease("r1")
	pages, err := f.Pages(f.ctx, t.Fence())
	f.must(err)
	if t.ID != got.Turn.ID || len(pages) != 1 || pages[0].Message != page || pages[0].State != session.Posted || pages[0].Hash != "" {
		f.Fatalf("turn %d was leased with pages %+v", t.Number, pages)
	}
	f.equal("the history of the second try", f.texts(t), []string{"before", "A before"})
	_, err = f.Derive(f.ctx, session.Derive{Tenant: tenant, Of: t.ID, As: session.Retried, Key: "too early", Audience: t.Audience})
	f.wantErr(err, session.ErrUnfinished)
	f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered, Runs: []session.Run{answer("A new")}}))
	f.must(f.Delivered(f.ctx, t.Fence(), ""))
	next := f.accept(f.question("last"))
	f.equal("the history afterwards", f.texts(next), []string{"before", "A before", "q", "A new", "after", "A after"})
	kept, err := f.Saved(f.ctx, old)
	if err != nil || kept.Outcome != session.Answered || len(kept.Runs) != 1 {
		f.Errorf("the old outcome is %+v (%v)", kept, err)
	}
}

func disturbedRetry(f *fixture) {
	f.accept(f.question("q"))
	late := f.lease("r1")
	f.must(f.Intend(f.ctx, late.Fence(), firstPage, place))
	f.must(f.Posted(f.ctx, late.Fence(), firstPage, "p1", "h"))
	f.expire("r1")
	taken := f.lease("r2")
	f.finish(taken, session.Answered)
	again := f.derive(taken.ID, session.Retried).Turn
	f.must(f.Disturbed(f.ctx, late.Fence()))
	for _, state := range []session.State{session.Running, session.Done} {
		t := f.lease("r2")
		if t.ID != again.ID || t.State != state {
			f.Fatalf("leased turn %d (%s), want the second try (%s)", t.Number, t.State, state)
		}
		if state == session.Running {
			f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered}))
			f.must(f.Final(f.ctx, t.Fence(), firstPage, "h2"))
		}
		f.must(f.Delivered(f.ctx, t.Fence(), ""))
	}
	f.noLease("r2")
}

func racingRetries(f *fixture) {
	old := f.answered(f.question("q"), "A")
	var wg sync.WaitGroup
	made := make([]session.Accepted, 8)
	errs := make([]error, 8)
	for i := range made {
		wg.Go(func() {
			made[i], errs[i] = f.Derive(f.ctx, session.Derive{Tenant: tenant, Of: old.ID, As: session.Retried, Key: fmt.Sprint("k", i), Audience: old.Audience})
		})
	}
	wg.Wait()
	f.must(errors.Join(errs...))
	fresh := 0
	for _, m := range made {
		if m.Turn.ID != made[0].Turn.ID {
			f.Errorf("two turns were made: %s and %s", m.Turn.ID, made[0].Turn.ID)
		}
		if !m.Duplicate {
			fresh++
		}
	}
	if fresh != 1 {
		f.Errorf("%d presses were told that they made the turn", fresh)
	}
	f.answerNext("A new")
	f.noLease("r1")
}

func derivedQuota(f *fixture) {
	quotas := []session.Quota{{Counter: "user:x", Limit: 1, Window: 24 * time.Hour}}
	var turns []session.TurnID
	for range 2 {
		turns = append(turns, f.answered(f.question("q"), "A").ID)
	}
	d := session.Derive{Tenant: tenant, Of: turns[0], As: session.Retried, Key: "k0", Audience: access.NewAudience(tenant), Quotas: quotas}
	if _, err := f.Derive(f.ctx, d); err != nil {
		f.Fatal(err)
	}
	for range 2 { // the press may be repeated
		d.Of, d.Key = turns[1], "k1"
		var full *session.QuotaError
		if _, err := f.Derive(f.ctx, d); !errors.As(err, &full) || !full.Until.After(time.Now()) {
			f.Errorf("beyond its quota a retry gives %v", err)
		}
	}
	if r := f.find(session.Target{Turn: turns[1]}); r.ID != turns[1] {
		f.Errorf("it was replaced by turn %d", r.Number)
	}
	d.Quotas = nil
	if got, err := f.Derive(f.ctx, d); err != nil || got.Duplicate {
		f.Errorf("without the quota it gives %+v (%v)", got, err)
	}
}

func privately(f *fixture) {
	f.answered(f.question("earlier"), "A earlier")
	public := f.answered(f.question("q"), "A public")
	f.answered(f.question("later"), "A later")
	alone := access.NewAudience(tenant, access.Members, access.User("slack", "U1"))
	got := f.derive(public.ID, session.Privately, func(d *session.Derive) { d.Audience = alone })
	if got.Turn.Session.Owner != "U1" || got.Turn.Session.Ref != place || got.Turn.Session.ID == public.Session.ID || got.Turn.Number != 1 ||
		got.Turn.Audience.Key() != alone.Key() {
		f.Errorf("the private turn is %+v", got.Turn)
	}
	if r := f.find(session.Target{Turn: public.ID}); r.ID != public.ID || r.Private != got.Turn.ID {
		f.Errorf("the public turn leads to %s and knows of the private one %q", r.ID, r.Private)
	}
	if r := f.find(session.Target{Ref: place, Message: public.Message}); r.ID != public.ID {
		f.Error("the question leads to the private turn")
	}
	f.equal("what the private turn is given", f.texts(got.Turn), []string{"earlier"})
	f.answerNext("A private")
	next := f.accept(f.question("next"))
	if past := f.texts(next); slices.Contains(past, "A private") || len(past) != 6 {
		f.Errorf("the thread is given %q", past)
	}
	again := f.derive(public.ID, session.Privately, func(d *session.Derive) { d.Key = "another" })
	if !again.Duplicate || again.Turn.ID != got.Turn.ID {
		f.Errorf("asked again for it gives %+v", again)
	}
}

func sharedCopy(f *fixture) {
	public := f.answered(f.question("q"), "A public")
	f.accept(f.question("runs"))
	busy := f.lease("r1") // a copy does not wait for this turn
	f.derive(public.ID, session.Privately)
	private := f.answerNext("A private")
	got := f.derive(private.ID, session.Shared, func(d *session.Derive) {
		d.Saved = session.Saved{Outcome: session.Answered, Sentence: "Said.", Runs: []session.Run{answer("A shared")}}
	})
	if got.Turn.Session.ID != public.Session.ID || got.Turn.State != session.Done {
		f.Errorf("the copy is %+v", got.Turn)
	}
	t := f.lease("r1")
	if t.ID != got.Turn.ID || t.Abandoned {
		f.Fatalf("leased turn %d of %s instead of the copy", t.Number, t.Session.ID)
	}
	saved, err := f.Saved(f.ctx, t)
	if run, ok := saved.Best(); err != nil || !ok || len(run.Messages) == 0 {
		f.Errorf("the copy holds %+v (%v)", saved, err)
	}
	f.must(f.Intend(f.ctx, t.Fence(), firstPage, place))
	f.must(f.Delivered(f.ctx, t.Fence(), ""))
	f.noLease("r1")
	if r := f.find(session.Target{Turn: private.ID}); r.Shared != got.Turn.ID {
		f.Errorf("the private turn knows of the copy %q", r.Shared)
	}
	f.finish(busy, session.Answered)
}

func keptAnswer(f *fixture) {
	in := f.question("q")
	in.Owner, in.Reply = "U1", &session.ReplyToken{Sealed: []byte("s"), Expires: time.Unix(4_000_000_000, 0).UTC()}
	t := f.answered(in, "A")
	f.must(f.Keep(f.ctx, tenant, t.ID, "k", true))
	f.must(f.Keep(f.ctx, tenant, t.ID, "k", true))
	if r := f.find(session.Target{Turn: t.ID}); !r.Kept || r.Reply != nil {
		f.Errorf("the turn is %+v", r)
	}
	again := f.lease("r1")
	pages, err := f.Pages(f.ctx, again.Fence())
	if err != nil || again.ID != t.ID || again.Reply != nil || len(pages) != 0 {
		f.Errorf("leased %+v with pages %+v (%v)", again, pages, err)
	}
	f.must(f.Delivered(f.ctx, again.Fence(), ""))
	f.noLease("r1")
	other := f.answered(f.question("other"), "B")
	f.must(f.Keep(f.ctx, tenant, other.ID, "k2", false))
	f.noLease("r1")
}

func votes(f *fixture) {
	t := f.answered(f.question("q"), "A")
	vote := func(key string, by thread.Person, up bool, reason string, want bool) {
		f.Helper()
		changed, err := f.Vote(f.ctx, session.Vote{Tenant: tenant, Turn: t.ID, Key: key, Person: by, Up: up, Reason: reason})
		f.must(err)
		if changed != want {
			f.Errorf("the press %s changed something: %v, want %v", key, changed, want)
		}
	}
	vote("1", ada, true, "", true)
	vote("2", mod, false, "", true)
	vote("3", mod, false, "too long\x00", true)
	vote("4", mod, false, "", false) // its reason stays
	vote("5", ada, false, "wrong", true)
	vote("1", ada, true, "", false) // a late repetition
	vote("6", ada, true, "", true)  // a changed vote drops the old reason
	list, err := f.Feedback(f.ctx, session.FeedbackQuery{Tenant: tenant})
	f.must(err)
	if len(list) != 2 {
		f.Fatalf("there are %d votes: %+v", len(list), list)
	}
	a, m := list[0], list[1]
	if a.Person != ada || !a.Up || a.Reason != "" || a.Question != "q" || a.Outcome != session.Answered || a.Ref != place || a.At.IsZero() || a.Turn != t.ID {
		f.Errorf("Ada's vote is %+v", a)
	}
	if m.Person != mod || m.Up || m.Reason == "" || m.Private {
		f.Errorf("Mo's vote is %+v", m)
	}
	down, err := f.Feedback(f.ctx, session.FeedbackQuery{Tenant: tenant, Down: true})
	if err != nil || len(down) != 1 || down[0].Person != mod {
		f.Errorf("the votes against are %+v (%v)", down, err)
	}
	none, err := f.Feedback(f.ctx, session.FeedbackQuery{Tenant: tenant, Since: time.Now().Add(time.Hour)})
	if err != nil || len(none) != 0 {
		f.Errorf("the votes of the future are %+v (%v)", none, err)
	}
	newest, err := f.Feedback(f.ctx, session.FeedbackQuery{Tenant: tenant, Limit: 1})
	if err != nil || len(newest) != 1 || newest[0].Person != ada {
		f.Errorf("the newest vote is %+v (%v)", newest, err)
	}
	for platform, want := range map[thread.Platform]int{"discord": 0, "slack": 1} {
		if n, err := f.ForgetVotes(f.ctx, tenant, platform, mod.ID); err != nil || n != want {
			f.Errorf("%d votes on %s were forgotten (%v), want %d", n, platform, err, want)
		}
	}
	if list, err = f.Feedback(f.ctx, session.FeedbackQuery{Tenant: tenant}); err != nil || len(list) != 1 {
		f.Errorf("afterwards there are %+v (%v)", list, err)
	}
	_, err = f.Vote(f.ctx, session.Vote{Tenant: tenant, Turn: "00000000-0000-7000-8000-ffffffffffff", Key: "9", Person: ada})
	f.wantErr(err, session.ErrUnknownTurn)
}

func votesByModel(f *fixture) {
	f.accept(f.question("q"))
	t := f.lease("r1")
	for model := range 2 {
		key := session.PageKey{Kind: session.Answer, Model: model}
		f.must(f.Intend(f.ctx, t.Fence(), key, t.Session.Ref))
		f.must(f.Posted(f.ctx, t.Fence(), key, thread.MessageID(fmt.Sprint("p", model)), "h"))
	}
	vote := func(key string, by thread.Person, on thread.MessageID, reason string, want bool) {
		f.Helper()
		changed, err := f.Vote(f.ctx, session.Vote{Tenant: tenant, Turn: t.ID, Key: key, Person: by, Up: by == ada, Message: on, Reason: reason})
		f.must(err)
		if changed != want {
			f.Errorf("the press %s changed something: %v, want %v", key, changed, want)
		}
	}
	vote("1", ada, "p1", "", true) // while the other model writes
	left, right := answer("A"), answer("B")
	left.Model, right.Model = "left", "right"
	f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered, Runs: []session.Run{left, right}}))
	f.must(f.Delivered(f.ctx, t.Fence(), ""))
	about := func(person, want string) {
		f.Helper()
		list, err := f.Feedback(f.ctx, session.FeedbackQuery{Tenant: tenant})
		f.must(err)
		for _, v := range list {
			if v.Person.ID == person && v.Model != want {
				f.Errorf("the vote of %s is about %q, want %q", person, v.Model, want)
			}
		}
	}
	about(ada.ID, "right")
	vote("2", ada, "p0", "", true)
	about(ada.ID, "left")
	vote("3", ada, "p0", "", false)
	vote("4", mod, "elsewhere", "", true) // counts for the run that the conversation continues from
	about(mod.ID, "left")
	vote("5", mod, "p1", "it is short", true)
	vote("6", mod, "", "", false)
	about(mod.ID, "right")
	vote("7", mod, "p0", "", true)
	list, err := f.Feedback(f.ctx, session.FeedbackQuery{Tenant: tenant, Down: true})
	if err != nil || len(list) != 1 || list[0].Reason != "" || list[0].Model != "left" {
		f.Errorf("a vote that was moved is %+v (%v)", list, err)
	}
}

func offers(f *fixture) {
	t := f.answered(f.question("q"), "A")
	for _, want := range []bool{true, false} {
		if first, err := f.Offer(f.ctx, tenant, t.ID); err != nil || first != want {
			f.Errorf("the offer is the first: %v (%v), want %v", first, err, want)
		}
	}
	taken := f.answered(f.question("q2"), "A")
	f.derive(taken.ID, session.Privately)
	if first, err := f.Offer(f.ctx, tenant, taken.ID); err != nil || first {
		f.Errorf("what was asked for is offered: %v (%v)", first, err)
	}
}

func unlisted(f *fixture) {
	end := func(thread, text string, outcome session.Outcome) session.Turn {
		in := f.question(text)
		in.Ref.Thread = thread
		f.accept(in)
		t := f.lease("r1")
		run := answer(text)
		run.Ending.Cause = session.CauseAudience
		f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: outcome, Runs: []session.Run{run}}))
		f.must(f.Delivered(f.ctx, t.Fence(), ""))
		return t
	}
	end("1", "older", session.Answered)
	newest := end("1", "newest", session.Answered)
	end("2", "stopped", session.Stopped)
	deleted := end("3", "deleted", session.Answered)
	_, err := f.Withdraw(f.ctx, tenant, deleted.Session.Ref, deleted.Message, session.SentenceWithdrawn)
	f.must(err)
	f.derive(end("4", "asked again", session.NoEvidence).ID, session.Retried)
	removed := end("5", "removed", session.Answered)
	_, err = f.Remove(f.ctx, tenant, removed.ID, "press", session.Removal{By: thread.Person{ID: "U9"}})
	f.must(err)
	listed := func(since time.Duration) (ids []session.TurnID) {
		found, err := f.Unlisted(f.ctx, time.Now().Add(since), 10)
		f.must(err)
		for _, t := range found {
			ids = append(ids, t.ID)
		}
		return ids
	}
	f.equal("to be offered again", listed(-time.Hour), []session.TurnID{newest.ID})
	f.equal("after all ended", len(listed(time.Hour)), 0)
	_, err = f.Offer(f.ctx, tenant, newest.ID)
	f.must(err)
	f.equal("once offered", len(listed(-time.Hour)), 0)
}

func followed(f *fixture) {
	f.accept(f.question("q"))
	f.must(f.Unfollow(f.ctx, tenant, place, "U1"))
	f.must(f.Follow(f.ctx, tenant, place, "U1"))
	if f.known().Unfollowed {
		f.Error("the thread is not followed again")
	}
}

func depth(f *fixture) {
	want := func(n int) {
		f.Helper()
		if got, err := f.Depth(f.ctx); err != nil || got != n {
			f.Errorf("%d turns wait (%v), want %d", got, err, n)
		}
	}
	want(0)
	f.accept(f.question("q"))
	f.accept(f.question("waits for it"))
	want(2)
	t := f.lease("r1")
	want(1)
	f.finish(t, session.Answered)
	f.finish(f.lease("r1"), session.Answered)
	want(0)
}
