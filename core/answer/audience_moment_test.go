package answer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/turn"
	"github.com/google/go-cmp/cmp"
)

// Somebody who may read less joins in the middle of a turn: before the model is asked again the
// turn begins anew, for those who listen then.
func TestTurnBeginsAnewWhenItsAudienceNarrows(t *testing.T) {
	members, public := access.NewAudience(tenant, access.Members), access.NewAudience(tenant)
	for _, tt := range []struct {
		name string
		then func(session.Turn) (access.Audience, error)
		runs []access.Audience
	}{
		{"nobody comes", func(session.Turn) (access.Audience, error) { return members, nil }, []access.Audience{members}},
		{"more may be read", func(session.Turn) (access.Audience, error) {
			return access.NewAudience(tenant, access.Members, "group:board"), nil
		}, []access.Audience{members}},
		{"a guest joins", func(session.Turn) (access.Audience, error) { return public, nil }, []access.Audience{members, public}},
		{"the platform does not answer", func(session.Turn) (access.Audience, error) { return access.Audience{}, errors.New("away") }, []access.Audience{members, public}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				w.thread.listen(func(session.Turn) (access.Audience, error) { return members, nil })
				r := w.start("a", func(ctx context.Context, req turn.Request) (string, error) {
					w.thread.listen(tt.then)
					if err := req.CheckAudience(ctx); err != nil {
						return "", err
					}
					return "re: " + req.Question.Text, nil
				})
				w.ask(r, "q")
				time.Sleep(time.Minute)
				synctest.Wait()
				var got, want []string
				for _, req := range r.engine.requests() {
					got = append(got, req.Audience.Key())
				}
				for _, a := range tt.runs {
					want = append(want, a.Key())
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("the turn was run for (-want +got):\n%s", diff)
				}
				w.finals("1 answered: re: q")
			})
		})
	}
}

// A person who may read less joins while a model writes: the attempt ends although the model goes
// on, and the turn begins again. A platform that does not answer ends nothing.
func TestAnswerIsNotWrittenOnForWhoeverJoins(t *testing.T) {
	members, public := access.NewAudience(tenant, access.Members), access.NewAudience(tenant)
	for _, tt := range []struct {
		name string
		then func(session.Turn) (access.Audience, error)
		runs int
	}{
		{"nobody comes", func(session.Turn) (access.Audience, error) { return members, nil }, 1},
		{"a guest joins", func(session.Turn) (access.Audience, error) { return public, nil }, 2},
		{"the platform does not answer for a while", func(session.Turn) (access.Audience, error) { return access.Audience{}, errors.New("away") }, 1},
		{"the platform's adapter panics", func(session.Turn) (access.Audience, error) { panic("no directory") }, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				w.thread.listen(func(session.Turn) (access.Audience, error) { return members, nil })
				var runs atomic.Int32
				r := w.start("a", func(ctx context.Context, req turn.Request) (string, error) {
					if runs.Add(1) == 1 {
						w.thread.listen(tt.then)
						if err := sleep.For(ctx, time.Minute); err != nil {
							return "", err
						}
						w.thread.listen(func(session.Turn) (access.Audience, error) { return members, nil })
					}
					return "re: " + req.Question.Text, nil
				})
				w.ask(r, "q")
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if n := int(runs.Load()); n != tt.runs {
					t.Errorf("%d runs after 10 s, want %d", n, tt.runs)
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				w.finals("1 answered: re: q")
			})
		})
	}
}

// Somebody who may read less joins while the answer is written: its documents are no sources of it.
func TestSourcesAreThoseThatWhoeverListensAtTheEndMayRead(t *testing.T) {
	bubble(t, func(w *world) {
		var joined atomic.Bool
		w.thread.listen(func(session.Turn) (access.Audience, error) {
			if joined.Load() {
				return access.NewAudience(tenant), nil
			}
			return access.NewAudience(tenant, access.Members), nil
		})
		w.may = func(a access.Audience, id document.ID) bool {
			return id == "open" || a.MayRead(access.ACL{access.Members})
		}
		r := w.start("a", func(context.Context, turn.Request) (string, error) {
			joined.Store(true)
			return "text", nil
		})
		r.engine.cites = []document.ID{"open", "inner"}
		w.ask(r, "q")
		synctest.Wait()
		if diff := cmp.Diff([][]document.ID{{"open"}}, w.thread.sources); diff != "" {
			t.Errorf("listed under the answer (-want +got):\n%s", diff)
		}
	})
}

// While it is still being found out who listens, the answer waits, and its asker is told so; nobody
// is taken for an outsider.
func TestAnswerWaitsUntilItIsKnownWhoListens(t *testing.T) {
	members := access.NewAudience(tenant, access.Members)
	for _, tt := range []struct {
		name  string
		after time.Duration // it is known; 0: never
		want  access.Audience
	}{
		{"for a while", 20 * time.Second, members},
		{"in vain", 0, access.NewAudience(tenant)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				began, known := time.Now(), new(atomic.Bool)
				w.thread.listen(func(session.Turn) (access.Audience, error) {
					if tt.after == 0 && !known.Load() || tt.after > 0 && time.Since(began) < tt.after {
						return access.Audience{}, fmt.Errorf("the list is being read: %w", access.ErrPending)
					}
					return members, nil
				})
				r := w.start("a", echo)
				w.ask(r, "q")
				time.Sleep(10 * time.Second)
				synctest.Wait()
				if n := len(r.engine.requests()); n != 0 {
					t.Errorf("%d runs before it is known who listens", n)
				}
				if said := strings.Join(w.thread.whispered(), " "); !strings.Contains(said, "still finding out") {
					t.Errorf("the asker was told %q", said)
				}
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				requests := r.engine.requests()
				if len(requests) != 1 || requests[0].Audience.Key() != tt.want.Key() {
					t.Errorf("runs: %+v", requests)
				}
				w.finals("1 answered: re: q")
				offers := func() (n int) {
					for _, said := range w.thread.whispered() {
						if strings.Contains(said, "Shall I answer this again") {
							n++
						}
					}
					return n
				}
				if n := offers(); n != 0 {
					t.Errorf("%d offers while it is not known who listens", n)
				}
				known.Store(true)
				w.start("b", echo) // whichever replica is there
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				want := 0
				if tt.after == 0 {
					want = 1
				}
				if n := offers(); n != want {
					t.Errorf("%d offers to answer again, want %d", n, want)
				}
			})
		})
	}
}
