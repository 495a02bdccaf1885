package postgres

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/jackc/pgx/v5"
)

//go:embed queries/chunks.sql
var chunksSQL string

// Chunks re-reads passages that earlier answers rested on: those that still exist and that the audience may read now, in any order.
func (x *Index) Chunks(ctx context.Context, audience access.Audience, ids []document.ChunkID) ([]retrieve.Passage, error) {
	if audience.Tenant() == "" || len(ids) == 0 {
		return nil, nil
	}
	shards, chunks := make([]int16, len(ids)), make([]int64, len(ids))
	for i, id := range ids {
		shards[i], chunks[i] = splitID(id)
	}
	rows, err := x.db.Pool.Query(ctx, chunksSQL, string(audience.Tenant()), shards, chunks, strs(audience.Principals()))
	if err != nil {
		return nil, fmt.Errorf("re-read %d passages: %w", len(ids), err)
	}
	passages, err := pgx.CollectRows(rows, scanPassage)
	if err != nil {
		return nil, fmt.Errorf("re-read %d passages: %w", len(ids), err)
	}
	return passages, nil
}

// Readable returns those of the documents that exist and that everybody in the audience may read at this moment.
func (x *Index) Readable(ctx context.Context, audience access.Audience, ids []document.ID) (map[document.ID]bool, error) {
	readable := make(map[document.ID]bool, len(ids))
	if audience.Tenant() == "" || len(ids) == 0 {
		return readable, nil
	}
	// The shards come first: they make the unique constraint (tenant_id, shard, external_id) serve the look-up.
	rows, err := x.db.Pool.Query(ctx, `
		select d.external_id
		from index_shard s
		join document d on d.tenant_id = s.tenant_id and d.shard = s.shard and d.external_id = any($2::text[])
		where s.tenant_id = $1 and d.acl && $3::text[]`, string(audience.Tenant()), strs(ids), strs(audience.Principals()))
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
