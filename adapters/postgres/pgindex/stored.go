package pgindex

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/jackc/pgx/v5"
)

// StoredACLs returns the access lists of documents as stored: nodes have not been replaced by their readers.
func (x *Index) StoredACLs(ctx context.Context, tenant access.TenantID, ids []document.ID) (map[document.ID]access.ACL, error) {
	rows, err := x.db.Pool.Query(ctx, `
		select d.external_id, d.acl
		from index_shard s
		join document d on d.tenant_id = s.tenant_id and d.shard = s.shard and d.external_id = any($2::text[])
		where s.tenant_id = $1`, string(tenant), strs(ids))
	if err != nil {
		return nil, fmt.Errorf("read the access lists of %d documents: %w", len(ids), err)
	}
	out := make(map[document.ID]access.ACL)
	var id string
	var acl []string
	_, err = pgx.ForEachRow(rows, []any{&id, &acl}, func() error {
		list := make(access.ACL, len(acl))
		for i, p := range acl {
			list[i] = access.Principal(p)
		}
		out[document.ID(id)] = list
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the access lists of %d documents: %w", len(ids), err)
	}
	return out, nil
}
