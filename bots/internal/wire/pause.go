package wire

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/jobs"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
)

// pauseSeen is how soon a run stops whose source was paused.
const pauseSeen = time.Second

// stoppedByPause is the cause with which a run ends whose source was paused: it is continued once
// that is resumed.
type stoppedByPause struct{}

func (stoppedByPause) Error() string { return pgindex.ErrSourcePaused.Error() }

// Is implements the interface of errors.Is.
func (stoppedByPause) Is(target error) bool {
	return target == index.ErrPaused || target == pgindex.ErrSourcePaused
}

// Run is Pipeline.Run, which ends soon after the source was paused, with who may read the source
// before.
func (b *Base) Run(ctx context.Context, pipeline *index.Pipeline, connector index.Connector, report func(index.Progress)) (index.Run, error) {
	running, stop := context.WithCancelCause(ctx)
	var watching sync.WaitGroup
	watching.Go(func() {
		again := time.NewTicker(pauseSeen)
		defer again.Stop()
		for {
			select {
			case <-running.Done():
				return
			case <-again.C:
			}
			paused, err := b.Index.SourcePaused(running, b.Tenant, connector.Source().ID)
			if err == nil && paused { // a database that does not answer ends the run by itself
				stop(stoppedByPause{})
			}
		}
	})
	defer watching.Wait()
	defer stop(nil)
	if paused, err := b.Index.SourcePaused(running, b.Tenant, connector.Source().ID); err != nil || paused {
		return index.Run{Source: connector.Source()}, cmp.Or(err, error(pgindex.ErrSourcePaused))
	}
	if err := b.accessFirst(running, pipeline, connector); err != nil {
		return index.Run{Source: connector.Source()}, err
	}
	run, err := pipeline.Run(running, b.Tenant, connector, report)
	return run, errors.Join(err, index.Hide(context.WithoutCancel(ctx), pgaccess.New(b.DB), b.Tenant, connector, err))
}

// PauseSource has a source not read any more, and stops a run of it within a moment; where it has
// its own readers, nothing of it is granted.
func (b *Base) PauseSource(ctx context.Context, id document.SourceID) error {
	return b.Index.PauseSource(ctx, b.Tenant, id, b.Actor())
}

// Quarantined reports whether a source is not read because processes died while they read it.
func (b *Base) Quarantined(ctx context.Context, id document.SourceID) (bool, error) {
	all, err := jobs.PausedJobs(ctx, b.DB, b.Tenant)
	return slices.ContainsFunc(all, func(p jobs.Paused) bool { return p.Subject == string(id) }), err
}

// ResumeSource undoes PauseSource, and forgets that processes died while they read the source; a
// server that runs looks at once what is due.
func (b *Base) ResumeSource(ctx context.Context, id document.SourceID) error {
	if err := jobs.Resume(ctx, b.DB, b.Tenant, string(id)); err != nil {
		return err
	}
	if err := b.Index.ResumeSource(ctx, b.Tenant, id, b.Actor()); err != nil {
		return err
	}
	return b.readNow(ctx, id)
}

// RunSource has the servers that run read a source with a schedule at once.
func (b *Base) RunSource(ctx context.Context, id document.SourceID) error {
	if err := b.Index.NoteSourceRun(ctx, b.Tenant, id, b.Actor()); err != nil {
		return err
	}
	return b.readNow(ctx, id)
}

// ResyncSource has a source read from the beginning; a server that runs begins at once.
func (b *Base) ResyncSource(ctx context.Context, id document.SourceID) error {
	if err := b.Index.ResyncSource(ctx, b.Tenant, id, b.Actor()); err != nil {
		return err
	}
	return b.readNow(ctx, id)
}

// readNow has the servers that run read a source, if it has a schedule, and look what else is due.
func (b *Base) readNow(ctx context.Context, id document.SourceID) error {
	client, err := jobs.New(b.DB, nil, jobs.Config{Logger: b.Logger})
	if err != nil {
		return err
	}
	return client.Enqueue(ctx, jobs.Job{Kind: jobs.Sync, Tenant: b.Tenant, Subject: string(id)},
		jobs.Job{Kind: jobs.Access, Tenant: b.Tenant, Subject: string(id)}, jobs.Job{Kind: jobs.Plan})
}

// InFile returns the name of the entry below sources: that reads a source; empty without one.
func (b *Base) InFile(s StoredSource) string {
	entry, _ := b.entry(s.origin)
	return entry.Name
}
