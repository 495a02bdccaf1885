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
)

// accessDue returns the due jobs that read a source's permissions. A source has such jobs from its
// first run on.
func (b *Base) accessDue(ctx context.Context) ([]jobs.Job, error) {
	states, err := pgaccess.New(b.DB).States(ctx, b.Tenant)
	if err != nil {
		return nil, err
	}
	var due []jobs.Job
	for _, s := range states {
		job := jobs.Job{Kind: jobs.Access, Tenant: b.Tenant, Subject: string(s.Source)}
		if !s.Paused && !time.Now().Before(s.Next()) && !slices.Contains(due, job) {
			due = append(due, job)
		}
	}
	return due, nil
}

// readAccess reads who may read a source, or the next piece of that. more reports that another
// piece is left.
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
	var later *index.Later
	switch {
	case errors.As(err, &later), ctx.Err() == nil && errors.Is(err, index.ErrSuperseded):
		return false, nil
	case ctx.Err() == nil && errors.Is(err, index.ErrPaused):
		return true, nil
	}
	return false, err
}

// accessFirst reads a source's permissions before its documents, so that no document waits for its
// readers. It always does so when a person asks for the run. Otherwise it does so only when
// permissions are due, as they are in the first run.
func (b *Base) accessFirst(ctx context.Context, pipeline *index.Pipeline, connector index.Connector) error {
	if _, ok := connector.(index.NodeReader); !ok {
		return nil
	}
	id, store := connector.Source().ID, pgaccess.New(b.DB)
	states, err := store.States(ctx, b.Tenant)
	if err != nil {
		return err
	}
	mine := slices.DeleteFunc(states, func(s pgaccess.State) bool { return s.Source != id })
	due := len(mine) == 0 || slices.ContainsFunc(mine, func(s pgaccess.State) bool { return s.CompleteAt.IsZero() || !time.Now().Before(s.Next()) })
	if b.By == "" && !due {
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
