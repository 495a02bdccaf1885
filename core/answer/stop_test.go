package answer_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
)

// A stop may come at any moment of a turn's life, between any two calls of the store: the turn ends
// in one outcome, said once.
func TestStopBetweenAnyTwoStepsOfATurn(t *testing.T) {
	tests := []struct {
		name, op string
		after    bool // of the call, else before it
		want     string
	}{
		{"before it is leased", "lease", false, "1 stopped: "},
		{"once it is leased", "lease", true, "1 stopped: "},
		{"while a stop is looked for", "requested", false, "1 stopped: "},
		{"just after one was looked for", "requested", true, "1 stopped: "},
		{"while the history is loaded", "load", false, "1 stopped: "},
		{"once the history is loaded", "load", true, "1 stopped: "},
		{"before the answer is saved", "finish", false, "1 answered: re: q"},
		{"once the answer is saved", "finish", true, "1 answered: re: q"},
		{"before the turn is done", "delivered", false, "1 answered: re: q"},
		{"once the turn is done", "delivered", true, "1 answered: re: q"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				r := w.start("a", func(ctx context.Context, req turn.Request) (string, error) { // writes nothing before it is done
					select {
					case <-time.After(time.Second):
						return "re: " + req.Question.Text, nil
					case <-ctx.Done():
						return "", context.Cause(ctx)
					}
				})
				synctest.Wait()
				var once sync.Once
				asked := false
				stop := func(op string) error {
					if op == tt.op && asked {
						once.Do(func() {
							result, err := r.Stop(w.Context(), session.StopRequest{
								Tenant: tenant, Ref: thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "1"}, Message: "m1",
								By: session.Stopper{ID: "U1"},
							})
							if err != nil || result.Denied || result.Armed {
								t.Errorf("the stop became %+v, %v", result, err)
							}
						})
					}
					return nil
				}
				if tt.after {
					r.faults.set(nil, stop)
				} else {
					r.faults.set(stop, nil)
				}
				asked = true
				w.ask(r, "q")
				time.Sleep(time.Minute)
				synctest.Wait()
				w.finals(tt.want)
			})
		})
	}
}

// The platform may still carry out a call of an attempt that has ended. The turn is released to the
// next attempt when the platform has answered.
func TestTurnIsReleasedAfterItsCalls(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("a", func(_ context.Context, _ turn.Request) (string, error) { return "words", nil })
		var ended []string
		w.thread.closing = func() {
			time.Sleep(time.Second)
			ended = append(ended, "calls")
		}
		r.faults.set(func(op string) error {
			if op == "load" && len(ended) == 0 {
				return errFault
			}
			if op == "release" {
				ended = append(ended, "turn")
			}
			return nil
		}, nil)
		w.ask(r, "q")
		time.Sleep(time.Minute)
		synctest.Wait()
		w.finals("1 answered: words")
		if got := strings.Join(ended, ", "); got != "calls, turn, calls" {
			t.Errorf("the attempts ended with: %s", got)
		}
	})
}

// An attempt ends slowly, so that its replica has begun the next one of the same turn. The next
// attempt can still be stopped.
func TestStopOfNextAttemptWhileThePreviousOneEnds(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("a", func(ctx context.Context, _ turn.Request) (string, error) {
			<-ctx.Done()
			return "", context.Cause(ctx)
		})
		failed, slow := false, false
		r.faults.set(func(op string) error {
			if op == "load" && !failed {
				failed = true
				return errFault
			}
			return nil
		}, func(op string) error {
			if op == "release" && !slow {
				slow = true
				time.Sleep(time.Minute)
			}
			return nil
		})
		w.ask(r, "q")
		time.Sleep(2 * time.Minute)
		_, err := r.Stop(w.Context(), session.StopRequest{
			Tenant: tenant, Ref: thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "1"}, Message: "m1", By: session.Stopper{ID: "U1"},
		})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		w.finals("1 stopped: ")
	})
}
