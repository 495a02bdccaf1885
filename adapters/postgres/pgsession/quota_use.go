package pgsession

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/session"
	"github.com/jackc/pgx/v5"
)

// countQuotas counts a question against all its quotas. If one is exhausted, it counts against none
// and returns when all quotas have room again. Questions that share a counter wait for each other
// until the transaction ends.
func countQuotas(ctx context.Context, tx pgx.Tx, tenant access.TenantID, quotas []session.Quota) (until time.Time, err error) {
	if len(quotas) == 0 {
		return time.Time{}, nil
	}
	quotas = slices.Clone(quotas)
	// a fixed order avoids deadlocks
	slices.SortFunc(quotas, func(a, b session.Quota) int {
		return cmp.Or(cmp.Compare(a.Counter, b.Counter), cmp.Compare(a.Window, b.Window), cmp.Compare(a.Limit, b.Limit))
	})
	// Served by the primary key. Of several limits of one counter, the smallest comes first and
	// decides.
	const take = `
		insert into quota_use as u (tenant_id, counter, seconds, window_start, used)
		values ($1, $2, $3::int, to_timestamp(floor(extract(epoch from now()) / $3::int) * $3::int), 0)
		on conflict (tenant_id, counter, seconds, window_start) do update set used = u.used
		returning used, window_start + $3::int * interval '1 second'`
	for _, q := range quotas {
		var used int
		var end time.Time
		if err := tx.QueryRow(ctx, take, tenant, postgres.Storable(q.Counter), seconds(q.Window)).Scan(&used, &end); err != nil {
			return time.Time{}, fmt.Errorf("look at a quota: %w", err)
		}
		if used >= q.Limit && end.After(until) {
			until = end.UTC()
		}
	}
	if !until.IsZero() {
		return until, nil
	}
	quotas = slices.CompactFunc(quotas, func(a, b session.Quota) bool { return a.Counter == b.Counter && a.Window == b.Window })
	const count = `
		update quota_use set used = used + 1 where tenant_id = $1 and counter = $2 and seconds = $3::int
			and window_start = to_timestamp(floor(extract(epoch from now()) / $3::int) * $3::int)`
	for _, q := range quotas {
		if _, err := tx.Exec(ctx, count, tenant, postgres.Storable(q.Counter), seconds(q.Window)); err != nil {
			return time.Time{}, fmt.Errorf("count against a quota: %w", err)
		}
	}
	return time.Time{}, nil
}

// Count counts an action that is not a question against quotas. If one is exhausted, it counts
// against none and returns when all quotas have room again.
func (s *Store) Count(ctx context.Context, tenant access.TenantID, quotas []session.Quota) (until time.Time, err error) {
	if len(quotas) == 0 {
		return time.Time{}, nil
	}
	err = s.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		until, err = countQuotas(ctx, tx, tenant, quotas)
		return err
	})
	return until, err
}

// Exhausted implements session.Store. It returns the exhausted quotas whose window ends at until.
func (s *Store) Exhausted(ctx context.Context, tenant access.TenantID, quotas []session.Quota, until time.Time) ([]session.Quota, error) {
	const look = `
		select exists (select from quota_use where tenant_id = $1 and counter = $2 and seconds = $3::int
			and window_start = $4::timestamptz - $3::int * interval '1 second' and used >= $5)`
	var full []session.Quota
	for _, q := range quotas {
		var none bool
		if err := s.db.Pool.QueryRow(ctx, look, tenant, postgres.Storable(q.Counter), seconds(q.Window), until, q.Limit).Scan(&none); err != nil {
			return nil, fmt.Errorf("look at a quota: %w", err)
		}
		if none {
			full = append(full, q)
		}
	}
	return full, nil
}

func seconds(d time.Duration) int { return max(1, int(d/time.Second)) }
