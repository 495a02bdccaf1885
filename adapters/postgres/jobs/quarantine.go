package jobs

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

// A job may crash its process, for example by taking all memory. If it is planned again, it may
// crash the next process. Each job therefore records the process that runs it. Equal jobs never run
// at the same time, so a job that finds the record of another process knows that this process died.
// After one death, a job runs alone in its process, because another job may have caused the crash.
// After two, it is paused.
//
// A process that stops regularly does not count as dead: its jobs return, and Run removes its
// records.

const (
	// mostDeaths is the number of process deaths after which a job is paused.
	mostDeaths = 2
	// resumeAfter is how long a job is paused, if it has no subject or its kind is Due. Other jobs
	// are paused until Resume is called.
	resumeAfter = 24 * time.Hour
	// waitForOthers is the delay before a job that must wait for other jobs is tried again.
	waitForOthers = time.Second
	// reserved is how long no other job may begin, while a job waits until it can run alone.
	reserved = 5 * time.Second
)

// Paused is a job that is paused because processes died while running it.
type Paused struct {
	Job
	At     time.Time // when the last death was recorded
	Deaths int
}

func (p Paused) isPaused(now time.Time) bool {
	return p.Deaths >= mostDeaths && (p.Subject != "" && p.Kind != Due || now.Sub(p.At) < resumeAfter)
}

// PausedJobs returns the paused jobs of a tenant.
func PausedJobs(ctx context.Context, db *postgres.DB, tenant access.TenantID) ([]Paused, error) {
	rows, err := db.Pool.Query(ctx, `select kind, tenant_id, subject, at, deaths from job_attempt where tenant_id = $1 and deaths >= $2`, tenant, mostDeaths)
	if err != nil {
		return nil, fmt.Errorf("list paused jobs: %w", err)
	}
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (p Paused, err error) {
		err = row.Scan(&p.Kind, &p.Tenant, &p.Subject, &p.At, &p.Deaths)
		return p, err
	})
	if err != nil {
		return nil, fmt.Errorf("list paused jobs: %w", err)
	}
	var out []Paused
	for _, p := range all {
		if p.isPaused(time.Now()) {
			out = append(out, p)
		}
	}
	return out, nil
}

// Resume clears the recorded deaths of all jobs with a subject, so that they run again.
func Resume(ctx context.Context, db *postgres.DB, tenant access.TenantID, subject string) error {
	if _, err := db.Pool.Exec(ctx, `delete from job_attempt where tenant_id = $1 and subject = $2 and process = ''`, tenant, subject); err != nil {
		return fmt.Errorf("resume the jobs of %s: %w", subject, err)
	}
	return nil
}

// loadDeaths returns how many processes died while they ran a job. If another process is recorded
// as running the job, it must have died. loadDeaths then adds this death and returns died = true.
func (c *Client) loadDeaths(ctx context.Context, job Job) (p Paused, died bool, err error) {
	p.Job = job
	err = c.db.Pool.QueryRow(ctx, `
		with died as (
			update job_attempt set deaths = deaths + 1, process = '', at = clock_timestamp()
			where tenant_id = $1 and kind = $2 and subject = $3 and process not in ('', $4) returning deaths, at
		), known as (
			select deaths, at from died
			union all
			select deaths, at from job_attempt where tenant_id = $1 and kind = $2 and subject = $3 and not exists (select from died)
		)
		select coalesce(max(deaths), 0), coalesce(max(at), clock_timestamp()), exists (select from died) from known`,
		job.Tenant, job.Kind, job.Subject, c.process).Scan(&p.Deaths, &p.At, &died)
	if err != nil {
		return p, false, fmt.Errorf("look whether a process died of a job: %w", err)
	}
	return p, died, nil
}

func (c *Client) begin(ctx context.Context, job Job) error {
	_, err := c.db.Pool.Exec(ctx, `
		insert into job_attempt (tenant_id, kind, subject, process) values ($1, $2, $3, $4)
		on conflict (tenant_id, kind, subject) do update set process = $4, at = clock_timestamp()`, job.Tenant, job.Kind, job.Subject, c.process)
	if err != nil {
		return fmt.Errorf("note that a job begins: %w", err)
	}
	return nil
}

// end clears the job's recorded deaths if finished is set.
func (c *Client) end(ctx context.Context, job Job, finished bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopping)
	defer cancel()
	_, err := c.db.Pool.Exec(ctx, `
		with gone as (
			delete from job_attempt where tenant_id = $1 and kind = $2 and subject = $3 and process = $4 and ($5 or deaths = 0)
		)
		update job_attempt set process = '' where tenant_id = $1 and kind = $2 and subject = $3 and process = $4 and not ($5 or deaths = 0)`,
		job.Tenant, job.Kind, job.Subject, c.process, finished)
	if err != nil {
		return fmt.Errorf("note that a job returned: %w", err)
	}
	return nil
}

// leave removes this process from the rows of its jobs, so that an orderly stop does not count as a
// death.
func (c *Client) leave(ctx context.Context) error {
	if _, err := c.db.Pool.Exec(ctx, `update job_attempt set process = '' where process = $1`, c.process); err != nil {
		return fmt.Errorf("note that this process ends: %w", err)
	}
	return nil
}

// gate lets several jobs run at once, or one job alone.
type gate struct {
	mu      sync.Mutex
	running int
	alone   bool
	until   time.Time // no other job begins before this time, because a job waits to run alone
}

// enter reports whether a job may begin now. A job with alone set begins only when no other job
// runs. If ok is true, the caller must call leave when the job ends.
func (g *gate) enter(alone bool, now time.Time) (leave func(), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case alone && g.running > 0:
		g.until = now.Add(reserved)
		return nil, false
	case g.alone, !alone && now.Before(g.until):
		return nil, false
	}
	g.running++
	if g.alone = alone; alone {
		g.until = time.Time{}
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.running--
		g.alone = false
	}, true
}
