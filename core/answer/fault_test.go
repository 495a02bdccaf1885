package answer_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/command"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
)

var errFault = errors.New("fault")

func TestDeadReplicaLosesItsTurn(t *testing.T) {
	bubble(t, func(w *world) {
		dying := w.start("a", slow(time.Hour))
		w.ask(dying, "q")
		synctest.Wait()
		heir := w.start("b", slow(time.Second))
		dying.die()
		began := time.Now()
		for w.shown() == 0 && time.Since(began) < time.Minute {
			time.Sleep(100 * time.Millisecond)
		}
		if took := time.Since(began); took > 10*time.Second+time.Second { // the answer itself takes one
			t.Errorf("taken over after %s", took-time.Second)
		}
		time.Sleep(time.Minute)
		w.finals("1 answered: re: q")
		if n := len(heir.engine.requests()); n != 1 {
			t.Errorf("the heir ran the turn %d times", n)
		}
	})
}

// A replica that is only cut off from the store goes on running, and must show nothing once another
// may hold the turn.
func TestReplicaThatCannotRenewStopsWriting(t *testing.T) {
	bubble(t, func(w *world) {
		cut := w.start("a", slow(8*time.Second))
		w.ask(cut, "q")
		synctest.Wait()
		cut.die()
		time.Sleep(20 * time.Second) // its answer would have come, after its lease
		if n := w.shown(); n != 0 {
			t.Errorf("%d finals of a replica without a lease", n)
		}
		cut.faults.set(nil, nil) // the store is back: the replica itself begins anew
		time.Sleep(20 * time.Second)
		w.finals("1 answered: re: q")
	})
}

// A process that begins holds nothing that it could lose: it waits for a slow store for longer than
// for the renewal of a lease.
func TestAReplicaBeginsOnASlowStore(t *testing.T) {
	bubble(t, func(w *world) {
		w.before = func(string) error {
			time.Sleep(9 * time.Second) // longer than a lease lasts
			return nil
		}
		a := w.start("a", echo)
		time.Sleep(time.Second)
		a.faults.set(nil, nil)
		time.Sleep(20 * time.Second)
		w.ask(a, "q")
		time.Sleep(20 * time.Second)
		w.finals("1 answered: re: q")
	})
}

// The answer is complete, but the lease runs out while it is written: nothing is shown, and whoever
// leases the turn shows it.
func TestLeaseLostWhileDelivering(t *testing.T) {
	bubble(t, func(w *world) {
		a := w.start("a", echo)
		w.thread.fail = func(try int) error {
			if try == 1 {
				a.die()
				return errFault
			}
			return nil
		}
		w.ask(a, "q")
		synctest.Wait()
		b := w.start("b", echo)
		time.Sleep(time.Minute)
		w.finals("1 answered: re: q")
		if n := len(b.engine.requests()); n != 0 {
			t.Errorf("an answer that was saved was made again %d times", n)
		}
	})
}

func TestTurnThatKillsReplicasFails(t *testing.T) {
	bubble(t, func(w *world) {
		var replicas []*replica
		for n := range 5 {
			replicas = append(replicas, nil)
			replicas[n] = w.start(fmt.Sprint(n), func(context.Context, turn.Request) (string, error) {
				replicas[n].die()
				<-time.After(time.Hour)
				return "too late", nil
			})
		}
		w.ask(replicas[4], "poison")
		time.Sleep(5 * time.Minute)
		w.finals("1 failed: ")
	})
}

func TestReplicasThatDieAtRandomLoseNothing(t *testing.T) {
	bubble(t, func(w *world) {
		random := rand.New(rand.NewPCG(1, 2))
		steady := w.start("steady", slow(2*time.Second), func(c *answer.Config) { c.Workers, c.MaxDeaths = 4, 100 })
		const turns = 60
		for n := range turns {
			w.ask(steady, fmt.Sprint(n), inThread(fmt.Sprint(n%20)))
		}
		for n := range 20 {
			r := w.start(fmt.Sprint("mortal", n), slow(2*time.Second), func(c *answer.Config) { c.Workers, c.MaxDeaths = 10, 100 })
			time.Sleep(time.Duration(random.IntN(5000)) * time.Millisecond)
			r.die()
		}
		time.Sleep(10 * time.Minute)
		w.thread.mu.Lock()
		defer w.thread.mu.Unlock()
		if len(w.thread.finals) != turns {
			t.Errorf("%d finals for %d questions", len(w.thread.finals), turns)
		}
		// Numbers 1 to 3 in each of 20 threads, each question once.
		seen := map[string]int{}
		for _, final := range w.thread.finals {
			seen[final]++
		}
		for n := range turns {
			if want := fmt.Sprintf("%d answered: re: %d", n/20+1, n); seen[want] != 1 {
				t.Errorf("%q was shown %d times", want, seen[want])
			}
		}
	})
}

func TestStop(t *testing.T) {
	stop := func(w *world, r *replica, by session.Stopper) session.StopResult {
		w.Helper()
		result, err := r.Stop(w.Context(), session.StopRequest{
			Tenant: tenant, Ref: thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "1"}, Message: "m1", By: by,
		})
		if err != nil {
			w.Fatal(err)
		}
		return result
	}
	asker := session.Stopper{ID: "U1"}
	t.Run("while it runs", func(t *testing.T) {
		bubble(t, func(w *world) {
			r := w.start("a", slow(time.Hour))
			w.ask(r, "q")
			synctest.Wait()
			stop(w, r, asker)
			synctest.Wait() // at once
			w.finals("1 stopped: partial")
		})
	})
	t.Run("on another replica", func(t *testing.T) {
		bubble(t, func(w *world) {
			runs := w.start("a", slow(time.Hour))
			w.ask(runs, "q")
			synctest.Wait()
			stop(w, w.start("b", echo), asker)
			synctest.Wait()
			w.finals("1 stopped: partial")
		})
	})
	t.Run("when the signal is lost", func(t *testing.T) {
		bubble(t, func(w *world) {
			w.signal = deaf{}
			r := w.start("a", slow(time.Hour))
			w.ask(r, "q")
			synctest.Wait()
			stop(w, r, asker)
			time.Sleep(time.Second)
			w.finals("1 stopped: partial")
		})
	})
	t.Run("before the question arrives", func(t *testing.T) {
		bubble(t, func(w *world) {
			r := w.start("a", echo)
			if result := stop(w, r, asker); !result.Armed {
				t.Errorf("the stop became %+v", result)
			}
			w.ask(r, "q")
			synctest.Wait()
			w.finals("1 stopped: ")
			if n := len(r.engine.requests()); n != 0 {
				t.Errorf("a stopped turn ran %d times", n)
			}
		})
	})
	t.Run("while it waits", func(t *testing.T) {
		bubble(t, func(w *world) {
			r := w.start("a", slow(10*time.Second))
			w.ask(r, "running", func(m *thread.Mention) { m.Message = "m0" })
			w.ask(r, "waiting", func(m *thread.Mention) { m.Message = "m1" })
			stop(w, r, asker)
			time.Sleep(15 * time.Second)
			w.finals("1 answered: re: running", "2 stopped: ")
		})
	})
	t.Run("by a stranger", func(t *testing.T) {
		bubble(t, func(w *world) {
			r := w.start("a", slow(time.Second))
			w.ask(r, "q")
			if result := stop(w, r, session.Stopper{ID: "U9"}); !result.Denied {
				t.Errorf("the stop became %+v", result)
			}
			time.Sleep(2 * time.Second)
			w.finals("1 answered: re: q")
		})
	})
	t.Run("between the lease and the watch", func(t *testing.T) {
		bubble(t, func(w *world) {
			r := w.start("a", slow(time.Hour))
			r.faults.set(nil, func(op string) error {
				if op == "lease" {
					r.faults.set(nil, nil)
					if _, err := w.store.Request(w.Context(), session.StopRequest{
						Tenant: tenant, Ref: thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "1"}, Message: "m1", By: asker,
					}); err != nil {
						w.Error(err)
					}
				}
				return nil
			})
			time.Sleep(time.Second) // an empty lease has no effect on the message yet
			w.ask(r, "q")
			synctest.Wait()
			w.finals("1 stopped: ")
		})
	})
}

// deaf is a signal that is lost.
type deaf struct{}

func (deaf) Raise(context.Context, session.TurnID) error           { return errFault }
func (deaf) Watch(context.Context, session.TurnID) <-chan struct{} { return nil }
func (deaf) Reliable() bool                                        { return false }

func TestFinalWriteIsTriedUntilItLands(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("a", echo)
		w.thread.fail = func(try int) error {
			if try < 8 {
				return errFault
			}
			return nil
		}
		w.ask(r, "q")
		w.ask(r, "next")
		time.Sleep(10 * time.Minute)
		w.finals("1 answered: re: q", "2 answered: re: next")
		if n := len(r.engine.requests()); n != 2 {
			t.Errorf("%d runs for 2 questions", n)
		}
	})
}

// An answer whose first final write fails offers the same when it is shown later: to look deeper,
// where it leaves a part of the question open.
func TestWhatIsOfferedOutlivesARedelivery(t *testing.T) {
	t.Parallel()
	for question, offered := range map[string]bool{"Where is the office, and who leads the team?": true, "Where is the office?": false} {
		t.Run(question, func(t *testing.T) {
			bubble(t, func(w *world) {
				w.thread.fail = func(try int) error {
					if try == 1 {
						return errors.New("the platform is away")
					}
					return nil
				}
				r := w.start("one", func(context.Context, turn.Request) (string, error) { return "The office is in Dublin.", nil })
				w.ask(r, question)
				time.Sleep(time.Minute)
				w.finals("1 answered: The office is in Dublin.")
				if !slices.Equal(w.thread.deeper, []bool{offered}) {
					w.Errorf("offered = %v", w.thread.deeper)
				}
			})
		})
	}
}

func TestPlatformThatNeverTakesTheAnswer(t *testing.T) {
	for never, why := range map[error]string{
		thread.ErrNotPermitted: "was not permitted to write", thread.ErrRefused: "refused the answer's messages",
		thread.ErrMessageGone: "neither be changed nor posted", thread.ErrNotEditable: "neither be changed nor posted",
	} {
		t.Run(never.Error(), func(t *testing.T) {
			bubble(t, func(w *world) {
				r := w.start("a", echo)
				w.thread.fail = func(try int) error {
					if try == 1 {
						return fmt.Errorf("edit: %w", never)
					}
					return nil
				}
				lost := w.ask(r, "lost")
				w.ask(r, "next")
				synctest.Wait()
				w.finals("2 answered: re: next")
				got, err := w.store.Turn(t.Context(), tenant, lost.ID)
				if said := (command.Explanation{Turn: &got}).Sentences(nil); err != nil || !strings.Contains(strings.Join(said, "\n"), why) {
					t.Errorf("it is explained by %q (%v), want %q in it", said, err, why)
				}
			})
		})
	}
}

func TestPlatformThatIsAwayForEverHoldsNothingUpForEver(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("a", echo)
		w.thread.fail = func(int) error { return errFault }
		w.ask(r, "q")
		time.Sleep(2 * time.Hour)
		w.thread.fail = nil
		w.ask(r, "next")
		synctest.Wait()
		w.finals("2 answered: re: next")
	})
}

func TestWritesOfUnknownFate(t *testing.T) {
	for _, op := range []string{"lease", "finish", "delivered", "load", "requested", "beat"} {
		for name, times := range map[string]int{"once": 1, "for a while": 3} {
			t.Run(op+" "+name, func(t *testing.T) {
				bubble(t, func(w *world) {
					r := w.start("a", echo)
					failed := 0
					var mu sync.Mutex
					w.ask(r, "warm up", inThread("other"))
					synctest.Wait()
					r.faults.set(nil, func(did string) error { // it happened, but the answer is lost
						mu.Lock()
						defer mu.Unlock()
						if did != op || failed == times {
							return nil
						}
						failed++
						return errFault
					})
					w.ask(r, "q")
					w.ask(r, "next")
					time.Sleep(time.Minute)
					w.finals("1 answered: re: warm up", "1 answered: re: q", "2 answered: re: next")
				})
			})
		}
	}
}

func TestShutdown(t *testing.T) {
	t.Run("lets turns finish", func(t *testing.T) {
		bubble(t, func(w *world) {
			r := w.start("a", slow(10*time.Second))
			w.ask(r, "q")
			w.ask(r, "not begun")
			synctest.Wait()
			r.stop()
			w.finals("1 answered: re: q")
		})
	})
	t.Run("hands back what takes too long", func(t *testing.T) {
		bubble(t, func(w *world) {
			r := w.start("a", slow(time.Hour))
			w.ask(r, "q")
			synctest.Wait()
			began := time.Now()
			r.stop()
			if took := time.Since(began); took != 30*time.Second {
				t.Errorf("the grace period took %s", took)
			}
			w.finals()
			w.start("b", echo)
			synctest.Wait() // nobody waits for a lease to run out
			w.finals("1 answered: re: q")
		})
	})
}

func TestRestoredBackupPostsNothing(t *testing.T) {
	bubble(t, func(w *world) {
		before := w.start("a", slow(time.Hour))
		w.ask(before, "running")
		w.ask(before, "waiting")
		synctest.Wait()
		before.die() // and everything else with it
		time.Sleep(time.Hour)
		after := w.start("b", echo)
		time.Sleep(time.Minute)
		w.finals()
		w.ask(after, "new")
		synctest.Wait()
		w.finals("3 answered: re: new")
	})
}

func TestRacingReplicasAnswerEachQuestionOnce(t *testing.T) {
	bubble(t, func(w *world) {
		var replicas []*replica
		for n := range 4 {
			replicas = append(replicas, w.start(fmt.Sprint(n), slow(time.Second)))
		}
		var want []string
		for n := range 40 {
			w.ask(replicas[n%4], fmt.Sprint(n), inThread(fmt.Sprint(n)))
			want = append(want, fmt.Sprintf("1 answered: re: %d", n))
		}
		time.Sleep(time.Minute)
		w.thread.mu.Lock()
		defer w.thread.mu.Unlock()
		slices.Sort(want)
		if got := slices.Sorted(slices.Values(w.thread.finals)); !slices.Equal(got, want) {
			t.Errorf("the threads show %q", got)
		}
	})
}

func TestPanicInATurnEndsIt(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("a", func(_ context.Context, req turn.Request) (string, error) {
			if req.Question.Text == "bad" {
				panic("no")
			}
			return "fine", nil
		})
		w.ask(r, "bad")
		w.ask(r, "good")
		time.Sleep(30 * time.Minute)
		w.finals("1 failed: ", "2 answered: fine")
	})
}
