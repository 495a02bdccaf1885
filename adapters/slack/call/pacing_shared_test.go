package call_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/adapters/slack/call"
	"github.com/footnotehq/footnote/core/thread"
)

// slow are tiers that answer when the test lets them.
type slow struct{ answer chan struct{} }

func (s *slow) wait(ctx context.Context) error {
	select {
	case <-s.answer:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *slow) Take(ctx context.Context, _ string, _ thread.Tier, _ thread.Class) (time.Duration, error) {
	return 0, s.wait(ctx)
}
func (s *slow) Count(ctx context.Context, _ string, _ thread.Tier) error   { return s.wait(ctx) }
func (s *slow) Pause(ctx context.Context, _ string, _ time.Duration) error { return s.wait(ctx) }

// While the shared tiers are asked for one call, nothing of any other call waits: no lock is held
// over the network.
func TestNobodyWaitsForTiersThatAreAskedForAnother(t *testing.T) {
	t.Parallel()
	to := thread.Ref{Workspace: "T1", Channel: "C1", Thread: "1.1"}
	for name, ask := range map[string]func(context.Context, *call.Pacing){
		"a call":               func(ctx context.Context, p *call.Pacing) { _ = p.Reserve(ctx, to, thread.Edit, thread.Final) },
		"a call that was made": func(ctx context.Context, p *call.Pacing) { p.Count(ctx, to, thread.Edit) },
		"a refusal":            func(ctx context.Context, p *call.Pacing) { p.Pause(ctx, to, thread.Edit, time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var p call.Pacing
				p.Use(&slow{make(chan struct{})})
				asked := make(chan struct{})
				go func() { ask(t.Context(), &p); close(asked) }()
				synctest.Wait() // it stands in the question now, which ends after a quarter of a second
				begin := time.Now()
				p.Share(2) // takes the lock
				if waited := time.Since(begin); waited != 0 {
					t.Errorf("the lock was held for %s", waited)
				}
				<-asked
			})
		})
	}
}

// Whoever comes first is served first, although the tiers are asked for without the lock, and a
// call that has room waits for one answer at most.
func TestOneCallIsAskedForAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tiers := &slow{make(chan struct{})}
		var p call.Pacing
		p.Use(tiers)
		served := make(chan int, 3)
		for n := range 3 {
			go func() {
				if p.Reserve(t.Context(), thread.Ref{Workspace: "T1", Channel: "C1", Thread: fmt.Sprint(n)}, thread.Edit, thread.Final) == nil {
					served <- n
				}
			}()
			synctest.Wait()
		}
		for want := range 3 {
			tiers.answer <- struct{}{}
			if got := <-served; got != want {
				t.Errorf("answer %d was served, want %d", got, want)
			}
			select {
			case n := <-served:
				t.Errorf("answer %d was served although the tiers had not answered", n)
			default:
			}
		}
	})
}

// An answer that was posted before it was complete is finished at once, however many there are and
// however much is edited meanwhile.
func TestWhatWasPostedEarlyIsFinishedEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p call.Pacing
		done := make(chan struct{})
		const answers = 50
		worst := make(chan time.Duration, answers)
		for n := range answers {
			go func() {
				defer func() { done <- struct{}{} }()
				to := thread.Ref{Workspace: "T1", Channel: fmt.Sprint("C", n%5), Thread: fmt.Sprint(n)}
				end := time.Now().Add(10*time.Second + time.Duration(n)*100*time.Millisecond)
				writing, cancel := context.WithDeadline(t.Context(), end)
				defer cancel()
				if p.Reserve(writing, to, thread.Create, thread.First) != nil {
					<-writing.Done()
					_ = p.Reserve(t.Context(), to, thread.Create, thread.Final) // complete at once
					return
				}
				for time.Now().Before(end) {
					_ = p.Reserve(writing, to, thread.Edit, thread.Progress)
					time.Sleep(1500 * time.Millisecond)
				}
				began := time.Now()
				_ = p.Reserve(t.Context(), to, thread.Edit, thread.Final)
				worst <- time.Since(began)
			}()
		}
		for range answers {
			<-done
		}
		if len(worst) < 10 {
			t.Errorf("%d answers were posted early, want 10 at least", len(worst))
		}
		for range len(worst) {
			if took := <-worst; took > 2*time.Second {
				t.Errorf("a final edit waited for %s", took)
			}
		}
	})
}
