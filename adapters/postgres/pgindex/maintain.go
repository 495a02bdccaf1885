package pgindex

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

// Maintain keeps searches fast: it calls [Index.Tidy] for a tenant without a deadline. It does not
// change keyword results. Call it regularly and after indexing many documents, from any number of
// processes.
func (x *Index) Maintain(ctx context.Context, tenant access.TenantID) error {
	_, err := x.Tidy(ctx, tenant, time.Time{}, func(string) {})
	return err
}

// restShare determines when Tidy packs a shard: when it has at least FreshLimit/restShare chunks
// that are not packed yet.
const restShare = 8

// Tidy maintains the index. It packs new chunks, merges segments, deletes old change records,
// updates table statistics, and searches for new names. It calls report before some of the steps.
//
// It checks the deadline until after each step. It returns true if the deadline was reached before
// all work was done. Zero means no deadline.
func (x *Index) Tidy(ctx context.Context, tenant access.TenantID, until time.Time, report func(step string)) (more bool, err error) {
	report("Packing the index")
	rows, err := x.db.Pool.Query(ctx, `select shard, next_chunk - sealed_to from index_shard where tenant_id = $1 order by shard`, string(tenant))
	if err != nil {
		return false, fmt.Errorf("maintain the index: %w", err)
	}
	var shard int16
	var waiting int64
	var full []int16
	var all []int16
	if _, err := pgx.ForEachRow(rows, []any{&shard, &waiting}, func() error {
		all = append(all, shard)
		if waiting >= int64(max(1, x.cfg.FreshLimit/restShare)) {
			full = append(full, shard)
		}
		return nil
	}); err != nil {
		return false, fmt.Errorf("maintain the index: %w", err)
	}
	if more, err := x.sealAll(ctx, tenant, full, until); more || err != nil {
		return more, err
	}
	if more, err := x.mergeAll(ctx, tenant, all, purgeShare, until); more || err != nil {
		return more, err
	}
	// Served by the primary keys; a shard has few segments.
	if _, err := x.db.Pool.Exec(ctx, `delete from segment_change c using segment s
		where s.tenant_id = $1 and c.tenant_id = s.tenant_id and c.shard = s.shard and c.segment = s.number and c.epoch <= s.epoch - $2::int`,
		string(tenant), maxChanges); err != nil {
		return false, fmt.Errorf("forget old changes of segments: %w", err)
	}
	if err := x.analyse(ctx, report); err != nil {
		return false, err
	}
	report("Looking for new names in the index")
	return x.tidyKnowledge(ctx, tenant, until)
}

var analysed = []string{"document", "chunk", "posting", "fresh_posting", "segment", "entity_name", "entity", "alias", "edge", "mention"}

// analyse updates PostgreSQL's statistics if a table of the index has become more than twice as
// large since the last update. It does nothing for tables that belong to another role.
func (x *Index) analyse(ctx context.Context, report func(step string)) error {
	const wanted = `
		select coalesce(bool_or(pg_relation_size(oid) > 2 * relpages::bigint * current_setting('block_size')::bigint), false)
		from pg_class where pg_has_role(relowner, 'usage') and oid = any($1::text[]::regclass[])`
	var due bool
	if err := x.db.Pool.QueryRow(ctx, wanted, analysed).Scan(&due); err != nil {
		return fmt.Errorf("look for statistics of the index: %w", err)
	}
	if !due {
		return nil
	}
	report("Taking statistics of the index")
	if _, err := x.db.Pool.Exec(ctx, `analyze `+strings.Join(analysed, ", ")); err != nil {
		return fmt.Errorf("take statistics of the index: %w", err)
	}
	return nil
}

// Purge removes data of deleted documents from the database, such as their words, and unused names.
// Searches ignore this data anyway. Purge checks the deadline until like [Index.Tidy].
func (x *Index) Purge(ctx context.Context, tenant access.TenantID, until time.Time) (more bool, err error) {
	shards, err := x.shardNumbers(ctx, tenant)
	if err != nil {
		return false, err
	}
	if more, err := x.sealAll(ctx, tenant, shards, until); more || err != nil {
		return more, err
	}
	if more, err := x.purgeKnowledge(ctx, tenant, shards, until); more || err != nil {
		return more, err
	}
	return x.mergeAll(ctx, tenant, shards, 0, until)
}

func (x *Index) sealAll(ctx context.Context, tenant access.TenantID, shards []int16, until time.Time) (more bool, err error) {
	for _, shard := range shards {
		if reached(until) {
			return true, nil
		}
		if err := x.seal(ctx, tenant, shard); err != nil {
			return false, fmt.Errorf("pack index shard %d: %w", shard, err)
		}
	}
	return false, nil
}

func (x *Index) mergeAll(ctx context.Context, tenant access.TenantID, shards []int16, purge float64, until time.Time) (more bool, err error) {
	for _, shard := range shards {
		for again := true; again; {
			if reached(until) {
				return true, nil
			}
			if again, err = x.mergeFrom(ctx, tenant, shard, purge); err != nil {
				return false, fmt.Errorf("merge segments of index shard %d: %w", shard, err)
			}
		}
	}
	return false, nil
}

func reached(until time.Time) bool { return !until.IsZero() && time.Now().After(until) }

// Written returns a number that grows whenever documents are stored for a tenant.
func (x *Index) Written(ctx context.Context, tenant access.TenantID) (int64, error) {
	var written int64
	err := x.db.Pool.QueryRow(ctx, `select coalesce(sum(next_chunk), 0)::bigint from index_shard where tenant_id = $1`, string(tenant)).Scan(&written)
	if err != nil {
		return 0, fmt.Errorf("ask how much was written to the index: %w", err)
	}
	return written, nil
}

// Tenants lists the tenants that have an index.
func (x *Index) Tenants(ctx context.Context) ([]access.TenantID, error) {
	rows, err := x.db.Pool.Query(ctx, `select distinct tenant_id from index_shard order by tenant_id`)
	if err != nil {
		return nil, fmt.Errorf("list the tenants that have an index: %w", err)
	}
	tenants, err := pgx.CollectRows(rows, pgx.RowTo[access.TenantID])
	if err != nil {
		return nil, fmt.Errorf("list the tenants that have an index: %w", err)
	}
	return tenants, nil
}
