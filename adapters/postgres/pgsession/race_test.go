package pgsession_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgsession"
	"github.com/footnotehq/footnote/adapters/postgres/postgrestest"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/message"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/session/sessiontest"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/jackc/pgx/v5"
)

// race is a database whose rows the test locks itself, so that what happens meanwhile happens in
// the order of the test.
type race struct {
	*testing.T
	*pgsession.Store
	db   *postgres.DB
	hold pgx.Tx
	errs []chan error
}

func newRace(t *testing.T) *race {
	t.Helper()
	db := postgrestest.Connect(t, postgres.Config{URL: postgrestest.URL(t), MaxConns: 10})
	hold, err := db.Pool.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = hold.Rollback(context.WithoutCancel(t.Context())) }) // after a failure: the pool waits for it
	return &race{T: t, Store: pgsession.New(db), db: db, hold: hold}
}

// lock locks rows until release.
func (r *race) lock(sql string) {
	r.Helper()
	if tag, err := r.hold.Exec(r.Context(), sql); err != nil || tag.RowsAffected() == 0 {
		r.Fatalf("%s: %d rows, %v", sql, tag.RowsAffected(), err)
	}
}

// start runs f and returns when it waits for a lock, as all that were started before do.
func (r *race) start(f func() error) {
	r.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }() // ends with the test: release waits for it
	r.errs = append(r.errs, done)
	for waiting := 0; waiting < len(r.errs); {
		const count = `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
		if err := r.db.Pool.QueryRow(r.Context(), count).Scan(&waiting); err != nil {
			r.Fatal(err)
		}
		select {
		case err := <-done:
			r.Fatalf("it waited for nothing: %v", err)
		case <-time.After(5 * time.Millisecond): // until the server is asked again
		}
	}
}

// release lets all go on and wants none to fail.
func (r *race) release() {
	r.Helper()
	if err := r.hold.Commit(r.Context()); err != nil {
		r.Fatal(err)
	}
	var errs []error
	for _, done := range r.errs {
		errs = append(errs, <-done)
	}
	if err := errors.Join(errs...); err != nil {
		r.Fatal(err)
	}
}

// ask takes a question in.
func (r *race) ask(key string, by thread.Person, quotas ...session.Quota) session.Turn {
	r.Helper()
	accepted, err := r.Accept(r.Context(), raceIntake(key, by, quotas...))
	if err != nil {
		r.Fatal(err)
	}
	return accepted.Turn
}

// answer brings the next turn to its end.
func (r *race) answer(saved session.Saved) session.Turn {
	r.Helper()
	if _, err := r.Beat(r.Context(), "r1", time.Hour); err != nil {
		r.Fatal(err)
	}
	t, err := sessiontest.One(r.Lease(r.Context(), session.LeaseRequest{Replica: "r1"}))
	if err != nil || t == nil {
		r.Fatal(t, err)
	}
	if err := errors.Join(r.Finish(r.Context(), t.Fence(), saved), r.Delivered(r.Context(), t.Fence(), "")); err != nil {
		r.Fatal(err)
	}
	return *t
}

var racePlace = thread.Ref{Platform: "slack", Workspace: "T", Channel: "C", Thread: "1.1"}

func raceIntake(key string, by thread.Person, quotas ...session.Quota) session.Intake {
	return session.Intake{
		Tenant: access.DefaultTenant, Ref: racePlace, EventKey: key, Message: thread.MessageID(key), Asker: by, Text: "q",
		Audience: access.NewAudience(access.DefaultTenant, access.Members), Quotas: quotas,
	}
}

// What is being leased while an earlier message arrives has begun: it keeps its place, and the
// earlier one is put before the rest.
func TestEarlierMessageRacesLease(t *testing.T) {
	t.Parallel()
	r := newRace(t)
	ask := func(key string, second int64) session.Accepted {
		in := raceIntake(key, thread.Person{ID: "U1"})
		in.At = time.Unix(second, 0)
		accepted, err := r.Accept(t.Context(), in)
		if err != nil {
			t.Error(err)
		}
		return accepted
	}
	leased := ask("m3", 3).Turn
	ask("m5", 5)
	r.lock(`update turn set state = 'running', attempt = attempt + 1, owner = 'r2' where id = '` + string(leased.ID) + `'`)
	var early session.Accepted
	r.start(func() error { early = ask("m1", 1); return nil })
	r.release()
	if early.Ahead != 1 {
		t.Errorf("%d are ahead of the earlier message, want the one that has begun", early.Ahead)
	}
	if err := r.Leave(t.Context(), "r2"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"m3", "m1", "m5"} {
		if got := r.answer(session.Saved{Outcome: session.Answered}); string(got.Message) != want {
			t.Errorf("answered %s, want %s", got.Message, want)
		}
	}
}

// The edit waits for the retry, which has the question's messages by then: the new turn is the one
// that is edited, and nothing is answered twice.
func TestEditRacesRetry(t *testing.T) {
	t.Parallel()
	r := newRace(t)
	asked := r.ask("m1", thread.Person{ID: "U1"})
	r.answer(session.Saved{Outcome: session.Failed})
	r.lock(`select from session for update`)
	var made session.Accepted
	r.start(func() (err error) {
		made, err = r.Derive(t.Context(), session.Derive{Tenant: access.DefaultTenant, Of: asked.ID, As: session.Retried, Key: "k", Audience: asked.Audience})
		return err
	})
	var changed session.Changed
	r.start(func() (err error) {
		changed, err = r.Edit(t.Context(), session.Edit{Tenant: access.DefaultTenant, Ref: racePlace, Message: "m1", Text: "edited"})
		return err
	})
	r.release()
	if changed.Turn != made.Turn.ID {
		t.Errorf("turn %s was edited, want %s, which took the place of %s", changed.Turn, made.Turn.ID, asked.ID)
	}
	if got := r.answer(session.Saved{Outcome: session.Answered}); got.ID != made.Turn.ID || got.Question.Text != "edited" {
		t.Errorf("answered %+v", got)
	}
	if left, err := sessiontest.One(r.Lease(t.Context(), session.LeaseRequest{Replica: "r1"})); err != nil || left != nil {
		t.Errorf("turn %+v is answered as well (%v)", left, err)
	}
}

// A question and an edit of another one of its thread share a quota: neither waits for what the
// other has.
func TestEditRacesIntakeOverQuota(t *testing.T) {
	t.Parallel()
	r := newRace(t)
	quota := session.Quota{Counter: "channel:C", Limit: 10, Window: 24 * time.Hour}
	r.ask("m1", thread.Person{ID: "U1"}, quota)
	r.answer(session.Saved{Outcome: session.Answered})
	r.lock(`select from quota_use for update`)
	r.start(func() error {
		_, err := r.Edit(t.Context(), session.Edit{
			Tenant: access.DefaultTenant, Ref: racePlace, Message: "m1", Text: "edited", Quotas: []session.Quota{quota},
		})
		return err
	})
	r.start(func() error {
		_, err := r.Accept(t.Context(), raceIntake("m2", thread.Person{ID: "U2"}, quota))
		return err
	})
	r.release()
}

// Somebody edits an unasked question that somebody else's question overtakes: each has what the
// other waits for, and both go through.
func TestEditRacesOvertaking(t *testing.T) {
	t.Parallel()
	r := newRace(t)
	quota := session.Quota{Counter: "channel:C", Limit: 10, Window: 24 * time.Hour}
	unasked := raceIntake("m1", thread.Person{ID: "U1"}, quota)
	unasked.Ambient, unasked.After = true, time.Hour
	if _, err := r.Accept(t.Context(), unasked); err != nil {
		t.Fatal(err)
	}
	r.lock(`select from quota_use for update`)
	var asked session.Accepted
	r.start(func() (err error) {
		asked, err = r.Accept(t.Context(), raceIntake("m2", thread.Person{ID: "U2"}, quota))
		return err
	})
	r.start(func() error {
		_, err := r.Edit(t.Context(), session.Edit{
			Tenant: access.DefaultTenant, Ref: racePlace, Message: "m1", Text: "edited", Quotas: []session.Quota{quota},
		})
		return err
	})
	r.release()
	if asked.Duplicate || asked.Turn.Message != "m2" {
		t.Errorf("the question was taken in as %+v", asked)
	}
}

// Somebody asks in a session that looks empty to whoever is forgotten.
func TestForgetRacesIntake(t *testing.T) {
	t.Parallel()
	r := newRace(t)
	r.ask("m1", thread.Person{ID: "U1"})
	r.lock(`select from thread for update`)
	var made session.Accepted
	r.start(func() (err error) {
		made, err = r.Accept(t.Context(), raceIntake("m2", thread.Person{ID: "U2"}))
		return err
	})
	r.start(func() error {
		_, err := r.Forget(t.Context(), access.DefaultTenant, "slack", "U1")
		return err
	})
	r.release()
	if _, err := r.Turn(t.Context(), access.DefaultTenant, made.Turn.ID); err != nil {
		t.Errorf("the other person's question is gone: %v", err)
	}
}

// A shared copy gives a number of its own session to a document while an answer of the thread gives
// it to another.
func TestNumbersRace(t *testing.T) {
	t.Parallel()
	r := newRace(t)
	asked := r.ask("m1", thread.Person{ID: "U1"})
	r.lock(`insert into session_document (tenant_id, session_id, number, document_id, source_id, kind, title, url)
		select tenant_id, id, 7, 'theirs', 's', 'page', 'Theirs', '' from session`)
	if _, err := r.Beat(t.Context(), "r1", time.Hour); err != nil {
		t.Fatal(err)
	}
	leased, err := sessiontest.One(r.Lease(t.Context(), session.LeaseRequest{Replica: "r1"}))
	if err != nil || leased == nil {
		t.Fatal(leased, err)
	}
	r.start(func() error {
		return r.Finish(t.Context(), leased.Fence(), session.Saved{Outcome: session.Answered, Runs: []session.Run{{
			Model: "m", Ending: session.Ending{Outcome: session.Answered}, Messages: []message.Message{{Role: message.Assistant, Text: "A [7].",
				Documents: []message.Reference{{Number: 7, Document: document.Ref{ID: "ours", Source: "s", Kind: "page", Title: "Ours"}}}}},
		}}})
	})
	r.release()
	saved, err := r.Saved(t.Context(), asked)
	if err != nil {
		t.Fatal(err)
	}
	answer, _ := saved.Runs[0].Answer()
	if len(answer.Documents) != 1 || answer.Documents[0].Document.ID != "ours" {
		t.Errorf("the answer rests on %+v", answer.Documents)
	}
}

// Who was forgotten is not named by the stops that they asked for.
func TestForgetStops(t *testing.T) {
	t.Parallel()
	r := newRace(t)
	r.ask("m1", thread.Person{ID: "U1"})
	for _, id := range []thread.MessageID{"m1", "unknown"} {
		_, err := r.Request(t.Context(), session.StopRequest{
			Tenant: access.DefaultTenant, Ref: racePlace, Message: id, By: session.Stopper{ID: "U9", Privileged: true},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Forget(t.Context(), access.DefaultTenant, "slack", "U9"); err != nil {
		t.Fatal(err)
	}
	var turns, messages int
	const left = `select (select count(*) from turn where stop_requested_by = 'U9'), (select count(*) from surface_message where 'U9' = any(stop_by))`
	if err := r.db.Pool.QueryRow(t.Context(), left).Scan(&turns, &messages); err != nil || turns+messages > 0 {
		t.Errorf("%d turns and %d messages still name them (%v)", turns, messages, err)
	}
	if stopped := r.answer(session.Saved{Outcome: session.Stopped}); !stopped.StopRequested {
		t.Error("the stop went with whoever asked for it")
	}
}
