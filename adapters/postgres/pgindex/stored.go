package pgindex

import (
	"context"
	"errors"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/jackc/pgx/v5"
)

// StoredACLs returns the access lists of documents as stored. It does not replace nodes in them,
// such as folders, by the nodes' readers.
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

// SamplePoint returns a person and a document of a source, for a trial of a permission check. The
// document's access list names a node, such as a folder. ok is false if the source lacks either.
func (x *Index) SamplePoint(ctx context.Context, tenant access.TenantID, source document.SourceID) (person string, id document.ID, acl access.ACL, ok bool, err error) {
	var list []string
	err = x.db.Pool.QueryRow(ctx, `
		select p.id, d.external_id, d.acl
		from (select id from source_person where tenant_id = $1 and source_id = $2 order by id limit 1) p
		cross join lateral (
			select external_id, acl from document
			where tenant_id = $1 and source_id = $2 and exists (select from unnest(acl) a where a like 'node:%')
			limit 1) d`, string(tenant), string(source)).Scan(&person, &id, &list)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", "", nil, false, nil
	}
	if err != nil {
		return "", "", nil, false, fmt.Errorf("find a person and a document of %s: %w", source, err)
	}
	for _, p := range list {
		acl = append(acl, access.Principal(p))
	}
	return person, id, acl, true, nil
}
