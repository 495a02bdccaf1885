package wire

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/jobs"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
)

const pauseSeen = time.Second

// Run reads a source with pipeline.Run, after its permissions if these are due. It stops within
// about a second after the source was paused.
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
				stop(sources.ErrPausedInRun)
			}
		}
	})
	defer watching.Wait()
	defer stop(nil)
	if paused, err := b.Index.SourcePaused(running, b.Tenant, connector.Source().ID); err != nil || paused {
		return index.Run{Source: connector.Source()}, cmp.Or(err, error(sources.ErrPaused))
	}
	if err := b.accessFirst(running, pipeline, connector); err != nil {
		return index.Run{Source: connector.Source()}, err
	}
	run, err := pipeline.Run(running, b.Tenant, connector, report)
	return run, errors.Join(err, index.Hide(context.WithoutCancel(ctx), pgaccess.New(b.DB), b.Tenant, connector, err))
}

// PauseSource stops reading a source and interrupts a run. If the source has its own permissions,
// its documents are hidden while it is paused.
func (b *Base) PauseSource(ctx context.Context, id document.SourceID) error {
	return b.Index.PauseSource(ctx, b.Tenant, id, b.Actor())
}

func (b *Base) quarantines(ctx context.Context) (map[document.SourceID]*sources.Quarantine, error) {
	paused, err := jobs.PausedJobs(ctx, b.DB, b.Tenant)
	if err != nil {
		return nil, err
	}
	all := make(map[document.SourceID]*sources.Quarantine)
	for _, p := range paused {
		if id := document.SourceID(p.Subject); all[id] == nil {
			all[id] = quarantine(p)
		}
	}
	return all, nil
}

func quarantine(p jobs.Paused) *sources.Quarantine {
	return &sources.Quarantine{Source: p.Subject, At: p.At, Deaths: p.Deaths}
}

// ResumeSource undoes [Base.PauseSource]. It also ends a pause that followed from crashes while the
// source was read. A running server starts at once.
func (b *Base) ResumeSource(ctx context.Context, id document.SourceID) error {
	if err := jobs.Resume(ctx, b.DB, b.Tenant, string(id)); err != nil {
		return err
	}
	if err := b.Index.ResumeSource(ctx, b.Tenant, id, b.Actor()); err != nil {
		return err
	}
	return b.readNow(ctx, id)
}

// RunSource makes a running server read a source at once.
func (b *Base) RunSource(ctx context.Context, id document.SourceID) error {
	if err := b.Index.NoteSourceRun(ctx, b.Tenant, id, b.Actor()); err != nil {
		return err
	}
	return b.readNow(ctx, id)
}

// ResyncSource makes the next run read a source from the beginning. A running server starts at
// once.
func (b *Base) ResyncSource(ctx context.Context, id document.SourceID) error {
	if err := b.Index.ResyncSource(ctx, b.Tenant, id, b.Actor()); err != nil {
		return err
	}
	return b.readNow(ctx, id)
}

// readNow has no effect on a source without a schedule.
func (b *Base) readNow(ctx context.Context, id document.SourceID) error {
	client, err := jobs.New(b.DB, nil, jobs.Config{Logger: b.Logger})
	if err != nil {
		return err
	}
	return client.Enqueue(ctx, jobs.Job{Kind: jobs.Sync, Tenant: b.Tenant, Subject: string(id)},
		jobs.Job{Kind: jobs.Access, Tenant: b.Tenant, Subject: string(id)}, jobs.Job{Kind: jobs.Plan})
}

// InFile returns the name of the source's entry in footnote.yaml, or "" if there is none.
func (b *Base) InFile(s StoredSource) string {
	entry, _ := b.entry(s.origin)
	return entry.Name
}
