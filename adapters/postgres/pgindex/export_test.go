package pgindex

import (
	"context"
	"hash/fnv"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/jackc/pgx/v5"
)

// PutDivided stores new documents as earlier versions did where INDEX_SHARDS said so.
func (x *Index) PutDivided(ctx context.Context, tenant access.TenantID, entries []index.Entry, shards int) error {
	models, err := x.modelsOf(ctx, tenant, entries)
	if err != nil {
		return err
	}
	prepared := make([]*preparedEntry, len(entries))
	byShard := make(map[int16][]*preparedEntry)
	return x.db.InTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		for i := range entries {
			if prepared[i], err = x.prepare(&entries[i]); err != nil {
				return err
			}
			id := entries[i].Document.ID
			home, err := shardsOf(ctx, tx, tenant, []document.ID{id})
			if err != nil {
				return err
			}
			shard, found := home[id]
			if !found {
				h := fnv.New32a()
				h.Write([]byte(id)) // never fails
				shard = int16(h.Sum32() % uint32(shards))
			}
			byShard[shard] = append(byShard[shard], prepared[i])
		}
		_, err := x.putShards(ctx, tx, tenant, prepared, byShard, models)
		return err
	})
}
