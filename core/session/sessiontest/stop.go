package sessiontest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

func (f *fixture) stop(id thread.MessageID, by session.Stopper) session.StopResult {
	f.Helper()
	r, err := f.Request(f.ctx, session.StopRequest{Tenant: tenant, Ref: place, Message: id, By: by})
	f.must(err)
	return r
}

func (f *fixture) stopped(t session.Turn) bool {
	f.Helper()
	ids, err := f.Requested(f.ctx, []session.Fence{t.Fence()})
	f.must(err)
	return slices.Equal(ids, []session.TurnID{t.ID})
}

var (
	asker    = session.Stopper{ID: "U1"}
	starter  = session.Stopper{ID: "U2"}
	stranger = session.Stopper{ID: "U9"}
	admin    = session.Stopper{ID: "U8", Privileged: true}
)

func stopRunning(f *fixture) {
	in := f.question("q")
	f.accept(in)
	t := f.lease("r1")
	if f.stopped(t) {
		f.Fatal("stopped before a request")
	}
	for range 2 { // a repetition changes nothing
		if r := f.stop(in.Message, asker); !slices.Equal(r.Turns, []session.TurnID{t.ID}) || r.Denied || r.Armed {
			f.Errorf("the stop became %+v", r)
		}
	}
	if !f.stopped(t) {
		f.Error("the stop is not recorded")
	}
	if ids, err := f.Requested(f.ctx, nil); err != nil || len(ids) != 0 {
		f.Errorf("of no turns, %v are stopped (%v)", ids, err)
	}
}

func stopQueued(f *fixture) {
	in := f.question("q")
	f.accept(in)
	f.stop(in.Message, asker)
	if t := f.lease("r1"); !t.StopRequested {
		f.Error("the lease does not know of the stop")
	}
}

func stopArmed(f *fixture) {
	for name, by := range map[string]session.Stopper{"asker": asker, "starter": starter, "admin": admin} {
		in := f.question(name)
		f.stop(in.Message, stranger) // does not affect later stops
		if r := f.stop(in.Message, by); !r.Armed || len(r.Turns) != 0 {
			f.Errorf("%s: a stop of an unknown message became %+v", name, r)
		}
		f.stop(in.Message, stranger)
		if t := f.accept(in); !t.StopRequested {
			f.Errorf("%s: the turn was not born stopped", name)
		}
	}
	if t := f.lease("r1"); !t.StopRequested {
		f.Error("the lease does not know of the stop")
	}
}

func stopArmedByStranger(f *fixture) {
	in := f.question("q")
	f.stop(in.Message, stranger)
	if t := f.accept(in); t.StopRequested {
		f.Error("a stranger stopped the turn")
	}
	if r := f.stop(in.Message, asker); r.Armed || len(r.Turns) != 1 {
		f.Errorf("afterwards the asker's stop became %+v", r)
	}
}

func stopRace(f *fixture) {
	for n := range 20 {
		in := f.question("q")
		in.Ref.Thread = fmt.Sprint(n)
		var wg sync.WaitGroup
		var accepted session.Accepted
		var err, stopErr error
		wg.Go(func() { accepted, err = f.Accept(f.ctx, in) })
		wg.Go(func() {
			_, stopErr = f.Request(f.ctx, session.StopRequest{Tenant: tenant, Ref: in.Ref, Message: in.Message, By: asker})
		})
		wg.Wait()
		f.must(err)
		f.must(stopErr)
		if !f.stopped(accepted.Turn) {
			f.Fatalf("round %d: the stop was missed", n)
		}
	}
}

func stopDenied(f *fixture) {
	in := f.question("q")
	f.accept(in)
	t := f.lease("r1")
	for _, by := range []session.Stopper{stranger, {}} {
		if r := f.stop(in.Message, by); !r.Denied || len(r.Turns) != 0 {
			f.Errorf("the stop of %+v became %+v", by, r)
		}
	}
	if f.stopped(t) {
		f.Fatal("a stranger stopped the turn")
	}
	if r := f.stop(in.Message, starter); len(r.Turns) != 1 {
		f.Errorf("the stop of whoever began the thread became %+v", r)
	}
}

func stopThread(f *fixture) {
	f.accept(f.question("done"))
	f.finish(f.lease("r1"), session.Answered)
	running, waiting := f.accept(f.question("running")), f.accept(f.question("waiting"))
	others := f.question("another's")
	others.Asker = thread.Person{ID: "U3"}
	kept := f.accept(others)
	private := f.question("private")
	private.Owner = "U3"
	secret := f.accept(private)
	r := f.stop("", asker)
	if !slices.Equal(r.Turns, []session.TurnID{running.ID, waiting.ID}) || !r.Denied {
		f.Errorf("the asker stopped %v (denied %v), want %v and a denial", r.Turns, r.Denied, []session.TurnID{running.ID, waiting.ID})
	}
	if f.stopped(kept) || f.stopped(secret) {
		f.Error("another's turn was stopped")
	}
	if r := f.stop("", admin); !slices.Contains(r.Turns, kept.ID) || slices.Contains(r.Turns, secret.ID) {
		f.Errorf("an administrator stopped %v", r.Turns)
	}
}

func stopPage(f *fixture) {
	f.accept(f.question("q"))
	t := f.lease("r1")
	key := session.PageKey{Kind: session.Notice}
	f.must(f.Intend(f.ctx, t.Fence(), key, place))
	f.must(f.Posted(f.ctx, t.Fence(), key, "bot-1", "h"))
	if r := f.stop("bot-1", asker); !slices.Equal(r.Turns, []session.TurnID{t.ID}) || !f.stopped(t) {
		f.Errorf("a stop of the page became %+v", r)
	}
}

func stopPageArmed(f *fixture) {
	f.accept(f.question("q"))
	t := f.lease("r1")
	key := session.PageKey{Kind: session.Answer}
	f.must(f.Intend(f.ctx, t.Fence(), key, place))
	if r := f.stop("bot-1", asker); !r.Armed { // a person saw the page before it was recorded
		f.Errorf("a stop of an unknown page became %+v", r)
	}
	f.must(f.Posted(f.ctx, t.Fence(), key, "bot-1", "h"))
	if !f.stopped(t) {
		f.Error("the stop was missed")
	}
}

func stopFinished(f *fixture) {
	in := f.question("q")
	f.accept(in)
	t := f.lease("r1")
	f.must(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered}))
	if r := f.stop(in.Message, asker); len(r.Turns) != 0 || r.Denied || r.Armed {
		f.Errorf("a stop after the outcome became %+v", r)
	}
	if f.stopped(t) {
		f.Error("a finished turn is to be stopped")
	}
}
