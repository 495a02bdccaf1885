package pgindex

import (
	"context"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

// Readers returns who may currently read each document at an address, however the address is
// spelled. Use it only for explanations, not to check permissions.
func (x *Index) Readers(ctx context.Context, tenant access.TenantID, address string) ([]access.ACL, error) {
	rows, err := x.db.Pool.Query(ctx, `
		select `+readers("$1", "'{}'")+`
		from document d
		where d.tenant_id = $1 and d.url <> '' and md5(address_key(d.url)) in (select md5(address_key(a)) from unnest($2::text[]) a)
		order by d.external_id`, string(tenant), spellings(address))
	if err != nil {
		return nil, fmt.Errorf("look up who may read what has an address: %w", err)
	}
	lists, err := pgx.CollectRows(rows, pgx.RowTo[[]string])
	if err != nil {
		return nil, fmt.Errorf("look up who may read what has an address: %w", err)
	}
	all := make([]access.ACL, len(lists))
	for i, list := range lists {
		slices.Sort(list)
		for _, p := range slices.Compact(list) {
			all[i] = append(all[i], access.Principal(p))
		}
	}
	return all, nil
}
