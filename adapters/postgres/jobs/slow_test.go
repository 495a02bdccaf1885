package jobs_test

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/jobs"
)

// Slow work waits for a process that does it, and keeps no other job waiting. A piece that returned
// shows that it ends no process.
func TestSlowWorkIsLeftToProcessesThatDoIt(t *testing.T) {
	t.Parallel()
	db := open(t)
	slow, other := jobs.Job{Kind: jobs.Meaning, Tenant: "acme"}, jobs.Job{Kind: jobs.Tidy, Tenant: "acme"}
	if _, err := db.Pool.Exec(t.Context(), `insert into job_attempt (tenant_id, kind, subject, process) values ('acme', $1, '', 'killed')`, slow.Kind); err != nil {
		t.Fatal(err)
	}
	done := make(chan jobs.Job, 10)
	without := client(t, db, work{do: func(_ context.Context, j jobs.Job) (bool, []jobs.Job, error) {
		if j == slow {
			t.Error("a process without slow work did some")
		}
		done <- j
		return false, nil, nil
	}})
	stop := start(t, without)
	if err := without.Enqueue(t.Context(), slow, other); err != nil {
		t.Fatal(err)
	}
	if got := receive(t, done, "job"); got != other {
		t.Fatalf("did %v", got)
	}
	stop()
	began, release := make(chan int), make(chan bool)
	pieces := 0
	with, err := jobs.New(db, work{do: func(_ context.Context, j jobs.Job) (bool, []jobs.Job, error) {
		if j != slow {
			done <- j
			return false, nil, nil
		}
		pieces++
		began <- pieces
		return <-release, nil, nil
	}}, jobs.Config{Poll: 20 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), Slow: true})
	if err != nil {
		t.Fatal(err)
	}
	start(t, with)
	receive(t, began, "first piece")
	release <- true
	receive(t, began, "second piece")
	var deaths int
	if err := db.Pool.QueryRow(t.Context(), `select deaths from job_attempt where kind = $1`, slow.Kind).Scan(&deaths); err != nil || deaths != 0 {
		t.Errorf("%d deaths after a piece that returned, error %v", deaths, err)
	}
	if err := with.Enqueue(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	if got := receive(t, done, "job next to slow work"); got != other {
		t.Fatalf("did %v", got)
	}
	release <- false
}
