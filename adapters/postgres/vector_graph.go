package postgres

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

// buildGraphs creates the HNSW indexes that are due.
func (x *Index) buildGraphs(ctx context.Context, tenant access.TenantID) error {
	rows, err := x.db.Pool.Query(ctx, `
		select number, name, dimensions, precision, indexed from embedding_model m
		where tenant_id = $1 and not indexed
		  and (select count(*) from (select 1 from embedding e where e.tenant_id = m.tenant_id and e.model = m.number limit $2) as enough) = $2`,
		string(tenant), x.exactLimit(0, 0, false)+1)
	if err != nil {
		return fmt.Errorf("look for models without an index: %w", err)
	}
	models, err := pgx.CollectRows(rows, scanModel)
	if err != nil {
		return fmt.Errorf("look for models without an index: %w", err)
	}
	for _, m := range models {
		if err := x.buildGraph(ctx, m); err != nil {
			return fmt.Errorf("build the vector index of model %q: %w", m.name, err)
		}
	}
	return nil
}

// buildGraph creates a model's partial HNSW index, unless another process is at it. The function works with the rights of the tables' owner.
func (x *Index) buildGraph(ctx context.Context, m model) error {
	_, err := x.db.Pool.Exec(ctx, `select build_vector_index($1)`, m.number)
	return err
}

// DropModel forgets a vector space with all its vectors and its index; a model that is not known is no error. Searches with it find by
// keywords alone from then on.
func (x *Index) DropModel(ctx context.Context, tenant access.TenantID, name string) error {
	m, found, err := loadModel(ctx, x.db.Pool, tenant, name)
	if err != nil || !found {
		return err
	}
	// An index that this role may not drop stays, empty, until the owner drops it.
	if _, err := x.db.Pool.Exec(ctx, `select drop_vector_index($1)`, m.number); err != nil && !notOwner(err) {
		return fmt.Errorf("drop the index of embedding model %q: %w", name, err)
	}
	err = x.db.inTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		for _, sql := range []string{
			fmt.Sprintf(`delete from embedding where tenant_id = $1 and model = %d`, m.number),
			fmt.Sprintf(`delete from embedding_model where tenant_id = $1 and number = %d`, m.number),
		} {
			if _, err := tx.Exec(ctx, sql, string(tenant)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("drop embedding model %q: %w", name, err)
	}
	return nil
}
