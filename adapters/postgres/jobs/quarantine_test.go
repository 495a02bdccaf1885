package jobs_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/jobs"
)

// died has a job look as if its process had died: the row names another one, and the queue has
// given the job up.
func died(t *testing.T, db *postgres.DB, j jobs.Job) {
	t.Helper()
	if _, err := db.Pool.Exec(t.Context(), `
		insert into job_attempt (tenant_id, kind, subject, process) values ($1, $2, $3, 'dead')
		on conflict (tenant_id, kind, subject) do update set process = 'dead'`, j.Tenant, j.Kind, j.Subject); err != nil {
		t.Fatal(err)
	}
}

// attempts returns how many jobs a process is noted for.
func attempts(t *testing.T, db *postgres.DB) (n int) {
	t.Helper()
	if err := db.Pool.QueryRow(t.Context(), `select count(*) from job_attempt where process <> ''`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

var (
	deadly = jobs.Job{Kind: jobs.Sync, Tenant: "acme", Subject: "deadly"}
	docs   = jobs.Job{Kind: jobs.Sync, Tenant: "acme", Subject: "docs"}
)

func TestAJobIsPausedAfterItsProcessDiedTwice(t *testing.T) {
	t.Parallel()
	db := open(t)
	paused, ran := make(chan jobs.Paused, 9), make(chan jobs.Job, 9)
	w := work{
		pause: func(p jobs.Paused) { paused <- p },
		do: func(_ context.Context, j jobs.Job) (bool, []jobs.Job, error) {
			ran <- j
			return false, nil, errors.New("the source does not answer") // which forgives nothing
		},
	}
	c := client(t, db, w)
	died(t, db, deadly)
	start(t, c)
	enqueue := func(all ...jobs.Job) {
		t.Helper()
		if err := c.Enqueue(t.Context(), all...); err != nil {
			t.Fatal(err)
		}
	}
	enqueue(deadly)
	if j := <-ran; j != deadly { // one death: it is tried once more
		t.Fatalf("%v ran", j)
	}
	settled(t, db)
	died(t, db, deadly)
	enqueue(deadly, docs)
	if p := <-paused; p.Job != deadly || p.Deaths != 2 {
		t.Errorf("%+v is paused", p)
	}
	if j := <-ran; j != docs {
		t.Errorf("%v ran, want the other job", j)
	}
	all, err := jobs.PausedJobs(t.Context(), db, "acme")
	if err != nil || len(all) != 1 || all[0].Job != deadly {
		t.Errorf("paused are %v, %v", all, err)
	}
	settled(t, db)
	if err := jobs.Resume(t.Context(), db, "acme", "deadly"); err != nil {
		t.Fatal(err)
	}
	enqueue(deadly)
	if j := <-ran; j != deadly {
		t.Errorf("%v ran after it was resumed", j)
	}
}

// settled waits until no job waits or runs.
func settled(t *testing.T, db *postgres.DB) {
	t.Helper()
	for t.Context().Err() == nil {
		var n int
		if err := db.Pool.QueryRow(t.Context(), `select count(*) from river_job where kind <> 'plan' and state in ('available', 'running', 'scheduled', 'pending', 'retryable')`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

// A job that a process died of runs alone, and comes to its end: that process died of something
// else.
func TestASuspectRunsAloneAndIsCleared(t *testing.T) {
	t.Parallel()
	db := open(t)
	var mu sync.Mutex
	var running, together []string
	ended := make(chan string, 9)
	w := work{do: func(_ context.Context, j jobs.Job) (bool, []jobs.Job, error) {
		mu.Lock()
		running = append(running, j.Subject)
		if len(running) > 1 && slices.Contains(running, deadly.Subject) {
			together = slices.Clone(running)
		}
		mu.Unlock()
		mu.Lock()
		running = slices.DeleteFunc(running, func(s string) bool { return s == j.Subject })
		mu.Unlock()
		ended <- j.Subject
		return false, nil, nil
	}}
	c := client(t, db, w)
	died(t, db, deadly)
	start(t, c)
	if err := c.Enqueue(t.Context(), deadly, docs, jobs.Job{Kind: jobs.Tidy, Tenant: "acme"}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		<-ended
	}
	settled(t, db)
	mu.Lock()
	defer mu.Unlock()
	if together != nil {
		t.Errorf("%v ran at once", together)
	}
	var n int
	if err := db.Pool.QueryRow(t.Context(), `select count(*) from job_attempt`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d jobs are noted after their end, %v", n, err)
	}
}

func TestAnOrderlyEndIsNoDeath(t *testing.T) {
	t.Parallel()
	db := open(t)
	began := make(chan struct{}, 2)
	w := work{do: func(ctx context.Context, _ jobs.Job) (bool, []jobs.Job, error) {
		began <- struct{}{}
		<-ctx.Done()
		return false, nil, context.Cause(ctx)
	}}
	for range 3 {
		c := client(t, db, w)
		stop := start(t, c)
		if err := c.Enqueue(t.Context(), deadly); err != nil {
			t.Fatal(err)
		}
		<-began
		stop()
		if n := attempts(t, db); n != 0 {
			t.Errorf("%d jobs name a process that has ended", n)
		}
	}
	var deaths int
	if err := db.Pool.QueryRow(t.Context(), `select coalesce(max(deaths), 0) from job_attempt`).Scan(&deaths); err != nil || deaths != 0 {
		t.Errorf("%d deaths, %v", deaths, err)
	}
}
