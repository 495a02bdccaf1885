package pgsession

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/audit"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

// Retention of internal rows. Platforms redeliver an event for a few hours at most.
const (
	eventAge   = 7 * 24 * time.Hour
	replicaAge = 24 * time.Hour
	orphanAge  = 24 * time.Hour
	quotaAge   = 48 * time.Hour // twice the longest window
	changeAge  = 24 * time.Hour // no cache of an audience is older
	peopleAge  = 30 * 24 * time.Hour
)

// Sweep implements session.Store. It deletes expired rows, such as tombstones, event keys, reply
// tokens and dead replicas, and closes turns that no replica can deliver.
func (s *Store) Sweep(ctx context.Context) error {
	batch := new(pgx.Batch)
	const ago = `clock_timestamp() - $1::bigint * interval '1 microsecond'`
	batch.Queue(`delete from surface_message where turn_id is null and stop_at < `+ago, session.TombstoneAge.Microseconds())
	batch.Queue(`delete from event where at < `+ago, eventAge.Microseconds())
	batch.Queue(`delete from verdict where at < `+ago, session.VerdictAge.Microseconds())
	batch.Queue(`delete from quota_use where window_start < `+ago, quotaAge.Microseconds())
	batch.Queue(expiredSQL)
	batch.Queue(`delete from audience_change where changed_at < `+ago, changeAge.Microseconds())
	batch.Queue(`delete from audience_person p using audience_workspace w where w.platform = p.platform and w.workspace = p.workspace and w.heard_at < `+ago,
		peopleAge.Microseconds())
	// Keep replicas that still hold turns, so that these can be taken over.
	batch.Queue(`delete from replica r where expires_at < `+ago+` and not exists
		(select from turn t where t.owner = r.id and t.state in ('running', 'delivering'))`, replicaAge.Microseconds())
	err := s.db.InTxAgain(ctx, func(tx pgx.Tx) error { return closeOrphans(ctx, tx) })
	if err == nil {
		err = s.db.Pool.SendBatch(ctx, batch).Close()
	}
	if err != nil {
		return fmt.Errorf("delete old tombstones, events, turns and replicas: %w", err)
	}
	return nil
}

func closeOrphans(ctx context.Context, tx pgx.Tx) error {
	rows, err := tx.Query(ctx, orphanedSQL, orphanAge.Microseconds())
	if err != nil {
		return err
	}
	type orphan struct {
		Tenant access.TenantID
		ID     string
		Open   bool
	}
	orphans, err := pgx.CollectRows(rows, pgx.RowToStructByPos[orphan])
	if err != nil {
		return err
	}
	for _, o := range orphans {
		if !o.Open { // the audit trail already has its end
			continue
		}
		if err := audit.End(ctx, tx, o.Tenant, o.ID, session.Saved{}); err != nil {
			return err
		}
	}
	return nil
}
