package sessiontest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/dicetest"
	"github.com/footnotehq/footnote/core/thread"
)

type walker struct {
	*fixture
	random  *rand.Rand
	states  map[session.TurnID]session.State // as they were after the last step
	asked   map[session.TurnID]thread.MessageID
	order   []session.TurnID
	held    []session.Turn // leased turns; some attempts may have lost them
	replica int            // a live replica
	seen    map[session.Transition]bool
}

// refused lists the errors that a store may return for a step that comes too late.
var refused = []error{
	session.ErrFenced, session.ErrFinished, session.ErrEdited, session.ErrWithdrawn, session.ErrRemoved, session.ErrUnfinished, session.ErrCorrected,
	session.ErrUnknownTurn, session.ErrDraining, session.ErrUnknownPage,
}

func (w *walker) may(err error) {
	w.Helper()
	for _, r := range refused {
		if errors.Is(err, r) {
			return
		}
	}
	w.must(err)
}

func (w *walker) any() session.TurnID { return w.order[w.random.IntN(len(w.order))] }

func (w *walker) me() session.ReplicaID { return session.ReplicaID(fmt.Sprint("life", w.replica)) }

func (w *walker) step() session.Event {
	w.Helper()
	if len(w.order) == 0 {
		return w.ask()
	}
	if w.waiting() > 3 && len(w.held) == 0 { // people ask no more than workers can answer
		return w.lease()
	}
	if len(w.held) > 0 && w.random.IntN(3) > 0 {
		return w.work()
	}
	id := w.any()
	switch w.random.IntN(13) {
	case 0, 1:
		if w.waiting() > 3 {
			return w.lease()
		}
		return w.ask()
	case 2, 3, 4, 5:
		return w.lease()
	case 6:
		_, err := w.Beat(w.ctx, w.me(), 0)
		w.must(err) // dies
		w.replica++
		return session.Leased
	case 7:
		w.must(w.Leave(w.ctx, w.me()))
		w.replica++
		return session.HandedBack
	case 8:
		_, err := w.Request(w.ctx, session.StopRequest{Tenant: tenant, Ref: place, Message: w.asked[id], By: session.Stopper{ID: "U1"}})
		w.must(err)
		return session.StopAsked
	case 9:
		w.events++
		_, err := w.Edit(w.ctx, session.Edit{Tenant: tenant, Ref: place, Message: w.asked[id], Text: fmt.Sprint("edited ", w.events)})
		w.must(err)
		return session.Edited
	case 10:
		if w.random.IntN(3) > 0 {
			return w.revise(id)
		}
		_, err := w.Withdraw(w.ctx, tenant, place, w.asked[id], "The question was deleted.")
		w.must(err)
		return session.Withdrawn
	case 11:
		if w.random.IntN(3) > 0 {
			return w.revise(id)
		}
		w.events++
		_, err := w.Remove(w.ctx, tenant, id, fmt.Sprint("remove", w.events), session.Removal{By: mod})
		w.may(err)
		return session.Removed
	default:
		return w.revise(id)
	}
}

func (w *walker) waiting() int {
	w.Helper()
	n, err := w.Waiting(w.ctx, tenant, session.PlaceOf(place))
	w.must(err)
	return n
}

func (w *walker) lease() session.Event {
	w.Helper()
	_, err := w.Beat(w.ctx, w.me(), time.Hour)
	w.must(err)
	t, err := One(w.Lease(w.ctx, session.LeaseRequest{Replica: w.me()}))
	w.may(err)
	if t != nil {
		w.held = append(w.held, *t)
	}
	return session.Leased
}

func (w *walker) ask() session.Event {
	w.Helper()
	in := w.question("q")
	in.Ambient = w.random.IntN(4) == 0
	t := w.accept(in)
	w.asked[t.ID], w.order = in.Message, append(w.order, t.ID)
	w.states[t.ID] = ""
	return session.Asked
}

func (w *walker) work() session.Event {
	w.Helper()
	at := w.random.IntN(len(w.held))
	t := w.held[at]
	drop := func() { w.held = append(w.held[:at], w.held[at+1:]...) }
	switch w.random.IntN(6) {
	case 0:
		err := w.Intend(w.ctx, t.Fence(), firstPage, t.Session.Ref)
		if err == nil {
			err = w.Posted(w.ctx, t.Fence(), firstPage, thread.MessageID(fmt.Sprint("p-", t.ID)), "h")
		}
		w.may(err)
		return session.Leased
	case 1, 2:
		outcome := []session.Outcome{session.Answered, session.NoEvidence, session.Stopped, session.Superseded, session.Failed}[w.random.IntN(5)]
		w.may(w.Finish(w.ctx, t.Fence(), session.Saved{Outcome: outcome, Runs: []session.Run{answer("text")}}))
		return session.Finished
	case 3:
		w.may(w.Release(w.ctx, t.Fence(), 0))
		drop()
		return session.HandedBack
	default:
		err := w.Delivered(w.ctx, t.Fence(), "")
		w.may(err)
		if err == nil {
			drop()
		}
		return session.Delivered
	}
}

func (w *walker) revise(id session.TurnID) session.Event {
	w.Helper()
	w.events++
	key := fmt.Sprint("act", w.events)
	if w.random.IntN(2) == 0 {
		w.may(w.Correct(w.ctx, tenant, id, key, session.Correction{Text: "better", By: mod}))
		return session.Revised
	}
	made, err := w.Derive(w.ctx, session.Derive{Tenant: tenant, Of: id, As: session.Retried, Key: key, Audience: w.question("").Audience})
	w.may(err)
	if err == nil && !made.Duplicate {
		w.order = append(w.order, made.Turn.ID)
		w.asked[made.Turn.ID], w.states[made.Turn.ID] = w.asked[id], ""
	}
	return session.Asked
}

func (w *walker) look(step int, happened session.Event) {
	w.Helper()
	for _, id := range w.order {
		t, err := w.Turn(w.ctx, tenant, id)
		w.must(err)
		before := w.states[id]
		w.states[id] = t.State
		if finished := t.State == session.Delivering || t.State == session.Done; finished != (t.Outcome != "") {
			w.Fatalf("step %d, %s: turn %d is %s with the outcome %q", step, happened, t.Number, t.State, t.Outcome)
		}
		if before == t.State {
			continue
		}
		e := happened
		if e == session.Asked && before != "" { // the event belongs to another turn
			e = session.Overtaken
		}
		if !session.Allowed(e, before, t.State) {
			w.Fatalf("step %d: turn %d went from %q to %q when it was %s, which is not in session.Life", step, t.Number, before, t.State, e)
		}
		w.seen[session.Transition{Event: e, From: before, To: t.State}] = true
	}
}

// life makes random steps and checks that session.Life lists every change of a state.
func life(f *fixture) {
	const steps, most, ways, lately = 300, 10_000, 10, 6
	w := &walker{
		fixture: f, random: dicetest.New(f), states: map[session.TurnID]session.State{}, asked: map[session.TurnID]thread.MessageID{},
		seen: map[session.Transition]bool{},
	}
	for step := 0; step < steps || len(w.seen) < ways; step++ {
		if step == most {
			f.Fatalf("in %d steps only %v were met", step, w.seen)
		}
		w.look(step, w.step())
		w.order = w.order[max(0, len(w.order)-lately):] // people act on recent turns
	}
}
