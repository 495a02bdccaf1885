package pgaccess

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/sources"
	"github.com/jackc/pgx/v5"
)

// States returns the progress of reading permissions, for each source of a tenant and each kind of
// permissions.
func (s *Store) States(ctx context.Context, tenant access.TenantID) ([]sources.Loop, error) {
	rows, err := s.db.Pool.Query(ctx, `
		select a.source_id, a.loop, a.began_at, a.touched_at, a.complete_at, a.succeeded_at, a.until, a.failing, a.error, a.revoked, s.paused_at is not null
		from source_access a join source s on s.tenant_id = a.tenant_id and s.id = a.source_id
		where a.tenant_id = $1 order by a.source_id, a.loop`, string(tenant))
	if err != nil {
		return nil, fmt.Errorf("look how far access to sources is read: %w", err)
	}
	states, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (sources.Loop, error) {
		var s sources.Loop
		var times [5]*time.Time
		err := row.Scan(&s.Source, &s.Loop, &times[0], &times[1], &times[2], &times[3], &times[4], &s.Failing, &s.Error, &s.Revoked, &s.Paused)
		for i, to := range []*time.Time{&s.BeganAt, &s.TouchedAt, &s.CompleteAt, &s.SucceededAt, &s.Until} {
			if times[i] != nil {
				*to = times[i].UTC()
			}
		}
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("look how far access to sources is read: %w", err)
	}
	return states, nil
}
