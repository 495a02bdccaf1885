package pgindex

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/jackc/pgx/v5"
)

// Texts returns the current texts of documents, joined from their chunks. It does not check
// permissions. It omits removed documents.
func (x *Index) Texts(ctx context.Context, tenant access.TenantID, ids []document.ID) (map[document.ID]string, error) {
	// Served by document's unique constraint through the shards, then by the primary key of chunk:
	// a document's chunks have consecutive ids.
	rows, err := x.db.Pool.Query(ctx, `
		select d.external_id, c.ordinal, c.lead, c.text, c.start_rune, c.end_rune
		from index_shard s
		join document d on d.tenant_id = s.tenant_id and d.shard = s.shard and d.external_id = any($2::text[])
		join chunk c on c.tenant_id = d.tenant_id and c.shard = d.shard and c.id >= d.first_chunk and c.id < d.first_chunk + d.chunk_count
		where s.tenant_id = $1 order by d.external_id, c.ordinal`, string(tenant), strs(ids))
	if err != nil {
		return nil, fmt.Errorf("read the texts of %d documents: %w", len(ids), err)
	}
	texts := make(map[document.ID]*document.Joiner)
	var id document.ID
	var c document.Chunk
	if _, err := pgx.ForEachRow(rows, []any{&id, &c.Ordinal, &c.Lead, &c.Text, &c.Start, &c.End}, func() error {
		if texts[id] == nil {
			texts[id] = new(document.Joiner)
		}
		texts[id].Add(c)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read the texts of %d documents: %w", len(ids), err)
	}
	found := make(map[document.ID]string, len(texts))
	for id, j := range texts {
		found[id] = j.String()
	}
	return found, nil
}
