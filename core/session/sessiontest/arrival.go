package sessiontest

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/session"
)

func (f *fixture) written(second int) session.Intake {
	in := f.question(fmt.Sprint("written at ", second))
	in.At = in.At.Add(time.Duration(second) * time.Second)
	return in
}

// answers leases and finishes all waiting turns, and returns their questions in order. It checks
// that the history of each turn contains exactly the questions before it.
func (f *fixture) answers() (texts []string) {
	f.Helper()
	for t := f.tryLease("r1"); t != nil; t = f.tryLease("r1") {
		var before []string
		history, err := f.Load(f.ctx, *t, 100)
		f.must(err)
		for _, m := range history {
			before = append(before, m.Text)
		}
		f.equal("what was asked before "+t.Question.Text, before, texts)
		texts = append(texts, t.Question.Text)
		f.finish(*t, session.Answered)
	}
	return texts
}

func lateArrivals(f *fixture) {
	ahead := []int{0, 1, 2, 1, 0, 4, 5, 6}
	for n, at := range []int{3, 5, 9, 4, 1, 7, 7, 8} {
		accepted, err := f.Accept(f.ctx, f.written(at))
		f.must(err)
		if accepted.Ahead != ahead[n] {
			f.Errorf("the question written at %d has %d ahead, want %d", at, accepted.Ahead, ahead[n])
		}
	}
	without := f.question("without a time")
	without.At = time.Time{}
	f.accept(without)
	f.equal("answers", f.answers(), []string{
		"written at 1", "written at 3", "written at 4", "written at 5", "written at 7", "written at 7", "written at 8", "written at 9", "without a time",
	})
}

func lateArrivalOfBegun(f *fixture) {
	answered, released, waits := f.accept(f.written(3)), f.accept(f.written(4)), f.accept(f.written(5))
	want := func(id session.TurnID) session.Turn {
		f.Helper()
		t := f.lease("r1")
		if t.ID != id {
			f.Fatalf("leased what was %s", t.Question.Text)
		}
		return t
	}
	f.finish(want(answered.ID), session.Answered)
	f.must(f.Release(f.ctx, want(released.ID).Fence(), 0)) // a replica has begun it
	early := f.accept(f.written(1))
	for _, id := range []session.TurnID{released.ID, early.ID, waits.ID} {
		f.finish(want(id), session.Answered)
	}
}

func lateArrivalUnasked(f *fixture) {
	asked := f.accept(f.written(5))
	in := f.written(1)
	in.Ambient, in.After = true, time.Hour
	f.accept(in)
	if t := f.lease("r1"); t.ID != asked.ID {
		f.Errorf("leased what was %s; who asks does not wait behind who did not", t.Question.Text)
	}
}

// racingArrivals checks that concurrent replicas lease messages in order. While an earlier stored
// message waits, no later message may be leased.
func racingArrivals(f *fixture) {
	const questions, replicas = 60, 3
	ins := make(chan session.Intake, questions)
	for i := range questions {
		ins <- f.written(i ^ 3) // reverses each group of four
	}
	close(ins)
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		stored = map[session.TurnID]time.Time{}
		left   = questions
	)
	for range 4 {
		wg.Go(func() {
			for in := range ins {
				got, err := f.Accept(f.ctx, in)
				if err != nil {
					f.Error(err)
				}
				mu.Lock()
				stored[got.Turn.ID] = in.At
				mu.Unlock()
			}
		})
	}
	begun := map[session.TurnID]bool{}
	for r := range replicas {
		id := session.ReplicaID(fmt.Sprint("r", r))
		f.beat(id)
		wg.Go(func() {
			for f.ctx.Err() == nil {
				mu.Lock()
				waiting := maps.Clone(stored)
				finished := left == 0
				mu.Unlock()
				if finished {
					return
				}
				t, err := One(f.Lease(f.ctx, session.LeaseRequest{Replica: id}))
				if err != nil {
					f.Error(err)
					return
				}
				if t == nil {
					continue
				}
				mu.Lock()
				begun[t.ID] = true
				left--
				for id, at := range waiting { // turns that another replica leased before are in begun
					if !begun[id] && at.Before(t.Question.At) {
						f.Errorf("leased what was written at %s while %s waited", t.Question.At, at)
					}
				}
				mu.Unlock()
				if err := errors.Join(f.Finish(f.ctx, t.Fence(), session.Saved{Outcome: session.Answered}), f.Delivered(f.ctx, t.Fence(), "")); err != nil {
					f.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
