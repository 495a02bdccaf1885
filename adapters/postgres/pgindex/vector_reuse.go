package pgindex

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
)

// Vectors implements index.Store. It returns the stored vectors of documents for a model, by the
// search text of the chunk.
//
// The lateral joins enforce look-ups by keys. Otherwise PostgreSQL might read all vectors of the
// tenant.
func (x *Index) Vectors(ctx context.Context, tenant access.TenantID, model string, ids []document.ID) (map[string][]float32, error) {
	out := make(map[string][]float32)
	rows, err := x.db.Pool.Query(ctx, `
		select c.enrichment, c.lead, c.text, e.emb, e.emb_full
		from embedding_model m
		join index_shard s on s.tenant_id = m.tenant_id
		cross join lateral (
			select first_chunk, chunk_count from document where tenant_id = s.tenant_id and shard = s.shard and external_id = any($3::text[]) offset 0
		) d
		cross join lateral (
			select id, enrichment, lead, text from chunk where tenant_id = s.tenant_id and shard = s.shard and id >= d.first_chunk and id < d.first_chunk + d.chunk_count offset 0
		) c
		cross join lateral (
			select emb, emb_full from embedding where tenant_id = s.tenant_id and shard = s.shard and model = m.number and chunk = c.id offset 0
		) e
		where m.tenant_id = $1 and m.name = $2`, string(tenant), model, strs(ids))
	if err != nil {
		return nil, fmt.Errorf("read vectors of documents: %w", err)
	}
	var enrichment, lead, text string
	var half *pgvector.HalfVector
	var full *pgvector.Vector
	if _, err := pgx.ForEachRow(rows, []any{&enrichment, &lead, &text, &half, &full}, func() error {
		switch {
		case half != nil:
			out[searchText(enrichment, lead, text)] = half.Slice()
		case full != nil:
			out[searchText(enrichment, lead, text)] = full.Slice()
		}
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read vectors of documents: %w", err)
	}
	return out, nil
}
