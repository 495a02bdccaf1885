package pgindex

import (
	"context"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/jackc/pgx/v5"
)

// Every process records changes for the search engine in the table search_entry, even a process
// without an engine. It does so in the transaction of the change and under the shard's lock, so
// that later changes have higher versions. Without an engine the table is empty.

// SQL statements that queue documents for the search engine, by their first chunks ($3).
// queueGoneSQL is for documents that were deleted or have new chunks. queueChangedSQL is for
// documents with a new access list or new vectors. Both use the primary key.
const (
	queueGoneSQL = `
		with mine as (select first_chunk from search_entry where tenant_id = $1 and shard = $2 and first_chunk = any($3::bigint[]) order by first_chunk for update)
		update search_entry e set gone = true, version = nextval('search_version'), queued_at = clock_timestamp() from mine
		where e.tenant_id = $1 and e.shard = $2 and e.first_chunk = mine.first_chunk`
	queueChangedSQL = `
		with mine as (select first_chunk from search_entry where tenant_id = $1 and shard = $2 and first_chunk = any($3::bigint[]) order by first_chunk for update)
		update search_entry e set version = nextval('search_version'), queued_at = clock_timestamp() from mine
		where e.tenant_id = $1 and e.shard = $2 and e.first_chunk = mine.first_chunk`
)

// queueNew queues new documents for the search engine. It does nothing if there is no search
// engine.
func (w *shardWriter) queueNew(ctx context.Context, docs []numberedEntry) error {
	ids, firsts, counts := make([]string, 0, len(docs)), make([]int64, 0, len(docs)), make([]int32, 0, len(docs))
	for _, d := range docs {
		if n := len(d.Chunks); n > 0 {
			ids, firsts, counts = append(ids, string(d.Document.ID)), append(firsts, d.first), append(counts, int32(n))
		}
	}
	_, err := w.tx.Exec(ctx, `
		insert into search_entry (tenant_id, shard, first_chunk, chunk_count, external_id)
		select $1, $2, d.first, d.n, d.id from unnest($3::text[], $4::bigint[], $5::int[]) as d (id, first, n)
		where exists (select from search_generation where not leaving)`, string(w.tenant), w.shard, ids, firsts, counts)
	if err != nil {
		return fmt.Errorf("note documents for the search engine: %w", err)
	}
	return nil
}

// queueVectors queues documents because some of their chunks got vectors. It does nothing if there
// is no search engine.
func queueVectors(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16, chunks []int64) error {
	rows, err := tx.Query(ctx, `
		select distinct d.first_chunk from unnest($3::bigint[]) as w (id)
		cross join lateral (select document from chunk where tenant_id = $1 and shard = $2 and id = w.id offset 0) c
		cross join lateral (select first_chunk from document where tenant_id = $1 and shard = $2 and id = c.document offset 0) d
		where exists (select from search_generation where not leaving)`, string(tenant), shard, chunks)
	if err != nil {
		return fmt.Errorf("note vectors for the search engine: %w", err)
	}
	firsts, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err == nil && len(firsts) > 0 {
		_, err = tx.Exec(ctx, queueChangedSQL, string(tenant), shard, firsts)
	}
	if err != nil {
		return fmt.Errorf("note vectors for the search engine: %w", err)
	}
	return nil
}

// notifyEngine writes the queued changes of documents to the search engine, if there is one. If
// that fails, the changes stay queued and [Index.Drive] retries them.
func (x *Index) notifyEngine(ctx context.Context, tenant access.TenantID, ids []document.ID) error {
	if x.cfg.Engine == nil {
		return nil
	}
	if _, _, err := x.driveAll(ctx, tenant, ids, 0, time.Time{}); err != nil {
		return fmt.Errorf("%d documents are stored, and found once the search engine has heard of them: %w", len(ids), err)
	}
	return nil
}

func (x *Index) notifyEngineOfChunks(ctx context.Context, tenant access.TenantID, chunks []document.ChunkID) error {
	if x.cfg.Engine == nil {
		return nil
	}
	shards, ids := make([]int16, len(chunks)), make([]int64, len(chunks))
	for i, c := range chunks {
		shards[i], ids[i] = splitID(c)
	}
	// Served by the primary keys.
	rows, err := x.db.Pool.Query(ctx, `
		select distinct d.external_id from unnest($2::smallint[], $3::bigint[]) as w (shard, id)
		cross join lateral (select shard, document from chunk where tenant_id = $1 and shard = w.shard and id = w.id offset 0) c
		cross join lateral (select external_id from document where tenant_id = $1 and shard = c.shard and id = c.document offset 0) d`,
		string(tenant), shards, ids)
	if err != nil {
		return fmt.Errorf("look up the documents of chunks: %w", err)
	}
	documents, err := pgx.CollectRows(rows, pgx.RowTo[document.ID])
	if err != nil {
		return fmt.Errorf("look up the documents of chunks: %w", err)
	}
	return x.notifyEngine(ctx, tenant, documents)
}
