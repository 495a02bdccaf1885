package sessiontest

import (
	"github.com/footnotehq/footnote/core/session"
)

func pages(f *fixture) {
	f.accept(f.question("q"))
	t := f.lease("r1")
	fence := t.Fence()
	first, second := session.PageKey{Kind: session.Answer}, session.PageKey{Kind: session.Answer, Number: 1}
	other, notice := session.PageKey{Kind: session.Answer, Model: 1}, session.PageKey{Kind: session.Notice}
	dm := place
	dm.Channel = "D1"
	for _, key := range []session.PageKey{other, second, notice} {
		f.must(f.Intend(f.ctx, fence, key, place))
	}
	f.must(f.Intend(f.ctx, fence, first, dm))
	f.must(f.Posted(f.ctx, fence, first, "p1", "h1"))
	f.must(f.Posted(f.ctx, fence, first, "p1", "h1'")) // edited, or adopted
	f.must(f.Posted(f.ctx, fence, second, "p2", "h2"))
	f.must(f.Final(f.ctx, fence, second, "h2'"))
	f.must(f.Posted(f.ctx, fence, notice, "n1", ""))
	f.must(f.Drop(f.ctx, fence, notice))
	f.must(f.Drop(f.ctx, fence, notice))
	got, err := f.Pages(f.ctx, fence)
	f.must(err)
	f.equal("pages", got, []session.Page{
		{PageKey: first, At: dm, Message: "p1", State: session.Posted, Hash: "h1'", Attempt: fence.Attempt},
		{PageKey: second, At: place, Message: "p2", State: session.Final, Hash: "h2'", Attempt: fence.Attempt},
		{PageKey: other, At: place, State: session.Intended, Attempt: fence.Attempt},
	})
	f.wantErr(f.Posted(f.ctx, fence, notice, "n2", ""), session.ErrUnknownPage)
	f.wantErr(f.Final(f.ctx, fence, notice, ""), session.ErrUnknownPage)
	f.must(f.Intend(f.ctx, fence, second, place)) // the message was deleted, so the page begins again
	if got, err = f.Pages(f.ctx, fence); err != nil || got[1].State != session.Intended || got[1].Message != "" || got[1].Hash != "" {
		f.Errorf("a page begun again is %+v (%v)", got[1], err)
	}
}

func pagesFenced(f *fixture) {
	f.accept(f.question("q"))
	old := f.lease("r1").Fence()
	key := session.PageKey{Kind: session.Answer}
	f.must(f.Intend(f.ctx, old, key, place))
	f.must(f.Posted(f.ctx, old, key, "p1", "h1"))
	f.expire("r1")
	taken := f.lease("r2").Fence()
	f.wantErr(f.Intend(f.ctx, old, session.PageKey{Kind: session.Answer, Number: 1}, place), session.ErrFenced)
	f.wantErr(f.Posted(f.ctx, old, key, "p9", "h9"), session.ErrFenced)
	f.wantErr(f.Final(f.ctx, old, key, "h9"), session.ErrFenced)
	f.wantErr(f.Drop(f.ctx, old, key), session.ErrFenced)
	_, err := f.Pages(f.ctx, old)
	f.wantErr(err, session.ErrFenced)
	got, err := f.Pages(f.ctx, taken)
	f.must(err)
	f.equal("pages to adopt", got, []session.Page{
		{PageKey: key, At: place, Message: "p1", State: session.Posted, Hash: "h1", Attempt: old.Attempt},
	})
	f.must(f.Final(f.ctx, taken, key, "h1"))
	if got, err = f.Pages(f.ctx, taken); err != nil || got[0].Attempt != taken.Attempt {
		f.Errorf("the page was written by attempt %d (%v)", got[0].Attempt, err)
	}
}

func disturbed(f *fixture) {
	f.accept(f.question("q"))
	f.accept(f.question("next"))
	old := f.lease("r1")
	key := session.PageKey{Kind: session.Answer}
	f.must(f.Intend(f.ctx, old.Fence(), key, place))
	f.must(f.Posted(f.ctx, old.Fence(), key, "p1", "h1"))
	f.must(f.Disturbed(f.ctx, old.Fence())) // by the newest attempt: no effect
	f.expire("r1")
	taken := f.lease("r2")
	f.must(f.Finish(f.ctx, taken.Fence(), session.Saved{Outcome: session.Answered, Sentence: "kept"}))
	f.must(f.Final(f.ctx, taken.Fence(), key, "h2"))
	f.must(f.Disturbed(f.ctx, old.Fence())) // before the turn is marked as delivered
	f.must(f.Delivered(f.ctx, taken.Fence(), ""))
	for range 2 {
		again := f.lease("r2")
		if again.ID != taken.ID || again.State != session.Done || again.Outcome != session.Answered || again.Attempt <= taken.Attempt {
			f.Fatalf("leased %+v, want the turn that was written over", again)
		}
		got, err := f.Pages(f.ctx, again.Fence())
		f.must(err)
		if got[0].State != session.Posted || got[0].Hash != "" || got[0].Message != "p1" {
			f.Errorf("its page counts as written: %+v", got[0])
		}
		next := f.lease("r2") // the next turn does not wait
		if next.Question.Text != "next" {
			f.Fatalf("leased %+v, want the session's next turn", next)
		}
		f.must(f.Release(f.ctx, next.Fence(), 0))
		f.must(f.Final(f.ctx, again.Fence(), key, "h2"))
		f.must(f.Delivered(f.ctx, again.Fence(), ""))
		f.must(f.Disturbed(f.ctx, old.Fence())) // after the delivery
	}
	handed := f.lease("r2")
	f.must(f.Release(f.ctx, handed.Fence(), 0))
	if again := f.lease("r3"); again.ID != taken.ID || again.State != session.Done {
		f.Fatalf("leased %+v after a release, want the turn that was written over", again)
	}
	f.must(f.Leave(f.ctx, "r3"))
	last := f.lease("r2")
	f.must(f.Delivered(f.ctx, last.Fence(), ""))
	if t := f.tryLease("r2"); t == nil || t.Question.Text != "next" {
		f.Errorf("leased %+v, want the session's next turn", t)
	}
}
