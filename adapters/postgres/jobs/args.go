package jobs

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/riverqueue/river"
)

// jobArgs holds the arguments of a job. Each kind of job has a separate Go type with this
// structure, because River distinguishes jobs by type.
type jobArgs struct {
	Tenant  access.TenantID `json:"tenant,omitempty"`
	Subject string          `json:"subject,omitempty"`
}

type (
	planArgs    jobArgs
	syncArgs    jobArgs
	accessArgs  jobArgs
	tidyArgs    jobArgs
	purgeArgs   jobArgs
	trainArgs   jobArgs
	vectorsArgs jobArgs
	meaningArgs jobArgs
	graphArgs   jobArgs
	engineArgs  jobArgs
	compareArgs jobArgs
	extractArgs jobArgs
	sweepArgs   jobArgs
	pruneArgs   jobArgs
	dueArgs     jobArgs
)

// Kind implements river.JobArgs.
func (planArgs) Kind() string    { return string(Plan) }
func (syncArgs) Kind() string    { return string(Sync) }
func (accessArgs) Kind() string  { return string(Access) }
func (tidyArgs) Kind() string    { return string(Tidy) }
func (purgeArgs) Kind() string   { return string(Purge) }
func (trainArgs) Kind() string   { return string(Train) }
func (vectorsArgs) Kind() string { return string(Vectors) }
func (meaningArgs) Kind() string { return string(Meaning) }
func (graphArgs) Kind() string   { return string(Graph) }
func (engineArgs) Kind() string  { return string(Engine) }
func (compareArgs) Kind() string { return string(Compare) }
func (extractArgs) Kind() string { return string(Extract) }
func (sweepArgs) Kind() string   { return string(Sweep) }
func (pruneArgs) Kind() string   { return string(Prune) }
func (dueArgs) Kind() string     { return string(Due) }

type anyArgs interface {
	planArgs | syncArgs | accessArgs | tidyArgs | purgeArgs | trainArgs | vectorsArgs | meaningArgs | graphArgs | engineArgs | compareArgs | extractArgs | sweepArgs | pruneArgs | dueArgs
	river.JobArgs
}

func argsOf(j Job) (river.JobArgs, error) {
	a := jobArgs{j.Tenant, j.Subject}
	switch j.Kind {
	case Plan:
		return planArgs(a), nil
	case Sync:
		return syncArgs(a), nil
	case Access:
		return accessArgs(a), nil
	case Tidy:
		return tidyArgs(a), nil
	case Purge:
		return purgeArgs(a), nil
	case Train:
		return trainArgs(a), nil
	case Vectors:
		return vectorsArgs(a), nil
	case Meaning:
		return meaningArgs(a), nil
	case Engine:
		return engineArgs(a), nil
	case Compare:
		return compareArgs(a), nil
	case Extract:
		return extractArgs(a), nil
	case Graph:
		return graphArgs(a), nil
	case Sweep:
		return sweepArgs(a), nil
	case Prune:
		return pruneArgs(a), nil
	case Due:
		return dueArgs(a), nil
	}
	return nil, fmt.Errorf("queue a background job: there is no kind %q", j.Kind)
}

type worker[A anyArgs] struct {
	river.WorkerDefaults[A]
	client *Client
}

func add[A anyArgs](workers *river.Workers, c *Client) error {
	return river.AddWorkerSafely(workers, &worker[A]{client: c})
}

// Timeout implements river.Worker.
func (w *worker[A]) Timeout(*river.Job[A]) time.Duration { return timeout }

// Work implements river.Worker.
func (w *worker[A]) Work(ctx context.Context, job *river.Job[A]) error {
	a := jobArgs(job.Args)
	return w.client.do(ctx, Job{Kind: Kind(job.Kind), Tenant: a.Tenant, Subject: a.Subject})
}
