package sessiontest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func contextCancelled(f *fixture) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	return ctx, cancel
}

func order(f *fixture) {
	for n := range 3 {
		accepted, err := f.Accept(f.ctx, f.question(fmt.Sprint("q", n+1)))
		f.must(err)
		if accepted.Ahead != n {
			f.Errorf("question %d has %d ahead", n+1, accepted.Ahead)
		}
	}
	for n := range 3 {
		t := f.lease("r1")
		if t.Number != n+1 || t.Question.Text != fmt.Sprint("q", n+1) {
			f.Fatalf("leased turn %d, want %d", t.Number, n+1)
		}
		f.noLease("r2") // not while it runs
		f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered}))
		f.noLease("r2") // nor while it is delivered
		f.must(f.Delivered(f.ctx, t.Fence(), ""))
		f.must(f.Delivered(f.ctx, t.Fence(), ""))
	}
	f.noLease("r1")
}

func racingIntakes(f *fixture) {
	const n = 16
	ins := make([]session.Intake, n)
	for i := range ins {
		ins[i] = f.question("q")
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	numbers := map[int]session.TurnID{}
	for _, in := range ins {
		wg.Go(func() {
			got, err := f.Accept(f.ctx, in)
			if err != nil {
				f.Error(err)
			}
			mu.Lock()
			numbers[got.Turn.Number] = got.Turn.ID
			mu.Unlock()
		})
	}
	wg.Wait()
	for want := 1; want <= n; want++ {
		t := f.lease("r1")
		if t.Number != want || t.ID != numbers[want] {
			f.Fatalf("leased turn %d (%s), want %d (%s)", t.Number, t.ID, want, numbers[want])
		}
		f.finish(t, session.Answered)
	}
}

func racingLeases(f *fixture) {
	const sessions, perSession, replicas = 6, 4, 5
	for s := range sessions {
		for range perSession {
			in := f.question("q")
			in.Ref.Thread = fmt.Sprint("thread", s)
			f.accept(in)
		}
	}
	var mu sync.Mutex
	done := 0
	next := map[session.ID]int{}
	running := map[session.ID]bool{}
	var wg sync.WaitGroup
	for r := range replicas {
		id := session.ReplicaID(fmt.Sprint("r", r))
		f.beat(id)
		wg.Go(func() {
			for f.ctx.Err() == nil {
				t, err := One(f.Lease(f.ctx, session.LeaseRequest{Replica: id}))
				if err != nil {
					f.Error(err)
					return
				}
				mu.Lock()
				finished := done == sessions*perSession
				if t != nil {
					next[t.Session.ID]++
					if running[t.Session.ID] || next[t.Session.ID] != t.Number || t.Attempt != 1 {
						f.Errorf("turn %d (attempt %d) of %s leased out of turn", t.Number, t.Attempt, t.Session.ID)
					}
					running[t.Session.ID] = true
				}
				mu.Unlock()
				if finished {
					return
				}
				if t == nil {
					continue
				}
				if err := f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered}); err != nil {
					f.Error(err)
				}
				mu.Lock()
				running[t.Session.ID] = false
				done++
				mu.Unlock()
				if err := f.Delivered(f.ctx, t.Fence(), ""); err != nil {
					f.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if done != sessions*perSession {
		f.Errorf("%d turns were worked on, want %d", done, sessions*perSession)
	}
}

func takeOver(f *fixture) {
	f.accept(f.question("q"))
	lost := f.lease("r1")
	f.noLease("r2")
	f.expire("r1")
	taken := f.lease("r2")
	if taken.ID != lost.ID || taken.Attempt <= lost.Attempt || taken.Takeovers != 1 || taken.State != session.Running {
		f.Fatalf("took over %+v of %+v", taken, lost)
	}
	f.beat("r1") // it continues, and learns that it is too late
	f.wantErr(f.Finish(f.ctx, lost.Fence(), session.Saved{Outcome: session.Failed}), session.ErrFenced)
	f.wantErr(f.Release(f.ctx, lost.Fence(), 0), session.ErrFenced)
	f.wantErr(f.Delivered(f.ctx, lost.Fence(), ""), session.ErrFenced)
	f.noLease("r1")
	f.expire("r2")
	if taken = f.lease("r3"); taken.Takeovers != 2 { // every death is counted
		f.Fatalf("the second take-over says %d", taken.Takeovers)
	}
	f.finish(taken, session.Answered)
	f.expire("r3")
	f.noLease("r1")
}

func takeOverDelivering(f *fixture) {
	f.accept(f.question("q"))
	lost := f.lease("r1")
	f.must(f.Finish(f.ctx, lost.Fence(), session.Saved{Outcome: session.NoEvidence, Sentence: "Nothing was found."}))
	f.expire("r1")
	taken := f.lease("r2")
	if taken.State != session.Delivering || taken.Outcome != session.NoEvidence {
		f.Fatalf("took over a turn in state %s with outcome %q", taken.State, taken.Outcome)
	}
	saved, err := f.Saved(f.ctx, taken)
	f.must(err)
	if saved.Sentence != "Nothing was found." {
		f.Errorf("its sentence is %q", saved.Sentence)
	}
	f.wantErr(f.Delivered(f.ctx, lost.Fence(), ""), session.ErrFenced)
	f.wantErr(f.Finish(f.ctx, taken.Fence(), session.Saved{Outcome: session.Answered}), session.ErrFinished)
	f.must(f.Delivered(f.ctx, taken.Fence(), ""))
}

func oneOutcome(f *fixture) {
	f.accept(f.question("q"))
	t := f.lease("r1")
	f.wantErr(f.Delivered(f.ctx, t.Fence(), ""), session.ErrFenced) // not without an outcome
	if err := f.Finish(f.ctx, t.Fence(), session.Saved{}); err == nil {
		f.Error("a turn ends without an outcome")
	}
	f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered}))
	f.wantErr(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Failed}), session.ErrFinished)
	f.must(f.Delivered(f.ctx, t.Fence(), ""))
	f.wantErr(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Failed}), session.ErrFinished)
	f.wantErr(f.Release(f.ctx, t.Fence(), 0), session.ErrFinished)
	unknown := session.Fence{Tenant: tenant, Turn: "01900000-0000-7000-8000-000000000000", Attempt: 1}
	f.wantErr(f.Finish(f.ctx, unknown, session.Saved{Outcome: session.Failed}), session.ErrUnknownTurn)
	saved, err := f.Saved(f.ctx, t)
	f.must(err)
	if saved.Outcome != session.Answered {
		f.Errorf("the outcome is %s", saved.Outcome)
	}
}

func racingFinishes(f *fixture) {
	f.accept(f.question("q"))
	t := f.lease("r1")
	var wg sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		wg.Go(func() { errs[i] = f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered}) })
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, session.ErrFinished) {
			f.Error(err)
		}
	}
	if won != 1 {
		f.Errorf("%d of %d finishes succeeded", won, len(errs))
	}
}

func release(f *fixture) {
	f.accept(f.question("q"))
	t := f.lease("r1")
	f.must(f.Release(f.ctx, t.Fence(), 0))
	f.wantErr(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Failed}), session.ErrFenced)
	again := f.lease("r2")
	if again.ID != t.ID || again.Attempt <= t.Attempt || again.Takeovers != 0 {
		f.Errorf("leased %+v after a release", again)
	}
	f.must(f.Finish(f.ctx, again.Fence(), session.Saved{Outcome: session.Answered}))
	f.must(f.Release(f.ctx, again.Fence(), 0))
	last := f.lease("r1")
	if last.State != session.Delivering || last.Outcome != session.Answered || last.Takeovers != 0 {
		f.Errorf("leased %+v after a release while delivering", last)
	}
}

func releaseLater(f *fixture) {
	f.accept(f.question("q"))
	f.must(f.Release(f.ctx, f.lease("r1").Fence(), time.Hour))
	f.noLease("r1")
	other := f.question("elsewhere")
	other.Ref.Thread = "200.1"
	f.accept(other)
	if t := f.lease("r1"); t.Question.Text != "elsewhere" {
		f.Errorf("leased %q, which was to wait", t.Question.Text)
	}
}

func filtered(f *fixture) {
	slack, console := f.question("slack"), f.question("console")
	console.Ref.Platform, console.Ref.Workspace = "console", "this terminal"
	f.accept(slack)
	f.accept(console)
	f.beat("r1")
	for _, tt := range []struct {
		platforms  []thread.Platform
		workspaces []string
		want       string
	}{
		{[]thread.Platform{"discord"}, nil, ""},
		{[]thread.Platform{"console"}, []string{"another terminal"}, ""},
		{[]thread.Platform{}, nil, ""},
		{[]thread.Platform{"console", "discord"}, []string{"this terminal"}, "console"},
		{[]thread.Platform{"slack"}, nil, "slack"},
	} {
		t, err := One(f.Lease(f.ctx, session.LeaseRequest{Replica: "r1", Platforms: tt.platforms, Workspaces: tt.workspaces}))
		f.must(err)
		got := ""
		if t != nil {
			got = t.Question.Text
			f.must(f.Release(f.ctx, t.Fence(), 0))
		}
		if got != tt.want {
			f.Errorf("for %v %v, leased %q, want %q", tt.platforms, tt.workspaces, got, tt.want)
		}
	}
}

func several(f *fixture) {
	f.beat("r1")
	for _, thread := range []string{"100.1", "200.1", "300.1"} {
		for n := range 2 {
			q := f.question(fmt.Sprint(thread, " ", n))
			q.Ref.Thread = thread
			f.accept(q)
		}
	}
	lease := func(most int, want ...string) {
		f.Helper()
		turns, err := f.Lease(f.ctx, session.LeaseRequest{Replica: "r1", Most: most})
		f.must(err)
		var got []string
		for _, t := range turns {
			got = append(got, t.Question.Text)
			if t.Attempt != 1 || t.State != session.Running {
				f.Errorf("leased %+v", t)
			}
			f.finish(t, session.Failed)
		}
		if !slices.Equal(got, want) {
			f.Errorf("leased %q of %d, want %q", got, most, want)
		}
	}
	lease(2, "100.1 0", "200.1 0")
	lease(0, "100.1 1")
	lease(9, "200.1 1", "300.1 0")
	lease(9, "300.1 1")
	lease(9)
}

func reclaim(f *fixture) {
	f.accept(f.question("q"))
	other := f.question("elsewhere")
	other.Ref.Thread = "200.1"
	f.accept(other)
	lost, held := f.lease("r1"), f.lease("r1")
	again, err := One(f.Lease(f.ctx, session.LeaseRequest{Replica: "r1", Holding: []session.TurnID{held.ID}}))
	f.must(err)
	if again == nil || again.ID != lost.ID || again.Attempt <= lost.Attempt || again.Takeovers != 0 {
		f.Fatalf("leased %+v, want the turn that the replica does not know of", again)
	}
	none, err := One(f.Lease(f.ctx, session.LeaseRequest{Replica: "r1", Holding: []session.TurnID{held.ID, lost.ID}}))
	f.must(err)
	if none != nil {
		f.Fatalf("leased %+v, which is held", none)
	}
	none, err = One(f.Lease(f.ctx, session.LeaseRequest{Replica: "r2", Holding: []session.TurnID{}}))
	f.must(err)
	if none != nil {
		f.Fatalf("leased %+v, which another replica holds", none)
	}
}

func leave(f *fixture) {
	f.accept(f.question("q"))
	held := f.lease("r1")
	f.must(f.Leave(f.ctx, "r1"))
	f.wantErr(f.Finish(f.ctx, held.Fence(), session.Saved{Outcome: session.Failed}), session.ErrFenced)
	if t := f.lease("r2"); t.ID != held.ID || t.Takeovers != 0 {
		f.Errorf("leased %+v after its replica left", t)
	}
}

func live(f *fixture) {
	for _, id := range []session.ReplicaID{"a", "b", "b", "c"} {
		f.beat(id)
	}
	f.expire("a")
	n, err := f.Live(f.ctx)
	f.must(err)
	if n != 2 {
		f.Errorf("%d replicas live, want 2", n)
	}
	f.must(f.Leave(f.ctx, "b"))
	if n, err = f.Live(f.ctx); err != nil || n != 1 {
		f.Errorf("%d replicas live after one left (%v), want 1", n, err)
	}
}

func abandoned(f *fixture) {
	f.accept(f.question("q"))
	f.beat("r1")
	// The turn is older than a nanosecond, and r1 started after that limit, as after a restored
	// backup.
	t, err := One(f.Lease(f.ctx, session.LeaseRequest{Replica: "r1", MaxAge: time.Nanosecond}))
	f.must(err)
	if t == nil || !t.Abandoned {
		f.Fatalf("leased %+v, want an abandoned turn", t)
	}
	f.finish(*t, session.Superseded)
	f.accept(f.question("q2"))
	t, err = One(f.Lease(f.ctx, session.LeaseRequest{Replica: "r1", MaxAge: time.Nanosecond}))
	f.must(err)
	if t == nil || t.Abandoned {
		f.Fatalf("leased %+v, want one that a replica was there for", t)
	}
	f.must(f.Release(f.ctx, t.Fence(), 0))
	if t, err = One(f.Lease(f.ctx, session.LeaseRequest{Replica: "r1", MaxAge: time.Hour})); err != nil || t == nil || t.Abandoned {
		f.Fatalf("leased %+v (%v), want a young turn", t, err)
	}
}

func beats(f *fixture) {
	work := func(id session.ReplicaID, ttl time.Duration) bool {
		f.Helper()
		work, err := f.Beat(f.ctx, id, ttl)
		f.must(err)
		return work
	}
	f.equal("before anything was asked", work("r1", time.Hour), false)
	f.accept(f.question("one"))
	f.equal("while a question waits", work("r1", time.Hour), true)
	t := f.lease("r2")
	f.equal("while a live replica works on it", work("r1", time.Hour), false)
	f.must(f.Release(f.ctx, t.Fence(), time.Hour))
	f.equal("while it rests", work("r1", time.Hour), false)
	other := f.question("two")
	other.Ref.Thread = "another"
	f.accept(other)
	f.lease("r2")
	f.expire("r2")
	f.equal("once a replica has died", work("r1", time.Hour), true)
}
