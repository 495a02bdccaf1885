package pgindex

import (
	"context"
	"fmt"
	"strings"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/jackc/pgx/v5"
)

// Texts returns the text of documents as it stands now, put together from their chunks; whoever may
// read them. Documents that there are no more have none.
func (x *Index) Texts(ctx context.Context, tenant access.TenantID, ids []document.ID) (map[document.ID]string, error) {
	// Served by document's unique constraint through the shards, then by the primary key of chunk:
	// a document's chunks have consecutive ids.
	rows, err := x.db.Pool.Query(ctx, `
		select d.external_id, c.text, c.start_rune, c.end_rune
		from index_shard s
		join document d on d.tenant_id = s.tenant_id and d.shard = s.shard and d.external_id = any($2::text[])
		join chunk c on c.tenant_id = d.tenant_id and c.shard = d.shard and c.id >= d.first_chunk and c.id < d.first_chunk + d.chunk_count
		where s.tenant_id = $1 order by d.external_id, c.ordinal`, string(tenant), strs(ids))
	if err != nil {
		return nil, fmt.Errorf("read the texts of %d documents: %w", len(ids), err)
	}
	type built struct {
		text strings.Builder
		end  int
	}
	texts := make(map[document.ID]*built)
	var id, text string
	var start, end int
	if _, err := pgx.ForEachRow(rows, []any{&id, &text, &start, &end}, func() error {
		b := texts[document.ID(id)]
		if b == nil {
			b = new(built)
			texts[document.ID(id)] = b
		}
		if runes := []rune(text); start < b.end { // chunks may overlap
			text = string(runes[min(b.end-start, len(runes)):])
		} else if start > b.end {
			b.text.WriteString(document.BlockSeparator)
		}
		b.text.WriteString(text)
		b.end = max(b.end, end)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("read the texts of %d documents: %w", len(ids), err)
	}
	found := make(map[document.ID]string, len(texts))
	for id, b := range texts {
		found[id] = b.text.String()
	}
	return found, nil
}
