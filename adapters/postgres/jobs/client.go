package jobs

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivertype"
)

// Config configures a Client. Zero fields get their defaults.
type Config struct {
	Poll   time.Duration // interval between polls for new jobs; default 2 s
	Logger *slog.Logger  // logs failed jobs; slog.Default if nil
	// Slow makes the process run slow jobs too, one at a time.
	Slow bool
	// Platforms are the chat platforms that the process serves. It runs Due jobs only for these.
	Platforms []string
}

// Client runs background jobs that are stored in a database. Any number of processes may run a
// Client. One of them plans the jobs for all.
//
// Client polls the table of jobs, and therefore works through transaction poolers. It needs no
// right to change the schema.
type Client struct {
	river   *river.Client[pgx.Tx]
	db      *postgres.DB
	process string // differs from that of every other process
	gate    gate
	work    Work
	logger  *slog.Logger
}

// New returns a client of the database. The client is idle until Run is called.
func New(db *postgres.DB, work Work, cfg Config) (*Client, error) {
	c := &Client{db: db, process: rand.Text(), work: work, logger: cmp.Or(cfg.Logger, slog.Default())}
	poll := cmp.Or(cfg.Poll, 2*time.Second)
	workers := river.NewWorkers()
	for _, err := range []error{
		add[planArgs](workers, c), add[syncArgs](workers, c), add[accessArgs](workers, c), add[tidyArgs](workers, c), add[purgeArgs](workers, c),
		add[trainArgs](workers, c), add[vectorsArgs](workers, c), add[meaningArgs](workers, c), add[graphArgs](workers, c), add[engineArgs](workers, c), add[compareArgs](workers, c), add[extractArgs](workers, c), add[sweepArgs](workers, c), add[pruneArgs](workers, c), add[dueArgs](workers, c),
	} {
		if err != nil {
			return nil, fmt.Errorf("set up background work: %w", err)
		}
	}
	queues := map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: 2}}
	if cfg.Slow {
		queues[slow] = river.QueueConfig{MaxWorkers: 1}
	}
	for _, p := range cfg.Platforms {
		queues[platformQueue(p)] = river.QueueConfig{MaxWorkers: 1, FetchPollInterval: 5 * poll}
	}
	var err error
	c.river, err = river.NewClient(riverpgxv5.New(db.Pool), &river.Config{
		Queues:                      queues,
		Workers:                     workers,
		PollOnly:                    true,
		FetchPollInterval:           poll,
		FetchCooldown:               min(poll, 100*time.Millisecond),
		JobTimeout:                  timeout,
		RescueStuckJobsAfter:        rescueAfter,
		MaxAttempts:                 1, // failed jobs are planned again while they are due
		CompletedJobRetentionPeriod: retained,
		ReindexerIndexNames:         []string{}, // only an index's owner may rebuild it
		PeriodicJobs: []*river.PeriodicJob{
			river.NewPeriodicJob(river.PeriodicInterval(planEvery),
				func() (river.JobArgs, *river.InsertOpts) { return planArgs{}, unique(river.QueueDefault) }, &river.PeriodicJobOpts{RunOnStart: true}),
			river.NewPeriodicJob(nightly{}, func() (river.JobArgs, *river.InsertOpts) { return purgeArgs{}, unique(river.QueueDefault) }, nil),
			river.NewPeriodicJob(nightly{}, func() (river.JobArgs, *river.InsertOpts) { return sweepArgs{}, unique(river.QueueDefault) }, nil),
			river.NewPeriodicJob(nightly{}, func() (river.JobArgs, *river.InsertOpts) { return pruneArgs{}, unique(river.QueueDefault) }, nil),
		},
		Logger: slog.New(quiet{c.logger.Handler()}),
	})
	if err != nil {
		return nil, fmt.Errorf("set up background work: %w", err)
	}
	return c, nil
}

// stopping limits how long Run waits for jobs after cancelling their context.
const stopping = 10 * time.Second

// Run works on jobs until ctx is done. It then cancels running jobs and returns them to the queue.
// It returns an error if River cannot start or stop.
func (c *Client) Run(ctx context.Context) error {
	if err := c.river.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start background work: %w", err)
	}
	<-ctx.Done()
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopping)
	defer cancel()
	if err := errors.Join(c.river.StopAndCancel(ending), c.leave(context.WithoutCancel(ctx))); err != nil {
		return fmt.Errorf("stop background work: %w", err)
	}
	return nil
}

// Enqueue adds jobs to the queue. It skips jobs that already wait or run.
func (c *Client) Enqueue(ctx context.Context, jobs ...Job) error {
	var params []river.InsertManyParams
	for i, j := range jobs {
		if slices.Contains(jobs[:i], j) { // one statement must not insert and leave out the same row
			continue
		}
		args, err := argsOf(j)
		if err != nil {
			return err
		}
		params = append(params, river.InsertManyParams{Args: args, InsertOpts: unique(j.queue())})
	}
	if len(params) == 0 {
		return nil
	}
	if _, err := c.river.InsertMany(ctx, params); err != nil {
		return fmt.Errorf("queue %d background jobs: %w", len(jobs), err)
	}
	return nil
}

// unique returns options that deduplicate equal jobs until the first has finished.
func unique(queue string) *river.InsertOpts {
	return &river.InsertOpts{Queue: queue, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: []rivertype.JobState{rivertype.JobStateAvailable,
		rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled}}}
}

// pause is the delay between two calls of [Work.Do] for the same job.
const pause = 100 * time.Millisecond

// attempt calls [Work.Do] once for a job and returns its results. For a paused job it calls
// [Work.Pause] instead. If other jobs of this process must end first, it does nothing and returns
// waits = true.
func (c *Client) attempt(ctx context.Context, job Job) (more bool, next []Job, waits bool, err error) {
	known, died, err := c.loadDeaths(ctx, job)
	if err != nil {
		return false, nil, false, err
	}
	if died {
		c.logger.WarnContext(ctx, "a process died while it worked on a background job", "job", string(job.Kind), "tenant", string(job.Tenant),
			"subject", job.Subject, "deaths", known.Deaths)
	}
	if known.isPaused(time.Now()) {
		return false, nil, false, c.work.Pause(ctx, known)
	}
	leave, free := c.gate.enter(known.Deaths > 0, time.Now())
	if !free {
		return false, nil, true, nil
	}
	defer leave()
	if err := c.begin(ctx, job); err != nil {
		return false, nil, false, err
	}
	finished := false
	defer func() { err = errors.Join(err, c.end(ctx, job, finished)) }() // after a panic too
	more, next, err = c.work.Do(ctx, job)
	// A piece of Meaning has stored its results. The next piece begins after the data that killed
	// a process before.
	finished = err == nil && ctx.Err() == nil && (!more || job.Kind == Meaning)
	return more, next, false, err
}

// do calls [Work] once for a job and enqueues the resulting jobs. It returns a river.JobSnooze
// error if River must continue the job later.
func (c *Client) do(ctx context.Context, job Job) error {
	var more bool
	var next []Job
	var err error
	if job.Kind == Plan {
		next, err = c.work.Plan(ctx)
	} else {
		var waits bool
		if more, next, waits, err = c.attempt(ctx, job); waits && err == nil {
			return river.JobSnooze(waitForOthers)
		}
	}
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return river.JobSnooze(0) // this process ends; another one continues
	}
	if err == nil && len(next) > 0 {
		err = c.Enqueue(ctx, next...)
	}
	switch {
	case err != nil:
		c.logger.WarnContext(ctx, "background work failed; it is tried again when it is next due",
			"job", string(job.Kind), "tenant", string(job.Tenant), "subject", job.Subject, "error", err)
		return err
	case more:
		return river.JobSnooze(pause)
	}
	return nil
}
