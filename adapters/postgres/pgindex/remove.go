package pgindex

import (
	"context"
	_ "embed"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgknowledge"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/segment_change.sql
var segmentChangeSQL string

// Remove implements index.Store. It removes documents of a source from the index. Searches cannot
// find them when Remove returns. Merges of segments delete their postings later.
func (x *Index) Remove(ctx context.Context, tenant access.TenantID, source document.SourceID, ids []document.ID) error {
	if len(ids) == 0 {
		return nil
	}
	err := x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error { return removeDocuments(ctx, tx, tenant, source, ids) })
	if err != nil {
		return fmt.Errorf("remove %d documents of source %s from the index: %w", len(ids), source, err)
	}
	return x.notifyEngine(ctx, tenant, ids)
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
		if _, err := w.deleteDocuments(ctx, source, byShard[shard]); err != nil {
			return err
		}
		if err := saveShard(ctx, tx, tenant, shard, w.state); err != nil {
			return err
		}
	}
	return nil
}

// replacedState is the part of a deleted document's state that its new version takes over.
type replacedState struct {
	id   int64 // of the row
	acl  []string
	list int32 // number of acl
	read time.Time
}

// deleteDocuments deletes documents of the locked shard with their chunks and vectors. It returns
// the state that new versions inherit. If source is not empty, it deletes only documents of that
// source.
func (w *shardWriter) deleteDocuments(ctx context.Context, source document.SourceID, ids []document.ID) (map[document.ID]replacedState, error) {
	// Served by document's unique constraint.
	rows, err := w.tx.Query(ctx, `
		delete from document where tenant_id = $1 and shard = $2 and external_id = any($3::text[]) and ($4::text = '' or source_id = $4)
		returning external_id, id, acl, access_number, case when isfinite(acl_read_at) then acl_read_at end,
			first_chunk, chunk_count, flat_length, title_length`, string(w.tenant), w.shard, strs(ids), string(source))
	if err != nil {
		return nil, fmt.Errorf("delete documents: %w", err)
	}
	was := make(map[document.ID]replacedState)
	var gone, firsts []int64
	var counts []int32
	var external string
	var id, first, flat, title int64
	var list, count int32
	var acl []string
	var read *time.Time
	if _, err := pgx.ForEachRow(rows, []any{&external, &id, &acl, &list, &read, &first, &count, &flat, &title}, func() error {
		d := replacedState{id: id, acl: acl, list: list}
		if read != nil {
			d.read = *read
		}
		was[document.ID(external)] = d
		gone = append(gone, id)
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
	if len(gone) == 0 {
		return was, nil
	}
	batch := &pgx.Batch{}
	pgknowledge.Drop(batch, w.tenant, w.shard, gone, firsts, counts)
	args := []any{string(w.tenant), w.shard, firsts, counts}
	// Both are served by the primary keys, one range per document.
	batch.Queue(`delete from chunk c using unnest($3::bigint[], $4::int[]) as gone (first, n)
		where c.tenant_id = $1 and c.shard = $2 and c.id >= gone.first and c.id < gone.first + gone.n`, args...)
	batch.Queue(`delete from embedding e using unnest($3::bigint[], $4::int[]) as gone (first, n),
			(select number from embedding_model where tenant_id = $1) m
		where e.tenant_id = $1 and e.shard = $2 and e.model = m.number and e.chunk >= gone.first and e.chunk < gone.first + gone.n`, args...)
	batch.Queue(segmentChangeSQL, string(w.tenant), w.shard, firsts, counts, nil)
	batch.Queue(queueGoneSQL, string(w.tenant), w.shard, firsts)
	if err := w.tx.SendBatch(ctx, batch).Close(); err != nil {
		return nil, fmt.Errorf("delete the chunks of documents: %w", err)
	}
	return was, nil
}

// SetACL implements index.Store. It changes the access lists of documents without storing the
// documents again.
func (x *Index) SetACL(ctx context.Context, tenant access.TenantID, source document.SourceID, changes []index.Access) error {
	if len(changes) == 0 {
		return nil
	}
	err := x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		ids := make([]document.ID, len(changes))
		lists := make(map[string][]string)
		for i, c := range changes {
			ids[i] = c.ID
			acl := sortedACL(c.ACL)
			lists[aclKey(acl)] = acl
		}
		home, err := shardsOf(ctx, tx, tenant, ids)
		if err != nil {
			return err
		}
		numbers, err := internLists(ctx, tx, tenant, lists)
		if err != nil {
			return err
		}
		byShard := make(map[int16][]index.Access)
		for _, c := range changes {
			if shard, found := home[c.ID]; found {
				byShard[shard] = append(byShard[shard], c)
			}
		}
		for _, shard := range sortedKeys(byShard) {
			if _, err := lockShard(ctx, tx, tenant, shard); err != nil {
				return err
			}
			if err := setACL(ctx, tx, tenant, shard, source, numbers, byShard[shard]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("change the access list of %d documents: %w", len(changes), err)
	}
	ids := make([]document.ID, len(changes))
	for i, c := range changes {
		ids[i] = c.ID
	}
	return x.notifyEngine(ctx, tenant, ids)
}

// setACL changes the access lists of documents in a shard. The caller must hold the shard's lock.
// numbers maps the aclKey of each list to the list's number.
func setACL(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16, source document.SourceID, numbers map[string]int32, changes []index.Access) error {
	ids, hashes, lists := make([]string, len(changes)), make([][]byte, len(changes)), make([]int32, len(changes))
	reads := make([]*time.Time, len(changes))
	for i, c := range changes {
		ids[i], hashes[i], lists[i] = string(c.ID), c.Hash[:], numbers[aclKey(sortedACL(c.ACL))]
		reads[i] = nullTime(c.ReadAt)
	}
	// Served by document's unique constraint. A stored list that is newer is kept (index.NewerACL).
	// Chunks are updated only if their document got another list.
	rows, err := tx.Query(ctx, `
		update document d set acl = l.principals, access_number = l.number, content_hash = c.hash, acl_read_at = coalesce(c.read_at, '-infinity')
		from unnest($4::text[], $5::bytea[], $6::int[], $7::timestamptz[]) as c (id, hash, list, read_at)
		join access_list l on l.tenant_id = $1 and l.number = c.list
		join document was on was.tenant_id = $1 and was.shard = $2 and was.external_id = c.id
		where d.tenant_id = $1 and d.shard = $2 and d.source_id = $3 and d.external_id = c.id and d.acl_read_at <= coalesce(c.read_at, '-infinity')
		returning d.access_number, was.access_number = d.access_number, d.first_chunk, d.chunk_count`,
		string(tenant), shard, string(source), ids, hashes, lists, reads)
	if err != nil {
		return fmt.Errorf("update documents: %w", err)
	}
	type ranges struct {
		firsts []int64
		counts []int32
	}
	moved := make(map[int32]ranges) // by list
	var number, count int32
	var stays bool
	var first int64
	if _, err := pgx.ForEachRow(rows, []any{&number, &stays, &first, &count}, func() error {
		if !stays {
			to := moved[number]
			moved[number] = ranges{append(to.firsts, first), append(to.counts, count)}
		}
		return nil
	}); err != nil {
		return fmt.Errorf("update documents: %w", err)
	}
	batch := &pgx.Batch{}
	var changed []int64
	for _, number := range sortedKeys(moved) {
		to := moved[number]
		batch.Queue(`
			update embedding e set access_number = $5
			from unnest($3::bigint[], $4::int[]) as moved (first, n), (select number from embedding_model where tenant_id = $1) m
			where e.tenant_id = $1 and e.shard = $2 and e.model = m.number and e.chunk >= moved.first and e.chunk < moved.first + moved.n`,
			string(tenant), shard, to.firsts, to.counts, number)
		batch.Queue(segmentChangeSQL, string(tenant), shard, to.firsts, to.counts, number)
		changed = append(changed, to.firsts...)
	}
	batch.Queue(queueChangedSQL, string(tenant), shard, changed)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("update the chunks of documents: %w", err)
	}
	return nil
}
