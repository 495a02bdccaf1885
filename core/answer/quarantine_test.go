package answer_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/turn"
)

// mortals are the processes of one installation: one that a poison kills is started anew, as its
// supervisor does.
type mortals struct {
	*world
	lives, most int
	ran         map[string]int // question → how often it was begun
}

// start runs a process that answers after d, or is killed by its own poison while it does.
func (m *mortals) live(d time.Duration) *replica {
	m.mu.Lock()
	m.lives++
	name, another := fmt.Sprint("life", m.lives), m.lives < m.most
	m.mu.Unlock()
	started := make(chan *replica, 1)
	r := m.start(name, func(ctx context.Context, req turn.Request) (string, error) {
		m.mu.Lock()
		m.ran[req.Question.Text]++
		m.mu.Unlock()
		if !strings.HasPrefix(req.Question.Text, "poison") {
			return slow(d)(ctx, req)
		}
		self := <-started
		self.die()
		if another {
			m.live(d)
		}
		<-ctx.Done()
		return "", context.Cause(ctx)
	}, func(c *answer.Config) { c.Grace = time.Second })
	started <- r
	return r
}

func TestTurnsBesideOneThatKillsReplicasAreAnswered(t *testing.T) {
	bubble(t, func(w *world) {
		m := &mortals{world: w, most: 20, ran: map[string]int{}}
		first := m.live(5 * time.Second)
		began := time.Now()
		const innocent = 10
		for n := range innocent {
			m.ask(first, fmt.Sprint("q", n), inThread(fmt.Sprint("t", n)))
		}
		synctest.Wait()
		m.ask(first, "poison", inThread("t"))
		synctest.Wait()
		// A final that was written, and not noted, before its process died is written once more, to
		// the same message.
		finals := func() map[string]bool {
			w.thread.mu.Lock()
			defer w.thread.mu.Unlock()
			seen := map[string]bool{}
			for _, final := range w.thread.finals {
				seen[final] = true
			}
			return seen
		}
		for len(finals()) < innocent+1 && time.Since(began) < 10*time.Minute {
			time.Sleep(100 * time.Millisecond)
		}
		last := time.Since(began)
		time.Sleep(10 * time.Minute)
		seen := finals()
		for n := range innocent {
			if want := fmt.Sprintf("1 answered: re: q%d", n); !seen[want] {
				t.Errorf("%q is not shown", want)
			}
		}
		if !seen["1 failed: "] || len(seen) != innocent+1 {
			t.Errorf("the thread shows %q", w.thread.finals)
		}
		// 11 at once, 6 at once, then alone, twice.
		if n := m.ran["poison"]; n != 4 {
			t.Errorf("the poison ran %d times, want 4", n)
		}
		t.Logf("all had ended after %s and %d deaths", last, m.lives-1)
	})
}

// A death that is nobody's fault, as when a machine is switched off.
func TestTurnsOfAReplicaThatWasKilledAreAnsweredSoon(t *testing.T) {
	bubble(t, func(w *world) {
		const turns, takes = 50, 10 * time.Second
		killed := w.start("a", slow(takes))
		for n := range turns {
			w.ask(killed, fmt.Sprint("q", n), inThread(fmt.Sprint("t", n)))
		}
		synctest.Wait()
		began := time.Now()
		killed.die()
		w.start("b", slow(takes))
		var half time.Duration
		for w.shown() < turns && time.Since(began) < time.Hour {
			time.Sleep(100 * time.Millisecond)
			if half == 0 && w.shown() >= turns/2 {
				half = time.Since(began)
			}
		}
		took := time.Since(began)
		t.Logf("of %d turns of %s each, half were answered %s after the death, and all after %s", turns, takes, half, took)
		if most := 10*time.Second + 2*takes; took > most {
			t.Errorf("they were answered after %s, want %s at most", took, most)
		}
	})
}

// Processes are killed whenever they hold a turn for a while, none of which is to blame.
func TestTurnsSurviveAnyNumberOfRestarts(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("0", slow(time.Minute))
		w.ask(r, "one", inThread("1"))
		w.ask(r, "two", inThread("2"))
		for n := range 30 {
			synctest.Wait()
			r.stop() // hands back
			r = w.start(fmt.Sprint(n+1), slow(time.Minute), func(c *answer.Config) { c.Grace = time.Second })
			time.Sleep(2 * time.Second)
		}
		time.Sleep(3 * time.Minute)
		if n := w.shown(); n != 2 {
			t.Fatalf("%d answers", n)
		}
		for _, final := range w.thread.finals {
			if !strings.Contains(final, "answered") {
				t.Errorf("the thread shows %q", final)
			}
		}
	})
}

// A question that takes for ever does not keep suspects waiting: it is handed back, and begins
// again afterwards.
func TestDrainingEnds(t *testing.T) {
	bubble(t, func(w *world) {
		dying := w.start("a", slow(time.Hour))
		w.ask(dying, "suspect", inThread("1"))
		synctest.Wait()
		heir := w.start("b", func(ctx context.Context, req turn.Request) (string, error) {
			if req.Question.Text == "long" {
				return slow(3*time.Hour)(ctx, req)
			}
			return echo(ctx, req)
		})
		w.ask(heir, "long", inThread("2"))
		synctest.Wait()
		dying.die()
		time.Sleep(time.Minute)
		w.finals("1 answered: re: suspect")
		w.ask(heir, "new", inThread("3"))
		time.Sleep(time.Second)
		w.finals("1 answered: re: suspect", "1 answered: re: new")
		time.Sleep(4 * time.Hour)
		w.finals("1 answered: re: suspect", "1 answered: re: new", "1 answered: re: long")
	})
}
