package pgindex

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/jackc/pgx/v5"
)

// driveChunks is the approximate number of chunks per batch to the search engine. A document is
// never split.
const driveChunks = 2000

// entry is a row of the table search_entry. It stands for one version of a document, which waits to
// be written to the search engine or has been written.
type entry struct {
	tenant           access.TenantID
	shard            int16
	first            int64
	count            int32
	gone             bool
	version, applied int64
}

const entryColumns = `tenant_id, shard, first_chunk, chunk_count, gone, version, applied`

func scanEntry(row pgx.CollectableRow) (entry, error) {
	var e entry
	err := row.Scan(&e.tenant, &e.shard, &e.first, &e.count, &e.gone, &e.version, &e.applied)
	return e, err
}

// generation is a row of search_generation: an index in the search engine.
type generation struct {
	name    string
	serving bool
	since   int64
}

func scanGeneration(row pgx.CollectableRow) (generation, error) {
	var g generation
	err := row.Scan(&g.name, &g.serving, &g.since)
	return g, err
}

// Drive writes changes that were queued at least age ago to the search engine, for all tenants. It
// returns the number of document versions that it wrote. If until is not zero and is reached
// between two batches, Drive stops and returns more = true.
func (x *Index) Drive(ctx context.Context, age time.Duration, until time.Time) (brought int, more bool, err error) {
	if x.cfg.Engine == nil {
		return 0, false, nil
	}
	return x.driveAll(ctx, "", nil, age, until)
}

// driveAll is like [Index.Drive]. If ids is not nil, it writes only the changes of these documents
// of tenant, and searches see them when driveAll returns.
func (x *Index) driveAll(ctx context.Context, tenant access.TenantID, ids []document.ID, age time.Duration, until time.Time) (int, bool, error) {
	all := 0
	for {
		if reached(until) {
			return all, true, nil
		}
		n := 0
		err := x.applyBatch(ctx, func(tx pgx.Tx, b *batch) error {
			const queued = `select ` + entryColumns + ` from search_entry where applied < version and `
			var rows pgx.Rows
			var err error
			if ids != nil { // served by search_entry_document
				rows, err = tx.Query(ctx, queued+`tenant_id = $1 and external_id = any($2::text[]) order by version limit $3`, string(tenant), strs(ids), driveChunks)
			} else {
				// Served by search_entry_queued. A time in the future was set by a server whose
				// clock was ahead.
				rows, err = tx.Query(ctx, queued+`(queued_at <= now() - $1::interval or queued_at > now()) order by queued_at limit $2`, age, driveChunks)
			}
			if err != nil {
				return err
			}
			if b.entries, err = pgx.CollectRows(rows, scanEntry); err != nil || len(b.entries) == 0 {
				return err
			}
			if err := b.readGenerations(ctx, tx, true); err != nil {
				return err
			}
			b.limit()
			n = len(b.entries)
			return b.read(ctx, tx)
		}, ids != nil)
		all += n
		if n == 0 || err != nil {
			return all, false, err
		}
	}
}

// applyBatch writes one batch to the search engine, and marks its entries as written. read fills
// the batch in a transaction with one snapshot. If visible is set, searches see the changes when
// applyBatch returns.
func (x *Index) applyBatch(ctx context.Context, read func(pgx.Tx, *batch) error, visible bool) error {
	var b batch
	err := x.db.InTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		b = batch{}
		return read(tx, &b)
	})
	if err != nil {
		return fmt.Errorf("read what the search engine is to be told: %w", err)
	}
	if len(b.entries) == 0 {
		return nil
	}
	if err := x.deliver(ctx, &b, visible); err != nil {
		return err
	}
	return x.markApplied(ctx, b.entries, slices.MaxFunc(b.generations, bySince).since)
}

func bySince(a, b generation) int { return int(min(max(a.since-b.since, -1), 1)) }

// deliver writes a batch to the search engine. If visible is set, searches see the changes when
// deliver returns.
func (x *Index) deliver(ctx context.Context, b *batch, visible bool) error {
	changes, err := b.changes()
	if err != nil {
		return err
	}
	for _, g := range b.generations {
		for number, dimensions := range b.spaces {
			if err := x.addVectorField(ctx, space{g.name, number}, dimensions); err != nil {
				return err
			}
		}
		if err := x.cfg.Engine.Apply(ctx, g.name, changes, visible && g.serving); err != nil {
			return err
		}
		// An index that is being filled refreshes rarely, and may start to serve before its next
		// refresh.
		if visible && !g.serving {
			if err := x.cfg.Engine.Refresh(ctx, g.name); err != nil {
				return err
			}
		}
	}
	return nil
}

// space identifies a vector field of the search engine, by the name of the index and the number of
// the model.
type space struct {
	index string
	model int32
}

// markApplied marks queue entries as written to the engine, and deletes the entries of deleted
// documents. An entry that has changed in the meantime stays queued.
func (x *Index) markApplied(ctx context.Context, entries []entry, since int64) error {
	tenants, shards, firsts, versions := make([]string, len(entries)), make([]int16, len(entries)), make([]int64, len(entries)), make([]int64, len(entries))
	for i, e := range entries {
		tenants[i], shards[i], firsts[i], versions[i] = string(e.tenant), e.shard, e.first, e.version
	}
	// Rows are locked in the order in which writers lock them. Served by the primary key.
	err := x.db.InTxAgain(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			with told as (
				select e.tenant_id, e.shard, e.first_chunk, d.version from search_entry e
				join unnest($1::text[], $2::smallint[], $3::bigint[], $4::bigint[]) as d (tenant, shard, first, version)
				  on e.tenant_id = d.tenant and e.shard = d.shard and e.first_chunk = d.first
				where e.version = d.version
				order by e.tenant_id, e.shard, e.first_chunk for update of e
			), gone as (
				delete from search_entry e using told t
				where e.tenant_id = t.tenant_id and e.shard = t.shard and e.first_chunk = t.first_chunk and e.gone
			)
			update search_entry e set applied = greatest(t.version, $5) from told t
			where e.tenant_id = t.tenant_id and e.shard = t.shard and e.first_chunk = t.first_chunk and not e.gone`, tenants, shards, firsts, versions, since)
		return err
	})
	if err != nil {
		return fmt.Errorf("note what the search engine was told: %w", err)
	}
	return nil
}

// readGenerations loads the rows of search_generation, which are the indexes of the search engine.
// If all is false, it loads only the index that is being filled.
func (b *batch) readGenerations(ctx context.Context, tx pgx.Tx, all bool) error {
	rows, err := tx.Query(ctx, `select name, serving, since from search_generation where not leaving and ($1 or not serving) order by name`, all)
	if err != nil {
		return err
	}
	b.generations, err = pgx.CollectRows(rows, scanGeneration)
	return err
}
