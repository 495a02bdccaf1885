// Package jobs runs work in the background, on whichever process has room for it, through River,
// the job queue in PostgreSQL. Questions and their answers never come here.
//
// A job is short or goes on in pieces: it does some of its work, says that there is more, and is
// called again, maybe in another process. Whatever it had finished when a process died stays
// finished.
package jobs

import (
	"context"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/riverqueue/river"
)

// Kind is a sort of background work. Its text is what the queue's table shows.
type Kind string

// The kinds of work.
const (
	Plan Kind = "plan"        // looks for what is due, once a minute
	Sync Kind = "source_sync" // reads a source; its Subject is the source's id
	// reads who may read a source, of those that know; its Subject is the source's id
	Access Kind = "source_access"
	Tidy   Kind = "index_tidy" // packs what is new and merges segments
	// removes from segments what was taken out of the index, of all tenants, every night
	Purge   Kind = "index_purge"
	Train   Kind = "embedder_train" // taught a local vector space: releases before this one ask for it
	Vectors Kind = "index_vectors"  // embeds what has no vector
	Meaning Kind = "index_meaning"  // embeds with the sentence model in the program, in hours
	Engine  Kind = "engine_tell"    // tells the search engine what it has not heard, of all tenants
	Compare Kind = "engine_compare" // compares what the search engine has with the database
	Extract Kind = "knowledge_read" // has a model read what documents state, or takes that out again
	Graph   Kind = "index_graph"    // nothing: earlier versions built an index of vectors
	Sweep   Kind = "sweep"          // forgets what is no longer needed, every night
	// does what a schedule is due for, on a process that serves its platform; its Subject is the
	// schedule's name, which begins with the platform and a colon
	Due Kind = "schedule_due"
	// removes conversations and entries of the audit trail that were kept for long enough, of all
	// tenants, every night
	Prune Kind = "retention"
)

// Job is one piece of work to do. Two equal jobs never wait or run at the same time.
type Job struct {
	Kind    Kind
	Tenant  access.TenantID
	Subject string
}

// Work is what jobs do. Implementations are safe for concurrent use by different jobs.
type Work interface {
	// Plan returns the jobs that are due. Those that wait or run already are left out by the queue.
	Plan(ctx context.Context) ([]Job, error)
	// Do does some or all of a job within about Piece. more asks to be called again soon; next are
	// jobs to follow. An error ends the job, is logged, and leaves what was done; the job comes
	// again when Plan finds it due. Do returns soon after ctx ends.
	Do(ctx context.Context, job Job) (more bool, next []Job, err error)
	// Pause is called instead of Do while a job is paused, because its process died twice. It has
	// that be seen; its error is logged.
	Pause(ctx context.Context, job Paused) error
}

// Piece is how long Do should work at most before it asks to be called again, well below the time
// after which a job is cancelled.
const Piece = 40 * time.Second

const (
	// timeout is how long a job may take before it is cancelled.
	timeout = 60 * time.Second
	// rescueAfter is when a job whose process died is given to another one.
	rescueAfter = 2 * time.Minute
	// planEvery is how often what is due is looked for.
	planEvery = time.Minute
	// retained is how long finished jobs can be looked at; those that failed stay a week.
	retained = time.Hour
)

// slow is the queue of work that would keep other jobs waiting for hours. Releases that do not know
// its kinds do not look into it.
const slow = "slow"

// queue returns the queue of a job.
func (j Job) queue() string {
	switch j.Kind {
	case Meaning:
		return slow
	case Due:
		platform, _, _ := strings.Cut(j.Subject, ":")
		return platformQueue(platform)
	default:
		return river.QueueDefault
	}
}

// platformQueue is the queue of jobs for processes that serve a platform.
func platformQueue(platform string) string { return "platform_" + platform }

// nightly is when work is done that can wait: at three o'clock, UTC.
type nightly struct{}

// Next implements river.PeriodicSchedule.
func (nightly) Next(now time.Time) time.Time {
	at := now.UTC().Truncate(24 * time.Hour).Add(3 * time.Hour)
	if !at.After(now) {
		at = at.Add(24 * time.Hour)
	}
	return at
}
