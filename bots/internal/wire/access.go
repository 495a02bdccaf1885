package wire

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/jobs"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/sources"
)

// accessDue returns jobs for the sources whose permissions have to be read again. A source has none
// before its first run.
func (b *Base) accessDue(ctx context.Context) ([]jobs.Job, error) {
	loops, err := pgaccess.New(b.DB).States(ctx, b.Tenant)
	if err != nil {
		return nil, err
	}
	var due []jobs.Job
	for _, id := range sources.LoopsDue(loops, time.Now()) {
		due = append(due, jobs.Job{Kind: jobs.Access, Tenant: b.Tenant, Subject: string(id)})
	}
	return due, nil
}

// readAccess reads a source's permissions and stops at until. more reports that some are left.
func (b *Base) readAccess(ctx context.Context, id document.SourceID, until time.Time) (more bool, err error) {
	source, found, err := b.storedSource(ctx, id)
	if err != nil || !found || source.Paused() {
		return false, err
	}
	connector, err := b.Connect(source.Source)
	if err == nil && connector.Source().ID != id {
		err = fmt.Errorf("the row names another source, %s", connector.Source().ID)
	}
	if err != nil {
		return false, fmt.Errorf("read who may read source %s: %w", id, err)
	}
	piece, cancel := context.WithDeadlineCause(ctx, until, index.ErrPaused)
	defer cancel()
	err = index.ReadAccess(piece, pgaccess.New(b.DB), b.Index, b.Tenant, connector, false)
	switch sources.OutcomeOf(err, ctx.Err() != nil) {
	case sources.Waiting, sources.Ended:
		return false, nil
	case sources.Unfinished:
		return true, nil
	case sources.Finished, sources.Failed, sources.Stopped:
	}
	return false, err
}

// accessFirst reads permissions only if they are due or a person requested the run.
func (b *Base) accessFirst(ctx context.Context, pipeline *index.Pipeline, connector index.Connector) error {
	if _, ok := connector.(index.NodeReader); !ok {
		return nil
	}
	id, store := connector.Source().ID, pgaccess.New(b.DB)
	loops, err := store.States(ctx, b.Tenant)
	if err != nil {
		return err
	}
	mine := slices.DeleteFunc(loops, func(l sources.Loop) bool { return l.Source != id })
	if !sources.LoopsFirst(b.By != "", mine, time.Now()) {
		return nil
	}
	err = index.ReadAccess(ctx, store, b.Index, b.Tenant, connector, false)
	if err == nil || errors.Is(err, index.ErrSuperseded) {
		return nil
	}
	if !errors.Is(err, index.ErrPaused) && ctx.Err() == nil {
		err = errors.Join(err, pipeline.Refuse(ctx, b.Tenant, connector.Source(), err))
	}
	return err
}
