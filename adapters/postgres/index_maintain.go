package postgres

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

// Maintain does what keeps a tenant's index fast: it packs when enough chunks wait, merges segments, forgets old changes, and builds the
// HNSW index of each model that has more vectors than the exact route compares. It changes no keyword result. Call it now and then from any
// number of processes, and after a large run of indexing. While an HNSW index is built, searches go on and writes of vectors wait.
func (x *Index) Maintain(ctx context.Context, tenant access.TenantID) error {
	rows, err := x.db.Pool.Query(ctx, `select shard, next_chunk - sealed_to from index_shard where tenant_id = $1 order by shard`, string(tenant))
	if err != nil {
		return fmt.Errorf("maintain the index: %w", err)
	}
	var shard int16
	var waiting int64
	var full []int16
	var all []int16
	if _, err := pgx.ForEachRow(rows, []any{&shard, &waiting}, func() error {
		all = append(all, shard)
		if waiting >= int64(x.cfg.FreshLimit) {
			full = append(full, shard)
		}
		return nil
	}); err != nil {
		return fmt.Errorf("maintain the index: %w", err)
	}
	for _, shard := range full {
		if err := x.seal(ctx, tenant, shard); err != nil {
			return fmt.Errorf("pack index shard %d: %w", shard, err)
		}
	}
	for _, shard := range all {
		for more := true; more; {
			if more, err = x.merge(ctx, tenant, shard); err != nil {
				return fmt.Errorf("merge segments of index shard %d: %w", shard, err)
			}
		}
	}
	// Served by the primary keys; a shard has few segments.
	if _, err := x.db.Pool.Exec(ctx, `delete from segment_change c using segment s
		where s.tenant_id = $1 and c.tenant_id = s.tenant_id and c.shard = s.shard and c.segment = s.number and c.epoch <= s.epoch - $2::int`,
		string(tenant), maxChanges); err != nil {
		return fmt.Errorf("forget old changes of segments: %w", err)
	}
	return x.buildGraphs(ctx, tenant)
}
