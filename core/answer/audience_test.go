package answer_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
	"github.com/google/go-cmp/cmp"
)

// Who listens is asked when a turn starts, not when its question came in.
func TestAudienceIsThatOfTheMomentAtWhichTheTurnStarts(t *testing.T) {
	members, public := access.NewAudience(tenant, access.Members), access.NewAudience(tenant)
	board := access.NewAudience(tenant, access.Members, access.Group("board"))
	tests := []struct {
		name      string
		listeners func(session.Turn) (access.Audience, error)
		want      access.Audience
	}{
		{"a guest joined while the question waited", func(session.Turn) (access.Audience, error) { return public, nil }, public},
		{"the channel was given to the board", func(session.Turn) (access.Audience, error) { return board, nil }, board},
		{"the platform cannot be asked", func(session.Turn) (access.Audience, error) { return members, errors.New("no directory") }, public},
		{"the platform answers for another tenant", func(session.Turn) (access.Audience, error) { return access.NewAudience("other", access.Members), nil }, public},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				r := w.start("a", slow(time.Minute))
				w.ask(r, "first")
				w.ask(r, "second") // waits a minute
				synctest.Wait()
				w.thread.listen(tt.listeners)
				time.Sleep(3 * time.Minute)
				synctest.Wait()
				requests := r.engine.requests()
				last := requests[len(requests)-1]
				if last.Question.Text != "second" || len(requests) > 3 { // the first may begin again
					t.Fatalf("the last of %d runs was for %q", len(requests), last.Question.Text)
				}
				if got := requests[0].Audience.Key(); got != members.Key() {
					t.Errorf("the first turn was run for %q", got)
				}
				if got := last.Audience.Key(); got != tt.want.Key() {
					t.Errorf("the second turn was run for %q, want %q", got, tt.want.Key())
				}
			})
		})
	}
}

// A notice about an unknown audience names what is unknown, and advises what helps.
func TestNoticeOfUnknownAudience(t *testing.T) {
	for _, tt := range []struct {
		name   string
		direct bool
		err    error
		want   string
	}{
		{"in a channel", false, errors.New("down"), "I could not find out who is in this channel, so I looked at public documents only. Ask again in a few minutes."},
		{"in a direct message", true, errors.New("down"), "I could not find out which documents you may read, so I looked at public documents only. Ask again in a few minutes."},
		{
			"refused for good", false, thread.ErrNotPermitted,
			"I could not find out who is in this channel, so I looked at public documents only. Asking again does not help: tell whoever runs this bot to run `footnote doctor`.",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				w.thread.listen(func(session.Turn) (access.Audience, error) { return access.Audience{}, tt.err })
				asked := w.ask(w.start("a", echo), "q", func(m *thread.Mention) { m.Direct = tt.direct })
				synctest.Wait()
				saved, err := w.store.Saved(w.Context(), asked)
				if err != nil || len(saved.Runs) != 1 || !slices.Equal(saved.Runs[0].Ending.Notices, []string{tt.want}) {
					t.Errorf("saved %+v, %v", saved, err)
				}
			})
		})
	}
}

// The audience that was stored bounds what is shown while nobody can be asked.
func TestUnknownListenersAreNeverShownMoreThanThoseOfTheIntake(t *testing.T) {
	bubble(t, func(w *world) {
		w.thread.listen(func(session.Turn) (access.Audience, error) { return access.Audience{}, errors.New("no directory") })
		r := w.start("a", echo)
		w.ask(r, "q", func(m *thread.Mention) { m.Listens = access.NewAudience(tenant) })
		synctest.Wait()
		if got, want := r.engine.requests()[0].Audience.Key(), access.NewAudience(tenant).Key(); got != want {
			t.Errorf("the turn was run for %q, want %q", got, want)
		}
	})
}

// A turn that another replica takes over is run for those who listen then.
func TestTakenOverTurnIsRunForThoseWhoListenNow(t *testing.T) {
	bubble(t, func(w *world) {
		a := w.start("a", slow(time.Hour))
		w.ask(a, "q")
		synctest.Wait()
		w.thread.listen(func(session.Turn) (access.Audience, error) { return access.NewAudience(tenant), nil })
		b := w.start("b", echo)
		a.die()
		time.Sleep(20 * time.Second)
		synctest.Wait()
		requests := b.engine.requests()
		if len(requests) != 1 || requests[0].Audience.Key() != access.NewAudience(tenant).Key() {
			t.Errorf("the second replica was given %+v", requests)
		}
	})
}

func TestDocumentsWithdrawnDuringTheTurnAreNoSources(t *testing.T) {
	tests := []struct {
		name  string
		after map[document.ID]bool
		want  []document.ID
	}{
		{"nothing changes", map[document.ID]bool{"a": true, "b": true, "near": true}, []document.ID{"a", "b", "near"}},
		{"one is revoked", map[document.ID]bool{"b": true, "near": true}, []document.ID{"b", "near"}},
		{"the closest is revoked", map[document.ID]bool{"a": true, "b": true}, []document.ID{"a", "b"}},
		{"all are revoked", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(w *world) {
				w.readable = map[document.ID]bool{"a": true, "b": true, "near": true}
				r := w.start("a", func(_ context.Context, _ turn.Request) (string, error) {
					w.allow(tt.after)
					return "text", nil
				})
				r.engine.cites, r.engine.closest = []document.ID{"a", "b"}, []document.ID{"near"}
				w.ask(r, "q")
				synctest.Wait()
				if diff := cmp.Diff([][]document.ID{tt.want}, w.thread.sources); diff != "" {
					t.Errorf("listed under the answer (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// An answer that is delivered later, by another replica, lists what may be shown then.
func TestReplayedAnswerListsWhatMayBeShownNow(t *testing.T) {
	bubble(t, func(w *world) {
		w.readable = map[document.ID]bool{"a": true, "b": true}
		var failing atomic.Bool
		failing.Store(true)
		w.thread.fail = func(int) error {
			if failing.Load() {
				return errors.New("the platform is away")
			}
			return nil
		}
		r := w.start("a", echo)
		r.engine.cites = []document.ID{"a", "b"}
		w.ask(r, "q")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		w.allow(map[document.ID]bool{"b": true})
		failing.Store(false)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := len(w.thread.sources); n != 1 || !slices.Equal(w.thread.sources[0], []document.ID{"b"}) {
			t.Errorf("listed under the answer: %v", w.thread.sources)
		}
	})
}

// Whether the sources may be shown is asked until it is known.
func TestSourcesAreCheckedOnceTheStoreAnswersAgain(t *testing.T) {
	bubble(t, func(w *world) {
		w.readable = map[document.ID]bool{"a": true}
		r := w.start("a", echo)
		r.engine.cites = []document.ID{"a"}
		tries := 0
		w.library = func() error {
			if tries++; tries < 4 {
				return errors.New("the database restarts")
			}
			return nil
		}
		w.ask(r, "q")
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(w.thread.sources) != 1 || len(w.thread.sources[0]) != 1 {
			t.Errorf("listed under the answer: %v", w.thread.sources)
		}
		w.finals("1 answered: re: q")
	})
}

var _ chat.Platform = (*platform)(nil)
