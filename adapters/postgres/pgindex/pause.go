package pgindex

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

// PauseSource stops reading a source until ResumeSource is called. If the source reports
// permissions itself, they allow nothing while it is paused. by is the account that requests the
// pause.
func (x *Index) PauseSource(ctx context.Context, tenant access.TenantID, source document.SourceID, by session.Actor) error {
	return x.changeSource(ctx, tenant, source, by, session.SourcePaused, `update source set paused_at = coalesce(paused_at, clock_timestamp()) where tenant_id = $1 and id = $2`)
}

// ResumeSource ends the pause that PauseSource began. by is the account that requests it.
func (x *Index) ResumeSource(ctx context.Context, tenant access.TenantID, source document.SourceID, by session.Actor) error {
	return x.changeSource(ctx, tenant, source, by, session.SourceResumed, `update source set paused_at = null where tenant_id = $1 and id = $2`)
}

// NoteSourceRun records in the audit trail who requested an extra run of a source.
func (x *Index) NoteSourceRun(ctx context.Context, tenant access.TenantID, source document.SourceID, by session.Actor) error {
	return x.changeSource(ctx, tenant, source, by, session.SourceIndexed, `select from source where tenant_id = $1 and id = $2`)
}

// ResyncSource makes the next run of a source and the next scans of its permissions start from the
// beginning. Changed documents are stored again regardless of their date. A run in progress does
// not clear the request. by is the account that makes the request.
func (x *Index) ResyncSource(ctx context.Context, tenant access.TenantID, source document.SourceID, by session.Actor) error {
	return x.changeSource(ctx, tenant, source, by, session.SourceResynced, `update source set resync_at = clock_timestamp() where tenant_id = $1 and id = $2`)
}

// changeSource changes a source by the statement sql and records the change in the audit trail. sql
// has the parameters tenant ($1) and source ($2). If it affects no row, changeSource returns
// ErrNoSource.
func (x *Index) changeSource(ctx context.Context, tenant access.TenantID, source document.SourceID, by session.Actor, deed session.Deed, sql string) error {
	err := x.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, sql, string(tenant), string(source))
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fmt.Errorf("%w; \"footnote sources\" lists them", ErrNoSource)
		}
		if err := pgaccess.TouchIndex(ctx, tx, tenant); err != nil { // a paused source grants nothing
			return err
		}
		return audit.Write(ctx, tx, tenant, audit.Entry{Deed: deed, Who: by, Details: map[string]string{"source": string(source)}})
	})
	if err != nil {
		return fmt.Errorf("change source %s: %w", source, err)
	}
	return nil
}

// SourcePaused reports whether a source is paused. It returns false for an unknown source.
func (x *Index) SourcePaused(ctx context.Context, tenant access.TenantID, source document.SourceID) (paused bool, err error) {
	// Served by the primary key.
	err = x.db.Pool.QueryRow(ctx, `select exists (select from source where tenant_id = $1 and id = $2 and paused_at is not null)`, string(tenant), string(source)).Scan(&paused)
	if err != nil {
		return false, fmt.Errorf("look whether source %s is paused: %w", source, err)
	}
	return paused, nil
}

// resyncs reports whether ResyncSource was called after a pass that began at the given time.
func (r *sourceRow) resyncs(began time.Time) bool {
	return r.ResyncAt != nil && r.ResyncAt.After(began)
}

func timeOf(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
