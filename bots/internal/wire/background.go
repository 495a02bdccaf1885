package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/jobs"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/footnotehq/footnote/core/upload"
)

const (
	// thoroughEvery is how often Plan includes work that is costly to check, even if nothing was
	// written.
	thoroughEvery = 10 * time.Minute
	// quietPlans is how many plans after a write include that costly work. One is too few: a
	// running job may have missed the write, and an equal job is not queued meanwhile.
	quietPlans = 2
)

// background implements the background work of serve. It is safe for concurrent use.
type background struct {
	base *Base
	slow bool // this process computes sentence vectors
	// rooms are the platforms that reports are posted to.
	rooms Rooms

	mu      sync.Mutex
	marks   map[access.TenantID]mark
	stopped map[access.TenantID]string // why extraction stopped
}

type mark struct {
	written  int64     // last value of Index.Written
	quiet    int       // number of plans since written changed
	thorough time.Time // when all kinds of work were last planned
}

var _ jobs.Work = (*background)(nil)

// Background returns the client that runs background jobs: reading due sources, maintaining the
// index, and posting reports to rooms. It first stores the sources of the configuration file.
func (b *Base) Background(ctx context.Context, rooms Rooms) (*jobs.Client, error) {
	if err := b.declare(ctx); err != nil {
		return nil, err
	}
	sentences, err := b.sentences()
	if err != nil {
		return nil, err
	}
	var serves []string
	for _, p := range rooms.Platforms() {
		serves = append(serves, string(p))
	}
	work := &background{base: b, slow: sentences != nil, rooms: rooms, marks: make(map[access.TenantID]mark), stopped: make(map[access.TenantID]string)}
	return jobs.New(b.DB, work, jobs.Config{Logger: b.Logger, Slow: work.slow, Platforms: serves})
}

func (b *Base) forTenant(tenant access.TenantID) *Base {
	other := *b
	other.Tenant = tenant
	return &other
}

// Plan implements jobs.Work.
func (w *background) Plan(ctx context.Context) ([]jobs.Job, error) {
	tenants, err := w.base.Index.Tenants(ctx)
	if err != nil {
		return nil, err
	}
	tenants = append(tenants, w.base.Tenant)
	slices.Sort(tenants)
	due, err := w.base.dueReports(ctx)
	if err != nil {
		return nil, err
	}
	if w.base.HasEngine() {
		due = append(due, jobs.Job{Kind: jobs.Engine})
	}
	for _, tenant := range slices.Compact(tenants) {
		due = append(due, jobs.Job{Kind: jobs.Tidy, Tenant: tenant})
		written, err := w.base.Index.Written(ctx, tenant)
		if err != nil {
			return nil, err
		}
		if w.isThorough(tenant, written) {
			due = append(due, jobs.Job{Kind: jobs.Vectors, Tenant: tenant})
			if w.slow {
				due = append(due, jobs.Job{Kind: jobs.Meaning, Tenant: tenant})
			}
			if w.base.HasEngine() {
				due = append(due, jobs.Job{Kind: jobs.Compare, Tenant: tenant})
			}
		}
		if is, err := w.base.forTenant(tenant).ExtractionDue(ctx); err != nil {
			return nil, err
		} else if is {
			due = append(due, jobs.Job{Kind: jobs.Extract, Tenant: tenant})
		}
		if is, err := w.base.forTenant(tenant).uploadsDue(ctx); err != nil {
			return nil, err
		} else if is {
			due = append(due, uploadsJob(tenant))
		}
		stored, err := w.base.forTenant(tenant).StoredSources(ctx)
		if err != nil {
			return nil, err
		}
		for _, s := range stored {
			if s.Schedule().Due(time.Now()) {
				due = append(due, jobs.Job{Kind: jobs.Sync, Tenant: tenant, Subject: string(s.ID)})
			}
		}
		access, err := w.base.forTenant(tenant).accessDue(ctx)
		if err != nil {
			return nil, err
		}
		due = append(due, slices.DeleteFunc(access, func(j jobs.Job) bool {
			return slices.ContainsFunc(stored, func(s StoredSource) bool { return s.Refused != "" && string(s.ID) == j.Subject })
		})...)
	}
	return due, nil
}

func (w *background) isThorough(tenant access.TenantID, written int64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.marks[tenant]
	if m.quiet++; m.written != written {
		m.written, m.quiet = written, 1
	}
	thorough := m.quiet <= quietPlans || time.Since(m.thorough) >= thoroughEvery
	if thorough {
		m.thorough = time.Now()
	}
	w.marks[tenant] = m
	return thorough
}

// Do implements jobs.Work.
func (w *background) Do(ctx context.Context, job jobs.Job) (more bool, next []jobs.Job, err error) {
	b, until := w.base.forTenant(cmp.Or(job.Tenant, w.base.Tenant)), time.Now().Add(jobs.Piece)
	switch job.Kind {
	case jobs.Sync:
		if job.Subject == string(upload.Source) {
			return b.syncUploads(ctx, until)
		}
		return b.sync(ctx, document.SourceID(job.Subject), until)
	case jobs.Access:
		more, err = b.readAccess(ctx, document.SourceID(job.Subject), until)
		return more, nil, err
	case jobs.Tidy:
		more, err = b.Index.Tidy(ctx, b.Tenant, until, func(string) {})
		return more, nil, err
	case jobs.Purge:
		more, err = w.purge(ctx, until)
		return more, nil, err
	case jobs.Train: // an older release that runs next to this one asked for it
		return false, []jobs.Job{{Kind: jobs.Vectors, Tenant: b.Tenant}}, nil
	case jobs.Vectors:
		if err := b.fill(ctx, until, func(int) {}); err != nil {
			more = errors.Is(err, index.ErrPaused)
			if more {
				err = nil
			}
			return more, nil, err
		}
		return false, nil, nil
	case jobs.Meaning:
		err = b.FillSentences(ctx, time.Now().Add(meaningPiece), nil)
		if more = errors.Is(err, index.ErrPaused); more || errors.Is(err, index.ErrClaimed) {
			err = nil
		}
		return more, nil, err
	case jobs.Engine:
		more, err = b.tellEngine(ctx, until)
		return more, nil, err
	case jobs.Compare:
		return false, []jobs.Job{{Kind: jobs.Engine}}, b.sweepEngine(ctx)
	case jobs.Extract:
		more, err = w.extractPiece(ctx, b)
		return more, nil, err
	case jobs.Graph:
		return false, nil, nil // planned by an earlier version
	case jobs.Sweep:
		return false, nil, errors.Join(b.Index.ForgetContexts(ctx), b.Index.Extraction().Forget(ctx))
	case jobs.Due:
		return false, nil, b.doReport(ctx, w.rooms, job.Subject)
	case jobs.Prune:
		more, err = b.prune(ctx, until)
		return more, nil, err
	case jobs.Plan:
	}
	return false, nil, fmt.Errorf("there is no background work %q", job.Kind)
}

// Pause implements jobs.Work. If the job reads a source, Pause stores the reason with the source.
func (w *background) Pause(ctx context.Context, job jobs.Paused) error {
	b := w.base.forTenant(cmp.Or(job.Tenant, w.base.Tenant))
	w.base.Logger.ErrorContext(ctx, "a background job is paused: its process died while it worked on it, more than once", "job", string(job.Kind),
		"tenant", string(b.Tenant), "subject", job.Subject, "deaths", job.Deaths, "last", job.At)
	if job.Kind == jobs.Due {
		return b.giveUpReport(ctx, job.Subject)
	}
	if job.Kind != jobs.Sync && job.Kind != jobs.Access {
		return nil
	}
	source := uploadsSource()
	if job.Subject != string(source.ID) {
		stored, found, err := b.storedSource(ctx, document.SourceID(job.Subject))
		if err != nil || !found {
			return err
		}
		source = stored.origin
	}
	pipeline, err := b.pipelineWith(nil, index.Config{})
	if err != nil {
		return err
	}
	return pipeline.Refuse(ctx, b.Tenant, source, quarantine(job))
}

// purge works on all tenants. It stops at until and reports whether more is left.
func (w *background) purge(ctx context.Context, until time.Time) (bool, error) {
	tenants, err := w.base.Index.Tenants(ctx)
	if err != nil {
		return false, err
	}
	for _, tenant := range tenants {
		if more, err := w.base.Index.Purge(ctx, tenant, until); more || err != nil {
			return more, err
		}
	}
	return false, nil
}

// prune deletes the rows of all tenants that are older than SESSION_RETENTION or AUDIT_RETENTION.
// It stops at until and reports whether more are left.
func (b *Base) prune(ctx context.Context, until time.Time) (bool, error) {
	retention := session.Retention{Sessions: b.Config.SessionRetention, Audit: b.Config.AuditRetention}
	if retention == (session.Retention{}) {
		return false, nil
	}
	store := b.Sessions()
	tenants, err := store.Tenants(ctx)
	if err != nil {
		return false, err
	}
	for _, tenant := range tenants {
		var sum session.Pruned
		for more := true; more; {
			if time.Now().After(until) {
				return true, nil
			}
			var gone session.Pruned
			if gone, more, err = store.Prune(ctx, tenant, retention, session.Actor{}); err != nil {
				return false, err
			}
			sum = sum.Add(gone)
		}
		if sum != (session.Pruned{}) {
			b.Logger.InfoContext(ctx, "removed what was kept for long enough", "tenant", string(tenant), "sessions", sum.Sessions, "turns", sum.Turns,
				"files", sum.Files, "threads", sum.Threads, "audit_entries", sum.Entries)
		}
	}
	return false, nil
}

// sync reads a source until a time; more reports that some of it is left. New documents can be
// found by their words at once. A separate job embeds them, so that a slow embedding model delays
// no source.
func (b *Base) sync(ctx context.Context, id document.SourceID, until time.Time) (more bool, next []jobs.Job, err error) {
	source, found, err := b.storedSource(ctx, id)
	// removed, unscheduled or paused since it was planned
	if err != nil || !found || source.Every == 0 || source.Paused() {
		return false, nil, err
	}
	pipeline, err := b.pipelineWith(nil, index.Config{})
	if err != nil {
		return false, nil, err
	}
	connector, err := b.connectScheduled(source.Source)
	if err == nil && connector.Source().ID != id {
		err = fmt.Errorf("the row names another source, %s", connector.Source().ID)
	}
	if err != nil {
		return false, nil, errors.Join(fmt.Errorf("read source %s: %w", id, err), pipeline.Refuse(ctx, b.Tenant, source.origin, err))
	}
	piece, cancel := context.WithDeadlineCause(ctx, until, index.ErrPaused)
	defer cancel()
	run, err := b.Run(piece, pipeline, connector, nil)
	if err != nil {
		err = b.afterFailure(ctx, id, err)
	}
	if run.Counts.Indexed > 0 {
		next = []jobs.Job{{Kind: jobs.Vectors, Tenant: b.Tenant}}
	}
	outcome := sources.OutcomeOf(err, ctx.Err() != nil)
	switch outcome {
	case sources.Waiting:
		if later := new(index.Later); errors.As(err, &later) {
			b.Logger.InfoContext(ctx, "a source wants to be left alone", "source", string(id), "until", later.At, "reason", later.Why)
		}
		return false, next, nil
	case sources.Ended, sources.Unfinished:
		return outcome == sources.Unfinished, next, nil
	case sources.Finished, sources.Failed, sources.Stopped:
	}
	if run.Unpaid != "" {
		b.Logger.WarnContext(ctx, "enrichment stopped; documents are stored without it, and the next run asks again", "source", string(id),
			"documents", run.Counts.Plain, "reason", run.Unpaid)
	}
	if err == nil {
		b.Logger.InfoContext(ctx, "source read", "source", string(id), "indexed", run.Counts.Indexed, "unchanged", run.Counts.Unchanged,
			"removed", run.Counts.Removed, "failed", run.Counts.Failed)
	}
	if outcome == sources.Finished { // a change during the run could not enqueue this job
		if source, found, err := b.storedSource(ctx, id); err != nil || found && source.HeardSince(run.StartedAt) {
			return err == nil, next, err
		}
	}
	return false, next, err
}

// afterFailure deletes what a run stored if its source was removed during the run.
func (b *Base) afterFailure(ctx context.Context, id document.SourceID, err error) error {
	if ctx.Err() != nil {
		return err
	}
	options, lookErr := b.Index.Options(ctx, b.Tenant, id)
	if lookErr != nil || options != nil {
		return errors.Join(err, lookErr)
	}
	_, err = b.Index.RemoveSource(ctx, b.Tenant, id, b.Actor())
	return err
}
