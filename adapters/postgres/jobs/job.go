// Package jobs runs background work on any process with free capacity, through River, the job queue
// in PostgreSQL. Questions and answers do not use the queue.
//
// A job is short or runs in pieces. A call does some of the work and reports that more remains. The
// next call may run in another process. Finished pieces stay finished if a process dies.
package jobs

import (
	"context"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/riverqueue/river"
)

// Kind names a type of background work. Its text appears in the queue's table.
type Kind string

// The kinds of work.
const (
	Plan Kind = "plan"        // enqueues the due jobs, once a minute
	Sync Kind = "source_sync" // reads a source; its Subject is the source's id
	// Access reads the permissions of a source. Its Subject is the source's id.
	Access Kind = "source_access"
	Tidy   Kind = "index_tidy" // packs new postings and merges segments
	// Purge removes deleted documents from the index segments of all tenants, every night.
	Purge   Kind = "index_purge"
	Train   Kind = "embedder_train" // enqueues Vectors; only earlier releases enqueue it
	Vectors Kind = "index_vectors"  // embeds chunks that have no vector
	Meaning Kind = "index_meaning"  // embeds with the built-in sentence model, which takes hours
	Engine  Kind = "engine_tell"    // sends outstanding changes of all tenants to the search engine
	Compare Kind = "engine_compare" // compares the search engine's content with the database
	Extract Kind = "knowledge_read" // lets a model extract facts from documents, or removes them
	Graph   Kind = "index_graph"    // does nothing: earlier versions built an index of vectors
	Sweep   Kind = "sweep"          // deletes data that is no longer needed, every night
	// Due runs a schedule that is due. Only processes that serve the schedule's platform run it.
	// Its Subject is the schedule's name, which begins with the platform and a colon.
	Due Kind = "schedule_due"
	// Prune deletes conversations and audit entries of all tenants whose retention is over, every
	// night.
	Prune Kind = "retention"
)

// Job is a unit of background work. Of equal jobs, at most one waits or runs at a time.
type Job struct {
	Kind    Kind
	Tenant  access.TenantID
	Subject string
}

// Work plans and executes jobs. Implementations must be safe for concurrent use by different jobs.
type Work interface {
	// Plan returns the jobs that are due. The queue ignores jobs that already wait or run.
	Plan(ctx context.Context) ([]Job, error)
	// Do works on a job for at most about Piece. The result more requests another call soon. The
	// result next lists jobs to enqueue. An error is logged and ends the job. Finished work is
	// kept, and the job runs again when Plan returns it. Do must return soon after ctx is done.
	Do(ctx context.Context, job Job) (more bool, next []Job, err error)
	// Pause is called instead of Do for a job that is paused because its process died twice. It
	// reports the pause to the operator. An error is logged.
	Pause(ctx context.Context, job Paused) error
}

// Piece is about how long one call of [Work.Do] may take. A longer job must return and request
// another call. Piece is well below the timeout that cancels a job, and well above the limit for
// reading one document.
const Piece = 2 * index.Reading

const (
	timeout = 60 * time.Second
	// rescueAfter is the time after which a job of a dead process is given to another process.
	rescueAfter = 2 * time.Minute
	// planEvery is the interval between calls of Plan.
	planEvery = time.Minute
	// retained is how long finished jobs stay in the table. Failed jobs stay a week.
	retained = time.Hour
)

// slow is the queue of jobs that can take hours. In a separate queue they do not delay other jobs.
const slow = "slow"

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

// platformQueue returns the queue of jobs that only processes serving the platform can run.
func platformQueue(platform string) string { return "platform_" + platform }

// nightly is the schedule of jobs that run at 03:00 UTC.
type nightly struct{}

// Next implements river.PeriodicSchedule.
func (nightly) Next(now time.Time) time.Time {
	at := now.UTC().Truncate(24 * time.Hour).Add(3 * time.Hour)
	if !at.After(now) {
		at = at.Add(24 * time.Hour)
	}
	return at
}
