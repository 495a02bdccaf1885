package postgres

import (
	"context"
	"fmt"
	"iter"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/jackc/pgx/v5"
)

var _ index.VectorStore = (*Index)(nil)

// fillBatch is how many chunks SearchTexts yields at a time.
const fillBatch = 256

// SearchTexts yields the chunks that have no vector of a model; see index.VectorStore. Chunks that come meanwhile may or may not be among
// them.
func (x *Index) SearchTexts(ctx context.Context, tenant access.TenantID, model string) iter.Seq2[[]index.ChunkText, error] {
	return func(yield func([]index.ChunkText, error) bool) {
		shards, err := x.shardNumbers(ctx, tenant)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, shard := range shards {
			for after := int64(-1); ; {
				batch, last, err := x.searchTexts(ctx, tenant, shard, after, model)
				if err != nil {
					yield(nil, err)
					return
				}
				if len(batch) == 0 {
					break
				}
				after = last
				if !yield(batch, nil) {
					return
				}
			}
		}
	}
}

// searchTexts reads the next chunks of a shard after an id. Served by the primary keys of chunk and embedding.
func (x *Index) searchTexts(ctx context.Context, tenant access.TenantID, shard int16, after int64, model string) ([]index.ChunkText, int64, error) {
	rows, err := x.db.Pool.Query(ctx, `
		select c.id, c.enrichment || c.text from chunk c
		where c.tenant_id = $1 and c.shard = $2 and c.id > $3
		  and not exists (
			select from embedding e join embedding_model m on m.number = e.model
			where m.tenant_id = $1 and m.name = $4 and e.tenant_id = $1 and e.shard = $2 and e.chunk = c.id)
		order by c.id limit $5`, string(tenant), shard, after, model, fillBatch)
	if err != nil {
		return nil, 0, fmt.Errorf("read chunks to embed: %w", err)
	}
	var batch []index.ChunkText
	var id int64
	var text string
	if _, err := pgx.ForEachRow(rows, []any{&id, &text}, func() error {
		batch = append(batch, index.ChunkText{Chunk: chunkID(shard, id), Text: text})
		return nil
	}); err != nil {
		return nil, 0, fmt.Errorf("read chunks to embed: %w", err)
	}
	return batch, id, nil
}

// PutVectors stores vectors of chunks that are in the index already; see index.VectorStore.
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
	err = x.db.inTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		for _, shard := range sortedKeys(byShard) {
			if err := putVectors(ctx, tx, tenant, shard, m, byShard[shard]); err != nil {
				return err
			}
		}
		// A new version of the row tells searches that chunks which had no vector may have one now. It comes last: rows of shards are locked before.
		_, err := tx.Exec(ctx, `update embedding_model set indexed = indexed where number = $1`, m.number)
		return err
	})
	if err != nil {
		return fmt.Errorf("store %d vectors of model %q: %w", len(chunks), name, err)
	}
	return nil
}

// putVectors writes the vectors that are missing. Under the shard's lock no document goes away and no access list changes meanwhile.
func putVectors(ctx context.Context, tx pgx.Tx, tenant access.TenantID, shard int16, m model, vectors map[int64][]float32) error {
	if _, err := lockShard(ctx, tx, tenant, shard); err != nil {
		return err
	}
	ids := make([]int64, 0, len(vectors))
	for id := range vectors {
		ids = append(ids, id)
	}
	rows, err := tx.Query(ctx, `
		select c.id, d.access_number, s.number
		from chunk c
		join document d on d.tenant_id = $1 and d.shard = $2 and d.id = c.document
		join source s on s.tenant_id = $1 and s.id = d.source_id
		where c.tenant_id = $1 and c.shard = $2 and c.id = any($3::bigint[])
		  and not exists (select from embedding e where e.tenant_id = $1 and e.shard = $2 and e.model = $4 and e.chunk = c.id)
		order by c.id`, string(tenant), shard, ids, m.number)
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
	return nil
}
