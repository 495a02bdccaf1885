package sessiontest

import (
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/dicetest"
	"github.com/footnotehq/footnote/core/thread"
)

func (f *fixture) ask(texts ...string) {
	f.Helper()
	for _, text := range texts {
		in := f.question(text)
		in.Ref.Thread = "thread of " + text
		f.accept(in)
	}
}

// leases leases turns until a replica gets none.
func (f *fixture) leases(id session.ReplicaID) (turns []session.Turn) {
	f.Helper()
	for {
		t := f.tryLease(id)
		if t == nil {
			return turns
		}
		turns = append(turns, *t)
	}
}

func (f *fixture) drains(id session.ReplicaID) {
	f.Helper()
	f.beat(id)
	if t, err := One(f.Lease(f.ctx, session.LeaseRequest{Replica: id})); t != nil || !errors.Is(err, session.ErrDraining) {
		f.Fatalf("%s leased %+v (%v), and should drain", id, t, err)
	}
}

// dies leases exactly n turns for a replica, and then lets the replica expire.
func (f *fixture) dies(id session.ReplicaID, n int) {
	f.Helper()
	if got := len(f.leases(id)); got != n {
		f.Fatalf("%s leased %d turns, want %d", id, got, n)
	}
	f.expire(id)
}

func alone(f *fixture) {
	f.ask("poison")
	f.dies("r1", 1)
	f.ask("new")
	t := f.lease("r2")
	if t.Question.Text != "poison" || t.LoneDeaths != 0 {
		f.Fatalf("leased %q with %d deaths, want the suspect", t.Question.Text, t.LoneDeaths)
	}
	f.noLease("r2") // while the suspect runs
	if other := f.lease("r3"); other.Question.Text != "new" {
		f.Errorf("another replica leased %q", other.Question.Text)
	}
	f.finish(t, session.Answered)
	f.noLease("r2")
}

func halves(f *fixture) {
	const turns = 50
	for n := range turns {
		f.ask(fmt.Sprint("q", n))
	}
	f.dies("r0", turns)
	f.dies("r1", 25)
	done := 0
	run := func(id session.ReplicaID, total, atOnce int) {
		f.Helper()
		for range (total + atOnce - 1) / atOnce {
			got := f.leases(id)
			if want := min(atOnce, total); len(got) != want {
				f.Fatalf("%d turns run at once, want %d", len(got), want)
			}
			f.finishAll(got)
			total -= len(got)
			done += len(got)
		}
	}
	run("r2", 25, 25) // the half that did not run when r1 died
	f.dies("r2", 4)
	run("r3", 21, 4)
	run("r3", 4, 1)
	f.noLease("r3")
	if done != turns {
		f.Errorf("%d of %d turns have ended", done, turns)
	}
}

func (f *fixture) finishAll(turns []session.Turn) {
	f.Helper()
	for _, t := range turns {
		f.finish(t, session.Answered)
	}
}

func loneDeaths(f *fixture) {
	f.ask("poison", "innocent", "idle")
	f.dies("r1", 3)
	if got := f.leases("r2"); len(got) != 2 {
		f.Fatalf("%d of 3 run apart, want 2", len(got))
	}
	f.expire("r2")
	for n := range 2 {
		f.ask(fmt.Sprint("new", n))
		id := session.ReplicaID(fmt.Sprint("lone", n))
		for { // until the poison is leased; all other turns end
			t := f.lease(id)
			if t.Question.Text == "poison" {
				if t.LoneDeaths != n {
					f.Fatalf("it died alone %d times, want %d", t.LoneDeaths, n)
				}
				f.noLease(id)
				break
			}
			if t.LoneDeaths != 0 {
				f.Fatalf("%q died alone %d times", t.Question.Text, t.LoneDeaths)
			}
			f.finish(t, session.Answered)
		}
		f.expire(id)
	}
	if t := f.lease("last"); t.Question.Text != "poison" || t.LoneDeaths != 2 || t.Takeovers != 4 {
		f.Errorf("at last %q is leased with %d deaths alone of %d", t.Question.Text, t.LoneDeaths, t.Takeovers)
	}
}

func draining(f *fixture) {
	f.ask("suspect")
	dead := f.lease("r1")
	f.ask("works")
	works := f.lease("r2")
	f.expire("r1")
	f.ask("new")
	f.drains("r2")
	f.drains("r2")
	f.finish(works, session.Answered)
	if t := f.lease("r2"); t.ID != dead.ID {
		f.Fatalf("leased %q, want the suspect", t.Question.Text)
	}
	f.noLease("r2")
}

func drainingTaken(f *fixture) {
	f.ask("suspect")
	dead := f.lease("r1")
	f.ask("works")
	f.lease("r2")
	f.expire("r1")
	f.drains("r2")
	f.ask("new")
	if t := f.lease("r3"); t.ID != dead.ID { // r3 is new and idle
		f.Fatalf("leased %q, want the suspect", t.Question.Text)
	}
	f.noLease("r3")
	if t := f.lease("r2"); t.Question.Text != "new" {
		f.Errorf("leased %q", t.Question.Text)
	}
}

func spared(f *fixture) {
	f.ask("one")
	f.dies("a", 1)
	one := f.lease("r1") // the only live replica takes the suspect
	f.ask("two")
	f.beat("r2")
	f.dies("b", 1)
	f.ask("new")
	// with the suspect, no replica would be free for new questions
	if t := f.lease("r2"); t.Question.Text != "new" {
		f.Fatalf("leased %q", t.Question.Text)
	}
	f.finish(one, session.Answered)
	if t := f.lease("r1"); t.Question.Text != "two" {
		f.Fatalf("leased %q", t.Question.Text)
	}
}

func suspectsElsewhere(f *fixture) {
	f.ask("slack")
	f.dies("r1", 1)
	console := f.question("console")
	console.Ref.Platform, console.Ref.Workspace = "console", "this terminal"
	f.accept(console)
	f.beat("r2")
	t, err := One(f.Lease(f.ctx, session.LeaseRequest{Replica: "r2", Platforms: []thread.Platform{"console"}}))
	f.must(err)
	if t == nil || t.Question.Text != "console" {
		f.Fatalf("leased %+v", t)
	}
	if t := f.lease("r3"); t.Question.Text != "slack" {
		f.Errorf("leased %q", t.Question.Text)
	}
}

func suspectHandedBack(f *fixture) {
	f.ask("suspect")
	f.dies("r1", 1)
	f.lease("r2")
	f.ask("new")
	f.must(f.Leave(f.ctx, "r2")) // a replica that leaves does not count as dead
	t := f.lease("r3")
	if t.Question.Text != "suspect" || t.LoneDeaths != 0 {
		f.Fatalf("leased %q with %d deaths", t.Question.Text, t.LoneDeaths)
	}
	f.noLease("r3")
	f.must(f.Release(f.ctx, t.Fence(), time.Hour)) // no replica waits for a delayed suspect
	if t = f.lease("r3"); t.Question.Text != "new" {
		f.Fatalf("leased %q", t.Question.Text)
	}
	f.ask("more")
	f.lease("r3")
}

func suspectDelivering(f *fixture) {
	f.ask("answer")
	t := f.lease("r1")
	f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered}))
	f.expire("r1")
	f.ask("new")
	for n := range 2 {
		id := session.ReplicaID(fmt.Sprint("again", n))
		if t = f.lease(id); t.Question.Text != "answer" || t.State != session.Delivering || t.LoneDeaths != n {
			f.Fatalf("leased %q (%s) with %d deaths", t.Question.Text, t.State, t.LoneDeaths)
		}
		f.noLease(id)
		f.expire(id)
	}
	if t = f.lease("last"); t.LoneDeaths != 2 || t.Outcome != session.Answered {
		f.Fatalf("leased a turn with %d deaths and outcome %q", t.LoneDeaths, t.Outcome)
	}
	f.must(f.Delivered(f.ctx, t.Fence(), ""))
	if t = f.lease("last"); t.Question.Text != "new" {
		f.Errorf("leased %q", t.Question.Text)
	}
}

func suspectEdited(f *fixture) {
	in := f.question("poison")
	f.accept(in)
	f.dies("r1", 1)
	f.lease("r2")
	f.expire("r2")
	t := f.lease("r3")
	if t.LoneDeaths != 1 {
		f.Fatalf("it died alone %d times", t.LoneDeaths)
	}
	_, err := f.Edit(f.ctx, session.Edit{Tenant: tenant, Ref: in.Ref, Message: in.Message, Text: "something else"})
	f.must(err)
	f.wantErr(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Stopped}), session.ErrEdited)
	f.ask("new")
	if got := f.leases("r3"); len(got) != 2 || got[0].LoneDeaths+got[1].LoneDeaths != 0 {
		f.Errorf("leased %d turns, want both side by side", len(got))
	}
}

func failures(f *fixture) {
	f.ask("q")
	t := f.lease("r1")
	f.must(f.Release(f.ctx, t.Fence(), 0))
	f.lease("r1")
	f.must(f.Leave(f.ctx, "r1"))
	f.lease("r2")
	f.expire("r2")
	t = f.lease("r3")
	if t.Failures != 0 {
		f.Fatalf("it failed %d times, and nothing did", t.Failures)
	}
	f.must(f.Release(f.ctx, t.Fence(), time.Microsecond))
	for t := f.tryLease("r3"); ; t = f.tryLease("r3") {
		if t == nil {
			continue // the delay has not passed yet
		}
		if t.Failures != 1 {
			f.Errorf("it failed %d times, want 1", t.Failures)
		}
		return
	}
}

// randomDeaths checks quarantines with random deaths of replicas. One turn kills every replica that
// runs it. Turns of different dead replicas must never run together, and a turn that ran alone when
// its replica died must run alone again.
func randomDeaths(f *fixture) {
	const turns, most = 30, 2_000
	for n := range turns {
		f.ask(fmt.Sprint("q", n))
	}
	f.ask("poison")
	random := dicetest.New(f)
	held := map[session.ReplicaID][]session.Turn{}
	// the replica that died last while it held the turn; turns of different dead replicas must not
	// run together
	last := map[session.TurnID]session.ReplicaID{}
	done, lives := 0, 0
	alive := []session.ReplicaID{"a0", "b0", "c0"}
	for _, id := range alive {
		f.beat(id)
	}
	for step := 0; done < turns+1; step++ {
		if step == most {
			f.Fatalf("only %d of %d turns have ended", done, turns+1)
		}
		n := random.IntN(len(alive))
		id := alive[n]
		t, err := One(f.Lease(f.ctx, session.LeaseRequest{Replica: id}))
		if err != nil && !errors.Is(err, session.ErrDraining) {
			f.Fatal(err)
		}
		dies := random.IntN(60) == 0
		if t != nil {
			for _, other := range held[id] {
				if last[t.ID] != last[other.ID] {
					f.Fatalf("%q runs together with %q: one died with %q, the other with %q", t.Question.Text, other.Question.Text, last[t.ID], last[other.ID])
				}
			}
			held[id] = append(held[id], *t)
			if t.LoneDeaths > 0 && len(held[id]) > 1 {
				f.Fatalf("%q, which died alone, runs together with others", t.Question.Text)
			}
			dies = dies || t.Question.Text == "poison" && t.LoneDeaths < 2
		} else if len(held[id]) > 0 {
			at := random.IntN(len(held[id]))
			f.finish(held[id][at], session.Answered)
			held[id] = append(held[id][:at], held[id][at+1:]...)
			done++
		}
		if dies {
			f.expire(id)
			for _, t := range held[id] {
				last[t.ID] = id
			}
			delete(held, id)
			lives++
			alive[n] = session.ReplicaID(fmt.Sprint("life", lives))
			f.beat(alive[n])
		}
	}
	f.Logf("%d replicas died", lives)
}
