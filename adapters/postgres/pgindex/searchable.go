package pgindex

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/tool"
)

// Searchable lists the sources with documents that the audience may read, ordered by name. It
// counts only those documents.
func (x *Index) Searchable(ctx context.Context, audience access.Audience) ([]tool.Source, error) {
	if audience.Tenant() == "" {
		return nil, nil
	}
	// Served by document_source, which reads each document of the tenant once. Callers cache the
	// result.
	rows, err := x.db.Pool.Query(ctx, `
		select c.source_id, coalesce(nullif(s.name, ''), c.source_id), coalesce(nullif(s.kind, ''), c.kind), c.documents, c.newest
		from (
			select d.source_id, min(d.kind) as kind, count(*) as documents, max(d.updated_at) as newest
			from document d where d.tenant_id = $1 and `+pgaccess.MayRead("$1", "$2")+` group by d.source_id) c
		left join source s on s.tenant_id = $1 and s.id = c.source_id
		order by 2, 1`, string(audience.Tenant()), strs(audience.Principals()))
	if err != nil {
		return nil, fmt.Errorf("list what can be searched: %w", err)
	}
	sources, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (tool.Source, error) {
		var (
			s      tool.Source
			id     string
			newest *time.Time
		)
		err := row.Scan(&id, &s.Name, &s.Kind, &s.Documents, &newest)
		s.ID = document.SourceID(id)
		if newest != nil {
			s.Newest = newest.UTC()
		}
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("list what can be searched: %w", err)
	}
	return sources, nil
}
