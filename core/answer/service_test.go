package answer_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/cite"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/turn"
)

func TestQuestionIsAnsweredOnce(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("a", echo)
		w.ask(r, "hello")
		synctest.Wait() // no time has passed: the turn was tried right after it was taken in
		w.finals("1 answered: re: hello")
	})
}

func TestAnIdleServiceLooksSeldom(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("a", echo)
		var leases atomic.Int32
		r.faults.set(func(op string) error {
			if op == "lease" {
				leases.Add(1)
			}
			return nil
		}, nil)
		time.Sleep(time.Minute)
		if n := leases.Load(); n > 10 {
			t.Errorf("it looked for work %d times in a minute", n)
		}
		w.ask(r, "hello")
		synctest.Wait() // no time has passed: a question wakes it
		w.finals("1 answered: re: hello")
		_, err := w.store.Accept(w.Context(), session.Intake{ // by another process, which wakes none
			Tenant: tenant, Ref: thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "1"}, EventKey: "left", Message: "left",
			Asker: thread.Person{ID: "U1"}, Text: "left behind", Audience: access.NewAudience(tenant, access.Members),
		})
		must(t, err)
		time.Sleep(3 * time.Second)
		w.finals("1 answered: re: hello", "2 answered: re: left behind")
	})
}

func TestSessionKeepsItsOrder(t *testing.T) {
	bubble(t, func(w *world) {
		a, b := w.start("a", slow(3*time.Second)), w.start("b", slow(time.Second))
		for n := range 4 {
			w.ask([]*replica{a, b}[n%2], fmt.Sprint("q", n))
		}
		time.Sleep(20 * time.Second)
		w.finals("1 answered: re: q0", "2 answered: re: q1", "3 answered: re: q2", "4 answered: re: q3")
		if n := len(a.engine.requests()) + len(b.engine.requests()); n != 4 {
			t.Errorf("%d runs for 4 questions", n)
		}
	})
}

func TestSessionsDoNotWaitForEachOther(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("a", slow(5*time.Second))
		for n := range 20 {
			w.ask(r, "q", inThread(fmt.Sprint(n)))
		}
		time.Sleep(5*time.Second + time.Millisecond)
		if n := w.shown(); n != 20 {
			t.Errorf("%d of 20 answered in the time of one", n)
		}
	})
}

func TestWorkersAreBounded(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("a", slow(5*time.Second), func(c *answer.Config) { c.Workers = 3 })
		for n := range 7 {
			w.ask(r, "q", inThread(fmt.Sprint(n)))
		}
		synctest.Wait()
		if n := len(r.engine.requests()); n != 3 {
			t.Errorf("%d turns at once, want 3", n)
		}
		time.Sleep(30 * time.Second)
		if n := w.shown(); n != 7 {
			t.Errorf("%d of 7 answered", n)
		}
	})
}

func TestRejections(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("a", echo)
		for name, text := range map[string]string{
			"empty": " \n\t", "nothing but NUL": "\x00", "a megabyte": strings.Repeat("x", 1<<20), "one too many": strings.Repeat("é", 100_001),
		} {
			_, err := r.Accept(t.Context(), thread.Mention{Text: text})
			var rejection policy.Rejection
			if !errors.As(err, &rejection) || !strings.HasSuffix(rejection.Sentence, ".") {
				t.Errorf("%s: the error is %v, want a sentence", name, err)
			}
		}
		w.ask(r, strings.Repeat("é", 100_000))
		synctest.Wait()
		if w.shown() != 1 {
			t.Error("the longest question that is allowed was not answered")
		}
		if _, err := r.Accept(t.Context(), thread.Mention{Text: "q"}); !errors.Is(err, session.ErrInvalid) {
			t.Errorf("a mention of nowhere: %v", err)
		}
	})
}

func TestWaitingQuestionIsSaidToWait(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("a", slow(time.Second))
		mention := thread.Mention{
			Ref: thread.Ref{Platform: "slack", Channel: "C", Thread: "1"}, EventKey: "e", Asker: thread.Person{ID: "U"}, Text: "q",
			Tenant: tenant, Listens: access.NewAudience(tenant),
		}
		for n, want := range []string{"", policy.SayQueued(1), policy.SayQueued(2)} {
			mention.EventKey = fmt.Sprint(n)
			accepted, err := r.Accept(t.Context(), mention)
			if err != nil || accepted.Notice != want {
				t.Errorf("the notice for question %d is %q (%v), want %q", n, accepted.Notice, err, want)
			}
		}
		again, err := r.Accept(t.Context(), mention)
		if err != nil || !again.Duplicate || again.Notice != "" {
			t.Errorf("a redelivered event became %+v (%v)", again, err)
		}
		private, err := r.Take(t.Context(), privately(func() thread.Mention { m := mention; m.EventKey = "private"; return m }()))
		if err != nil || private.Turn.Session.Owner != "U" || private.Ahead != 0 {
			t.Errorf("a private question became %+v (%v)", private.Turn, err)
		}
		time.Sleep(10 * time.Second)
	})
}

func TestPanicInAnEventHandlerIsAnError(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("a", echo)
		inbox := panicking{r.faults}
		service, err := answer.New(answer.Deps{
			Store: inbox, Prompts: w.store,
			Signal: w.signal, Engine: r.engine, Setups: setups{}, Library: w, Surfaces: &w.thread,
		}, answer.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := service.Accept(t.Context(), thread.Mention{Text: "q"}); err == nil {
			t.Error("a panic was taken for success")
		}
		if _, err := service.Stop(t.Context(), session.StopRequest{}); err == nil {
			t.Error("a panic was taken for success")
		}
	})
}

// While the store is full, no question is stored, and one that the store refuses is not tried
// again.
func TestQuestionsAreRefusedWhileTheStoreIsFull(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("a", echo)
		full := false
		inbox := refusing{r.faults, &full}
		service, err := answer.New(answer.Deps{
			Store: inbox, Prompts: w.store, Full: func(error) bool { return full },
			Signal: w.signal, Engine: r.engine, Setups: setups{}, Library: w, Surfaces: &w.thread,
		}, answer.Config{})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for _, full = range []bool{false, true} {
			if _, err := service.Take(context.Background(), answer.Question{Mention: thread.Mention{Text: "q"}, Patience: time.Minute}); !errors.Is(err, policy.Full) {
				t.Errorf("full before: %v; the error is %v", full, err)
			}
		}
		if time.Since(began) > 0 {
			t.Errorf("the refusal took %s", time.Since(began))
		}
	})
}

// refusing is a store without room, which is found out by its refusal.
type refusing struct {
	*faults
	full *bool
}

func (r refusing) Accept(context.Context, session.Intake) (session.Accepted, error) {
	*r.full = true
	return session.Accepted{}, errors.New("disk full")
}

type panicking struct{ *faults }

func (panicking) Accept(context.Context, session.Intake) (session.Accepted, error) { panic("accept") }
func (panicking) Request(context.Context, session.StopRequest) (session.StopResult, error) {
	panic("request")
}

func TestHistoryHoldsOnlyWhatTheAudienceMayRead(t *testing.T) {
	bubble(t, func(w *world) {
		w.readable = map[document.ID]bool{"open": true, "closed": true}
		r := w.start("a", echo)
		for _, id := range []document.ID{"open", "closed"} {
			w.saved(string(id), id)
		}
		w.ask(r, "now")
		synctest.Wait()
		w.readable = map[document.ID]bool{"open": true} // a guest joined, or the source was revoked
		w.ask(r, "later")
		synctest.Wait()
		var texts [][]string
		for _, req := range r.engine.requests() {
			var past []string
			for _, m := range req.History {
				past = append(past, m.Text)
			}
			texts = append(texts, past)
		}
		if len(texts) != 2 || !slices.Contains(texts[1], "from open") {
			t.Fatalf("the engine was given %q", texts)
		}
		if slices.Contains(texts[1], "from closed") {
			t.Errorf("a document that the audience may not read is in the history: %q", texts[1])
		}
		if numbers := r.engine.requests()[1].Numbers; !slices.Contains(slices.Collect(maps.Values(numbers)), cite.Passage{Document: "closed"}) {
			t.Errorf("its number is free to be given to another document: %v", numbers)
		}
	})
}

func TestHistoryMarksCourtesies(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("a", echo)
		for _, text := range []string{"how do I pay?", "perfect", "and how do I change that?"} {
			w.ask(r, text)
			synctest.Wait()
		}
		marked := make(map[string]bool)
		for _, req := range r.engine.requests() {
			for _, m := range req.History {
				if m.Role == message.User {
					marked[m.Text] = m.Courtesy
				}
			}
		}
		if want := map[string]bool{"how do I pay?": false, "perfect": true}; !maps.Equal(marked, want) {
			t.Errorf("marked as courtesies: %v, want %v", marked, want)
		}
	})
}

// An earlier answer that rests on a message that was deleted since is left out, although the rest
// of its thread can be read.
func TestHistoryHoldsOnlyWhatStillStands(t *testing.T) {
	bubble(t, func(w *world) {
		w.readable = map[document.ID]bool{"whole": true, "thread": true}
		r := w.start("a", echo)
		for _, id := range []document.ID{"whole", "thread"} {
			w.saved(string(id), id)
		}
		w.ask(r, "now")
		synctest.Wait()
		w.mu.Lock()
		w.taken = "text of thread"
		w.mu.Unlock()
		w.ask(r, "later")
		synctest.Wait()
		var texts []string
		for _, req := range r.engine.requests() {
			past := ""
			for _, m := range req.History {
				past += m.Text + "\n"
			}
			texts = append(texts, past)
		}
		if len(texts) != 2 || !strings.Contains(texts[0], "from thread") || !strings.Contains(texts[1], "from whole") || strings.Contains(texts[1], "from thread") {
			t.Errorf("the engine was given %q", texts)
		}
	})
}

// saved puts a finished turn into the session of ask.
func (w *world) saved(question string, id document.ID) {
	w.Helper()
	ref := thread.Ref{Platform: "slack", Workspace: "T1", Channel: "C1", Thread: "1"}
	_, err := w.store.Accept(w.Context(), session.Intake{Tenant: tenant, Ref: ref, EventKey: "saved " + question, Asker: thread.Person{ID: "U1"},
		Text: question, Audience: access.NewAudience(tenant)})
	if err != nil {
		w.Fatal(err)
	}
	if _, err := w.store.Beat(w.Context(), "past", time.Hour); err != nil {
		w.Fatal(err)
	}
	t, err := sessiontest.One(w.store.Lease(w.Context(), session.LeaseRequest{Replica: "past"}))
	if err != nil || t == nil {
		w.Fatal(t, err)
	}
	numbers, err := w.store.Numbers(w.Context(), *t)
	if err != nil {
		w.Fatal(err)
	}
	number := len(numbers) + 1
	run := session.Run{Messages: []message.Message{
		{Role: message.ToolCall, Text: "query about " + question},
		{Role: message.Assistant, Text: "from " + question, Documents: []message.Reference{{Number: number, Document: document.Ref{ID: id}, Text: "text of " + string(id)}}},
	}}
	if err := errors.Join(w.store.Finish(w.Context(), t.Fence(), session.Saved{Outcome: session.Answered, Runs: []session.Run{run}}),
		w.store.Delivered(w.Context(), t.Fence(), "")); err != nil {
		w.Fatal(err)
	}
}

func TestMissingParts(t *testing.T) {
	t.Parallel()
	_, err := answer.New(answer.Deps{}, answer.Config{Lease: time.Second, Beat: time.Second})
	for _, want := range []string{"store", "prompts", "engine", "surfaces", "lease"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error %v does not name the %s", err, want)
		}
	}
}

func TestRunNeedsTheStoreAtTheStart(t *testing.T) {
	t.Parallel()
	f := &faults{}
	f.set(func(string) error { return errors.New("no database") }, nil)
	service, err := answer.New(answer.Deps{
		Store: f, Prompts: f,
		Signal: new(session.LocalSignal), Engine: &engine{}, Setups: setups{}, Library: &world{}, Surfaces: &platform{},
	}, answer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := service.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "no database") {
		t.Errorf("run without a store: %v", err)
	}
}

var _ answer.Engine = (*turn.Runner)(nil)

// A question is asked on the clock of who asks, where the platform tells it, and on the operator's
// else.
func TestQuestionsHaveTheAskersClock(t *testing.T) {
	bubble(t, func(w *world) {
		r := w.start("a", echo)
		auckland := time.FixedZone("Auckland", 13*60*60)
		for i, zone := range []*time.Location{auckland, nil} {
			w.thread.mu.Lock()
			w.thread.zone = zone
			w.thread.mu.Unlock()
			w.ask(r, "what was done yesterday?")
			synctest.Wait()
			if zone == nil {
				zone = time.Local
			}
			if got := r.engine.requests()[i]; got.Now.Location() != zone || !got.Now.Equal(got.Question.At) {
				t.Errorf("it was asked at %v, want %v in %v", got.Now, got.Question.At, zone)
			}
		}
	})
}
