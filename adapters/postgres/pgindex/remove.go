package pgindex

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/segment_change.sql
var segmentChangeSQL string

// Remove takes documents of a source out of the index. They cannot be found any more when it returns; their postings are purged by
// the next merge.
func (x *Index) Remove(ctx context.Context, tenant access.TenantID, source document.SourceID, ids []document.ID) error {
	if len(ids) == 0 {
		return nil
	}
	err := x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error { return removeDocuments(ctx, tx, tenant, source, ids) })
	if err != nil {
		return fmt.Errorf("remove %d documents of source %s from the index: %w", len(ids), source, err)
	}
	return nil
}

func removeDocuments(ctx context.Context, tx pgx.Tx, tenant access.TenantID, source document.SourceID, ids []document.ID) error {
	home, err := shardsOf(ctx, tx, tenant, ids)
	if err != nil {
		return err
	}
	byShard := make(map[int16][]document.ID)
	for id, shard := range home {
		byShard[shard] = append(byShard[shard], id)
	}
	for _, shard := range sortedKeys(byShard) {
		w := shardWriter{tx: tx, tenant: tenant, shard: shard}
		if w.state, err = lockShard(ctx, tx, tenant, shard); err != nil {
			return err
		}
		if _, err := w.drop(ctx, source, byShard[shard]); err != nil {
			return err
		}
		if err := saveShard(ctx, tx, tenant, shard, w.state); err != nil {
			return err
		}
	}
	return nil
}

// drop deletes documents of the locked shard and returns their row ids. A source given restricts it. The shard's statistics are
// brought up to date in w.state.
func (w *shardWriter) drop(ctx context.Context, source document.SourceID, ids []document.ID) (map[document.ID]int64, error) {
	// Served by document's unique constraint.
	rows, err := w.tx.Query(ctx, `
		delete from document where tenant_id = $1 and shard = $2 and external_id = any($3::text[]) and ($4::text = '' or source_id = $4)
		returning external_id, id, first_chunk, chunk_count, flat_length, title_length`, string(w.tenant), w.shard, strs(ids), string(source))
	if err != nil {
		return nil, fmt.Errorf("delete documents: %w", err)
	}
	dropped := make(map[document.ID]int64)
	var firsts []int64
	var counts []int32
	var external string
	var id, first, flat, title int64
	var count int32
	if _, err := pgx.ForEachRow(rows, []any{&external, &id, &first, &count, &flat, &title}, func() error {
		dropped[document.ID(external)] = id
		w.state.chunks -= int64(count)
		w.state.flatLength -= flat
		w.state.titleLength -= title
		if title > 0 {
			w.state.titled -= int64(count)
		}
		if count > 0 {
			firsts = append(firsts, first)
			counts = append(counts, count)
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("delete documents: %w", err)
	}
	if len(firsts) == 0 {
		return dropped, nil
	}
	batch := &pgx.Batch{}
	args := []any{string(w.tenant), w.shard, firsts, counts}
	// Both are served by the primary keys, one range per document.
	batch.Queue(`delete from chunk c using unnest($3::bigint[], $4::int[]) as gone (first, n)
		where c.tenant_id = $1 and c.shard = $2 and c.id >= gone.first and c.id < gone.first + gone.n`, args...)
	batch.Queue(`delete from embedding e using unnest($3::bigint[], $4::int[]) as gone (first, n),
			(select number from embedding_model where tenant_id = $1) m
		where e.tenant_id = $1 and e.shard = $2 and e.model = m.number and e.chunk >= gone.first and e.chunk < gone.first + gone.n`, args...)
	batch.Queue(segmentChangeSQL, string(w.tenant), w.shard, firsts, counts, nil)
	if err := w.tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("delete the chunks of documents: %w", err)
	}
	return dropped, nil
}

// SetACL changes who may read documents, without storing them again. The change holds for every search that begins after it returns.
// Unknown ids are ignored.
func (x *Index) SetACL(ctx context.Context, tenant access.TenantID, acl access.ACL, ids []document.ID) error {
	err := x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		home, err := shardsOf(ctx, tx, tenant, ids)
		if err != nil {
			return err
		}
		principals := sortedACL(acl)
		numbers, err := internLists(ctx, tx, tenant, map[string][]string{aclKey(principals): principals})
		if err != nil {
			return err
		}
		byShard := make(map[int16][]document.ID)
		for id, shard := range home {
			byShard[shard] = append(byShard[shard], id)
		}
		for _, shard := range sortedKeys(byShard) {
			if _, err := lockShard(ctx, tx, tenant, shard); err != nil {
				return err
			}
			if err := setACL(ctx, tx, tenant, shard, principals, numbers[aclKey(principals)], byShard[shard]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("change the access list of %d documents: %w", len(ids), err)
	}
	return nil
}

func setACL(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16, principals []string, number int32, ids []document.ID) error {
	rows, err := tx.Query(ctx, `
		update document set acl = $4::text[], access_number = $5
		where tenant_id = $1 and shard = $2 and external_id = any($3::text[])
		returning first_chunk, chunk_count`, string(tenant), shard, strs(ids), principals, number)
	if err != nil {
		return fmt.Errorf("update documents: %w", err)
	}
	var firsts []int64
	var counts []int32
	var first int64
	var count int32
	if _, err := pgx.ForEachRow(rows, []any{&first, &count}, func() error {
		firsts, counts = append(firsts, first), append(counts, count)
		return nil
	}); err != nil {
		return fmt.Errorf("update documents: %w", err)
	}
	batch := &pgx.Batch{}
	batch.Queue(`
		update embedding e set access_number = $5
		from unnest($3::bigint[], $4::int[]) as moved (first, n), (select number from embedding_model where tenant_id = $1) m
		where e.tenant_id = $1 and e.shard = $2 and e.model = m.number and e.chunk >= moved.first and e.chunk < moved.first + moved.n`,
		string(tenant), shard, firsts, counts, number)
	batch.Queue(segmentChangeSQL, string(tenant), shard, firsts, counts, number)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("update the chunks of documents: %w", err)
	}
	return nil
}
