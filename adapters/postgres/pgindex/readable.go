package pgindex

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/adapters/postgres/pgaccess"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/jackc/pgx/v5"
)

// Beyond reports whether audience one may read any access list that audience other may not. Lists
// that no document uses any more count too.
func (x *Index) Beyond(ctx context.Context, one, other access.Audience) (beyond bool, err error) {
	err = x.db.Pool.QueryRow(ctx, `
		select exists (select number from (`+listsOf("$1", "$2")+`) mine except select number from (`+listsOf("$3", "$4")+`) theirs)`,
		string(one.Tenant()), strs(one.Principals()), string(other.Tenant()), strs(other.Principals())).Scan(&beyond)
	if err != nil {
		return false, fmt.Errorf("ask what one audience may read and another may not: %w", err)
	}
	return beyond, nil
}

// Titles returns up to limit distinct titles of documents that everyone in the audience may read.
// Documents with a single passage come last, because many only say where a page has moved.
func (x *Index) Titles(ctx context.Context, audience access.Audience, limit int) ([]string, error) {
	if audience.Tenant() == "" {
		return nil, nil
	}
	rows, err := x.db.Pool.Query(ctx, `
		select title from (
			select d.title, d.chunk_count from document d where d.tenant_id = $1 and d.title <> '' and `+pgaccess.MayRead("$1", "$2")+` limit $3) few
		group by title order by max(chunk_count) = 1, title`, string(audience.Tenant()), strs(audience.Principals()), limit)
	if err != nil {
		return nil, fmt.Errorf("list titles: %w", err)
	}
	titles, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list titles: %w", err)
	}
	return titles, nil
}

// Readable returns the existing documents among ids that everyone in the audience may currently
// read.
func (x *Index) Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	readable := make(map[document.ID]bool, len(ids))
	if audience.Tenant() == "" || len(ids) == 0 {
		return readable, nil
	}
	// The join with index_shard lets the unique constraint (tenant_id, shard, external_id) serve
	// the look-up.
	rows, err := x.db.Pool.Query(ctx, `
		select d.external_id
		from index_shard s
		join document d on d.tenant_id = s.tenant_id and d.shard = s.shard and d.external_id = any($2::text[])
		where s.tenant_id = $1 and `+pgaccess.MayRead("$1", "$3"), string(audience.Tenant()), strs(ids), strs(audience.Principals()))
	if err != nil {
		return nil, fmt.Errorf("ask which of %d documents may be read: %w", len(ids), err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("ask which of %d documents may be read: %w", len(ids), err)
	}
	for _, id := range found {
		readable[document.ID(id)] = true
	}
	return readable, nil
}
