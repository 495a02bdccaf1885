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

// LocalModel returns the tenant's newest local model that is in use, and false when there is none.
func (x *Index) LocalModel(ctx context.Context, tenant access.TenantID) (LocalModel, bool, error) {
	return x.localModel(ctx, tenant, true)
}

// WaitingLocalModel returns the local model that was trained and is not in use yet, because chunks lack its vectors; false when there is none.
func (x *Index) WaitingLocalModel(ctx context.Context, tenant access.TenantID) (LocalModel, bool, error) {
	return x.localModel(ctx, tenant, false)
}

func (x *Index) localModel(ctx context.Context, tenant access.TenantID, ready bool) (LocalModel, bool, error) {
	rows, err := x.db.Pool.Query(ctx, `
		select version, chunks, data from local_model where tenant_id = $1 and ready = $2 order by created_at desc, version limit 1`, string(tenant), ready)
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

// LocalModelVersion returns the version of the tenant's newest local model that is in use; empty when there is none.
func (x *Index) LocalModelVersion(ctx context.Context, tenant access.TenantID) (string, error) {
	var version string
	err := x.db.Pool.QueryRow(ctx, `
		select coalesce((select version from local_model where tenant_id = $1 and ready order by created_at desc, version limit 1), '')`,
		string(tenant)).Scan(&version)
	if err != nil {
		return "", fmt.Errorf("look up the local embedding model: %w", err)
	}
	return version, nil
}

// SaveLocalModel keeps a trained model in waiting, in place of others that wait. It returns the versions that this forgets, whose vectors nobody
// needs any more. A model that is in use already stays so.
func (x *Index) SaveLocalModel(ctx context.Context, tenant access.TenantID, m LocalModel) ([]string, error) {
	return x.changeLocalModels(ctx, tenant, "save the local embedding model", `not ready and version <> $2`, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `
			insert into local_model (tenant_id, version, chunks, data, ready) values ($1, $2, $3, $4, false)
			on conflict (tenant_id, version) do update set chunks = excluded.chunks,
				created_at = case when local_model.ready then clock_timestamp() else local_model.created_at end`,
			string(tenant), m.Version, m.Chunks, m.Data)
		return err
	}, m.Version)
}

// UseLocalModel makes a model that waits the newest in use, and forgets all others but the one before it, which serves processes that have not
// noticed yet. It returns the versions forgotten.
func (x *Index) UseLocalModel(ctx context.Context, tenant access.TenantID, version string) ([]string, error) {
	return x.changeLocalModels(ctx, tenant, "take the local embedding model into use",
		`ready and $2 <> '' and version not in (select version from local_model where tenant_id = $1 and ready order by created_at desc, version limit 2)`,
		func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `update local_model set ready = true, created_at = clock_timestamp() where tenant_id = $1 and version = $2 and not ready`,
				string(tenant), version)
			return err
		}, version)
}

// changeLocalModels makes a change, deletes what a condition on the tenant ($1) and a version ($2) says, and returns the versions deleted.
func (x *Index) changeLocalModels(ctx context.Context, tenant access.TenantID, what, obsolete string, change func(pgx.Tx) error, version string) ([]string, error) {
	var forgotten []string
	err := x.db.inTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		if err := change(tx); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, `delete from local_model where tenant_id = $1 and `+obsolete+` returning version`, string(tenant), version)
		if err != nil {
			return err
		}
		forgotten, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
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
