package pgindex

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

// Maintain does what keeps a tenant's index fast: Tidy without an end. It changes no keyword
// result. Call it now and then from any number of processes, and after a large run of indexing.
func (x *Index) Maintain(ctx context.Context, tenant access.TenantID) error {
	_, err := x.Tidy(ctx, tenant, time.Time{}, func(string) {})
	return err
}

// restShare is the part of FreshLimit, 1 of so many, from which on Tidy packs what waits: after a
// run of indexing no more chunks may come for long, and every search would read those that wait row
// by row, 4,000 of them in about 2 ms.
const restShare = 8

// Tidy packs when enough chunks wait, merges segments, forgets old changes, takes statistics of
// tables that have grown, and looks for new names (tidyKnowledge), which reads them all. It calls
// report with what it begins to do. It looks at the time between two steps, each of which is
// committed, and returns true at until when there is more to do; a zero until is never reached.
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

// analysed are the tables that searches and the look for names join.
var analysed = []string{"document", "chunk", "posting", "fresh_posting", "segment", "entity_name", "entity", "alias", "edge", "mention"}

// analyse has PostgreSQL take statistics of the index if one of its tables is more than twice as
// large as when they were last taken. Until then every statement is planned for the small table,
// and a later run can take a hundred times as long. Autovacuum does the same within a minute or so,
// and alone does where another role owns the tables.
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

// Purge removes the words of documents that were taken out from the keyword index, and names that
// no document uses any more, however few they are: nothing finds them any more, but they would stay
// in the database until a merge that pays. It looks at the time like Tidy.
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
