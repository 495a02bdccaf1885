package pgindex

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/suggest"
	"github.com/jackc/pgx/v5"
)

// Headings returns headings of documents that an audience may read. It returns up to 60 headings
// per document, from up to 200 documents.
func (x *Index) Headings(ctx context.Context, audience access.Audience) ([]suggest.Heading, error) {
	if audience.Tenant() == "" {
		return nil, nil
	}
	rows, err := x.db.Pool.Query(ctx, `
		select d.shard || '/' || d.id, d.language, c.heading[cardinality(c.heading)]
		from (
			select d.shard, d.id, d.language, d.first_chunk, d.chunk_count
			from document d where d.tenant_id = $1 and `+pgaccess.MayRead("$1", "$2")+` limit 200) d
		cross join lateral (
			select heading, id from chunk
			where tenant_id = $1 and shard = d.shard and id >= d.first_chunk and id < d.first_chunk + d.chunk_count and cardinality(heading) > 0
			order by id limit 60) c
		order by d.shard, d.id, c.id`, string(audience.Tenant()), strs(audience.Principals()))
	if err != nil {
		return nil, fmt.Errorf("list headings: %w", err)
	}
	headings, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (h suggest.Heading, err error) {
		err = row.Scan(&h.Document, &h.Language, &h.Text)
		return h, err
	})
	if err != nil {
		return nil, fmt.Errorf("list headings: %w", err)
	}
	return headings, nil
}
