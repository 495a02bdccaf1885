package pgindex

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/jackc/pgx/v5"
)

var _ index.VectorStore = (*Index)(nil)

const (
	// fillBatch is the maximum number of chunks that SearchTexts yields at a time.
	fillBatch = 256
	// fillPage is the number of chunk ids that SearchTexts checks per round trip.
	fillPage = 8192
)

// SearchTexts implements index.VectorStore. It yields the texts of chunks that have no vector of a
// model, in batches. It may or may not yield chunks that are added during the iteration.
func (x *Index) SearchTexts(ctx context.Context, tenant access.TenantID, model string) iter.Seq2[[]index.ChunkText, error] {
	return func(yield func([]index.ChunkText, error) bool) {
		shards, err := x.shardNumbers(ctx, tenant)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, shard := range shards {
			for after := int64(-1); ; {
				ids, last, err := x.withoutVectors(ctx, tenant, shard, after, model)
				if err != nil {
					yield(nil, err)
					return
				}
				if last < 0 {
					break
				}
				after = last
				for some := range slices.Chunk(ids, fillBatch) {
					batch, err := x.searchTexts(ctx, tenant, shard, some)
					if err != nil {
						yield(nil, err)
						return
					}
					if len(batch) > 0 && !yield(batch, nil) {
						return
					}
				}
			}
		}
	}
}

// withoutVectors checks the next fillPage chunk ids after the given one, and returns those without
// a vector of the model. It also returns the last id that it checked, or -1 if there are no more
// ids.
func (x *Index) withoutVectors(ctx context.Context, tenant access.TenantID, shard int16, after int64, model string) ([]int64, int64, error) {
	rows, err := x.db.Pool.Query(ctx, `select id from chunk where tenant_id = $1 and shard = $2 and id > $3 order by id limit $4`,
		string(tenant), shard, after, fillPage)
	if err != nil {
		return nil, 0, fmt.Errorf("look for chunks to embed: %w", err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, 0, fmt.Errorf("look for chunks to embed: %w", err)
	}
	if len(ids) == 0 {
		return nil, -1, nil
	}
	last := ids[len(ids)-1]
	m, known, err := loadModel(ctx, x.db.Pool, tenant, model)
	if err != nil || !known {
		return ids, last, err
	}
	rows, err = x.db.Pool.Query(ctx, `
		select chunk from embedding where tenant_id = $1 and shard = $2 and model = $3 and chunk > $4 and chunk <= $5`,
		string(tenant), shard, m.number, after, last)
	if err != nil {
		return nil, 0, fmt.Errorf("look for chunks that have vectors: %w", err)
	}
	have := make(map[int64]bool)
	var id int64
	if _, err := pgx.ForEachRow(rows, []any{&id}, func() error {
		have[id] = true
		return nil
	}); err != nil {
		return nil, 0, fmt.Errorf("look for chunks that have vectors: %w", err)
	}
	return slices.DeleteFunc(ids, func(id int64) bool { return have[id] }), last, nil
}

// WithoutVector counts the chunks of a tenant that have no vector of a model.
func (x *Index) WithoutVector(ctx context.Context, tenant access.TenantID, model string) (int64, error) {
	var chunks, vectors int64
	err := x.db.Pool.QueryRow(ctx, `
		select coalesce((select sum(chunk_count) from document where tenant_id = $1), 0),
			(select count(*) from embedding e join embedding_model m on m.tenant_id = e.tenant_id and m.number = e.model where m.tenant_id = $1 and m.name = $2)`,
		string(tenant), model).Scan(&chunks, &vectors)
	if err != nil {
		return 0, fmt.Errorf("count the chunks that have no vector: %w", err)
	}
	return max(chunks-vectors, 0), nil
}

// searchTexts returns the search texts of chunks by id, without deleted chunks. It uses the primary
// key.
func (x *Index) searchTexts(ctx context.Context, tenant access.TenantID, shard int16, ids []int64) ([]index.ChunkText, error) {
	rows, err := x.db.Pool.Query(ctx, `
		select c.id, c.enrichment, c.lead, c.text from unnest($3::bigint[]) as w (id)
		cross join lateral (select * from chunk where tenant_id = $1 and shard = $2 and id = w.id offset 0) c
		order by c.id`, string(tenant), shard, ids)
	if err != nil {
		return nil, fmt.Errorf("read chunks to embed: %w", err)
	}
	var batch []index.ChunkText
	var id int64
	var enrichment, lead, text string
	if _, err := pgx.ForEachRow(rows, []any{&id, &enrichment, &lead, &text}, func() error {
		batch = append(batch, index.ChunkText{Chunk: chunkID(shard, id), Text: searchText(enrichment, lead, text)})
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read chunks to embed: %w", err)
	}
	return batch, nil
}

// PutVectors implements index.VectorStore. It stores vectors of chunks that are already in the
// index. It ignores chunks that already have a vector of the model or were deleted.
func (x *Index) PutVectors(ctx context.Context, tenant access.TenantID, name string, chunks []document.ChunkID, vectors [][]float32) error {
	if len(chunks) != len(vectors) {
		return fmt.Errorf("store vectors of model %q: %d chunks and %d vectors", name, len(chunks), len(vectors))
	}
	if len(chunks) == 0 {
		return nil
	}
	m, err := x.registerModel(ctx, tenant, name, len(vectors[0]))
	if err != nil {
		return err
	}
	byShard := make(map[int16]map[int64][]float32)
	for i, id := range chunks {
		if err := m.check(len(vectors[i])); err != nil {
			return err
		}
		shard, chunk := splitID(id)
		if byShard[shard] == nil {
			byShard[shard] = make(map[int64][]float32)
		}
		byShard[shard][chunk] = vectors[i]
	}
	err = x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		for _, shard := range sortedKeys(byShard) {
			if err := putVectors(ctx, tx, tenant, shard, m, byShard[shard]); err != nil {
				return err
			}
		}
		// A new version of the row tells searches that more chunks may have vectors. It comes last,
		// because every writer locks the rows of shards first.
		_, err := tx.Exec(ctx, `update embedding_model set indexed = indexed where number = $1`, m.number)
		return err
	})
	if err != nil {
		return fmt.Errorf("store %d vectors of model %q: %w", len(chunks), name, err)
	}
	return x.notifyEngineOfChunks(ctx, tenant, chunks)
}

// putVectors stores the vectors that are not stored yet. It takes the shard's lock, so that no
// document is deleted and no access list changes meanwhile.
func putVectors(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16, m model, vectors map[int64][]float32) error {
	if _, err := lockShard(ctx, tx, tenant, shard); err != nil {
		return err
	}
	ids := make([]int64, 0, len(vectors))
	for id := range vectors {
		ids = append(ids, id)
	}
	// Look-ups one by one: without statistics the planner would join whole tables.
	rows, err := tx.Query(ctx, `
		select w.id, d.access_number, s.number
		from unnest($3::bigint[]) as w (id)
		cross join lateral (select document from chunk where tenant_id = $1 and shard = $2 and id = w.id offset 0) c
		cross join lateral (select access_number, source_id from document where tenant_id = $1 and shard = $2 and id = c.document offset 0) d
		join source s on s.tenant_id = $1 and s.id = d.source_id
		left join lateral (select 1 as there from embedding where tenant_id = $1 and shard = $2 and model = $4 and chunk = w.id offset 0) e on true
		where e.there is null
		order by w.id`, string(tenant), shard, ids, m.number)
	if err != nil {
		return fmt.Errorf("look up chunks: %w", err)
	}
	var copied [][]any
	var id int64
	var list, source int32
	if _, err := pgx.ForEachRow(rows, []any{&id, &list, &source}, func() error {
		half, full := m.columns(vectors[id])
		copied = append(copied, []any{string(tenant), shard, id, m.number, list, source, half, full})
		return nil
	}); err != nil {
		return fmt.Errorf("look up chunks: %w", err)
	}
	_, err = tx.CopyFrom(ctx, pgx.Identifier{"embedding"},
		[]string{"tenant_id", "shard", "chunk", "model", "access_number", "source", "emb", "emb_full"}, pgx.CopyFromRows(copied))
	if err != nil {
		return fmt.Errorf("copy vectors: %w", err)
	}
	return queueVectors(ctx, tx, tenant, shard, ids)
}
