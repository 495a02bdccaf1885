package postgres

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

// LocalModel is a trained vector space of the local embedder.
type LocalModel struct {
	Version string
	Chunks  int // in the index when it was trained
	Data    []byte
}

// LocalModel returns the tenant's newest local model, and false when there is none.
func (x *Index) LocalModel(ctx context.Context, tenant access.TenantID) (LocalModel, bool, error) {
	rows, err := x.db.Pool.Query(ctx, `
		select version, chunks, data from local_model where tenant_id = $1 order by created_at desc, version limit 1`, string(tenant))
	if err != nil {
		return LocalModel{}, false, fmt.Errorf("load the local embedding model: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[LocalModel])
	if err != nil {
		return LocalModel{}, false, fmt.Errorf("load the local embedding model: %w", err)
	}
	if len(found) == 0 {
		return LocalModel{}, false, nil
	}
	return found[0], true, nil
}

// LocalModelVersion returns the version of the tenant's newest local model; empty when there is none.
func (x *Index) LocalModelVersion(ctx context.Context, tenant access.TenantID) (string, error) {
	var version string
	err := x.db.Pool.QueryRow(ctx, `
		select coalesce((select version from local_model where tenant_id = $1 order by created_at desc, version limit 1), '')`,
		string(tenant)).Scan(&version)
	if err != nil {
		return "", fmt.Errorf("look up the local embedding model: %w", err)
	}
	return version, nil
}

// SaveLocalModel makes a local model the newest, and forgets all but it and the one before it. It returns the versions forgotten, whose
// vectors nobody needs any more.
func (x *Index) SaveLocalModel(ctx context.Context, tenant access.TenantID, m LocalModel) ([]string, error) {
	var forgotten []string
	err := x.db.inTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into local_model (tenant_id, version, chunks, data) values ($1, $2, $3, $4)
			on conflict (tenant_id, version) do update set created_at = clock_timestamp(), chunks = excluded.chunks`,
			string(tenant), m.Version, m.Chunks, m.Data)
		if err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `
			delete from local_model where tenant_id = $1 and version not in
				(select version from local_model where tenant_id = $1 order by created_at desc, version limit 2)
			returning version`, string(tenant))
		if err != nil {
			return err
		}
		forgotten, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("save the local embedding model: %w", err)
	}
	return forgotten, nil
}

// Size counts the chunks of a tenant that can be found.
func (x *Index) Size(ctx context.Context, tenant access.TenantID) (int, error) {
	var chunks int
	err := x.db.Pool.QueryRow(ctx, `select coalesce(sum(chunk_count), 0) from document where tenant_id = $1`, string(tenant)).Scan(&chunks)
	if err != nil {
		return 0, fmt.Errorf("count the chunks of the index: %w", err)
	}
	return chunks, nil
}
