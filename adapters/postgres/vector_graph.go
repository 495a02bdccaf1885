package postgres

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/jackc/pgx/v5"
)

// Parameters of the HNSW graphs (pgvector's own defaults, which the measurements bear out for 16-bit vectors).
const (
	graphM           = 16
	graphEF          = 64
	graphLock        = 0x68_6e_73_77 // "hnsw": first key of the advisory lock of whoever builds a graph
	maxGraphMemoryKB = 1 << 20       // 1 GiB of maintenance_work_mem at most
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

// buildGraph creates a model's partial HNSW index. It is built inside a transaction so that memory can be given to it on any connection,
// a pooler's included.
func (x *Index) buildGraph(ctx context.Context, m model) error {
	return x.db.inTx(ctx, pgx.TxOptions{}, func(tx pgx.Tx) error {
		var mine bool
		if err := tx.QueryRow(ctx, `select pg_try_advisory_xact_lock($1::int, $2::int)`, graphLock, m.number).Scan(&mine); err != nil || !mine {
			return err
		}
		var vectors int64
		if err := tx.QueryRow(ctx, `select count(*) from embedding where model = $1`, m.number).Scan(&vectors); err != nil {
			return err
		}
		bytes := 2 * int64(m.dimensions)
		if m.precision == precisionFull {
			bytes *= 2
		}
		memory := min(max(vectors*(bytes+400)/1024, 64<<10), maxGraphMemoryKB) // a graph that does not fit its memory builds many times slower
		operators := m.precision + "_ip_ops"
		for _, sql := range []string{
			fmt.Sprintf(`set local maintenance_work_mem = '%dkB'`, memory),
			fmt.Sprintf(`create index if not exists %s on embedding using hnsw (%s %s) with (m = %d, ef_construction = %d) where model = %d`,
				m.graph(), m.expression(), operators, graphM, graphEF, m.number),
			fmt.Sprintf(`update embedding_model set indexed = true where number = %d`, m.number),
		} {
			if _, err := tx.Exec(ctx, sql); err != nil {
				return err
			}
		}
		return nil
	})
}

// graph is the name of the model's HNSW index.
func (m model) graph() string { return fmt.Sprintf("embedding_hnsw_%d", m.number) }

// DropModel forgets a vector space with all its vectors and its index; a model that is not known is no error. Searches with it find by
// keywords alone from then on.
func (x *Index) DropModel(ctx context.Context, tenant access.TenantID, name string) error {
	m, found, err := loadModel(ctx, x.db.Pool, tenant, name)
	if err != nil || !found {
		return err
	}
	// An index that only its owner may drop stays, empty, until the owner drops it.
	if _, err := x.db.Pool.Exec(ctx, `drop index if exists `+m.graph()); err != nil && !notOwner(err) {
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
