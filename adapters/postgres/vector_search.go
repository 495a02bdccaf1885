package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
)

// Settings of the HNSW search. pgvector looks at efSearch candidates at a time and goes on until the limit is filled or maxScanTuples rows
// have failed the filter.
const (
	efSearch       = 100
	maxScanTuples  = 100_000
	scanMemory     = 4 // times work_mem
	vectorSettings = `select set_config('hnsw.ef_search', $1, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
		set_config('hnsw.max_scan_tuples', $2, true), set_config('hnsw.scan_mem_multiplier', $3, true),
		set_config('plan_cache_mode', 'force_custom_plan', true)`
)

// similar holds cosines by chunk. All is set when every allowed chunk that has a vector is in it.
type similar struct {
	cosine map[document.ChunkID]float64
	all    bool
}

// searchVectors finds the chunks most similar to v: by comparing every allowed vector when there are few, else by the HNSW index.
func (x *Index) searchVectors(ctx context.Context, tx pgx.Tx, r retrieve.Request, s *snapshot, sc *scope, v []float32) (similar, string, error) {
	if sc.count == 0 {
		return similar{all: true}, retrieve.RouteNone, nil
	}
	if sc.count <= x.cfg.ExactLimit || len(r.Documents) > 0 {
		found, err := exactVectors(ctx, tx, r.Audience.Tenant(), s, sc, v)
		return similar{found, true}, retrieve.RouteExact, err
	}
	if !s.model.indexed {
		found, err := scanVectors(ctx, tx, r, s, v)
		return similar{found, false}, retrieve.RouteExact, err
	}
	found, err := nearestVectors(ctx, tx, r, s, v)
	return similar{found, false}, retrieve.RouteHNSW, err
}

// exactVectors compares the vectors of all allowed chunks, by id. Served by the primary key of embedding.
func exactVectors(ctx context.Context, tx pgx.Tx, tenant access.TenantID, s *snapshot, sc *scope, v []float32) (map[document.ChunkID]float64, error) {
	byShard := make(map[int16][]int64)
	for key, b := range sc.allowed {
		eachAllowed(b, func(offset int) {
			byShard[key.shard] = append(byShard[key.shard], bm25.Join(key.block, uint16(offset)))
		})
	}
	return distances(ctx, tx, tenant, s, byShard, v)
}

// distances fetches the cosines of chunks by id. The access filter stands here too: ids come from bitmaps.
func distances(ctx context.Context, tx pgx.Tx, tenant access.TenantID, s *snapshot, byShard map[int16][]int64, v []float32) (map[document.ChunkID]float64, error) {
	found := make(map[document.ChunkID]float64)
	for _, shard := range sortedKeys(byShard) {
		ids := byShard[shard]
		slices.Sort(ids)
		rows, err := tx.Query(ctx, `
			select shard, chunk, `+s.model.column()+` <#> $5 from embedding
			where tenant_id = $1 and shard = $2 and model = $3 and chunk = any($4::bigint[]) and access_number = any($6::int[])`,
			string(tenant), shard, s.model.number, ids, s.model.query(v), s.lists)
		if err != nil {
			return nil, fmt.Errorf("compare the vectors of %d chunks: %w", len(ids), err)
		}
		if err := collectCosines(rows, found); err != nil {
			return nil, fmt.Errorf("compare the vectors of %d chunks: %w", len(ids), err)
		}
	}
	return found, nil
}

// scanVectors compares every allowed vector of a model that has no HNSW index yet.
func scanVectors(ctx context.Context, tx pgx.Tx, r retrieve.Request, s *snapshot, v []float32) (map[document.ChunkID]float64, error) {
	rows, err := tx.Query(ctx, `
		with c as materialized (
			select shard, chunk, `+s.model.column()+` <#> $4 as d from embedding
			where tenant_id = $1 and model = $2 and access_number = any($3::int[]) and (cardinality($5::int[]) = 0 or source = any($5::int[])))
		select shard, chunk, d from c order by d limit $6`,
		string(r.Audience.Tenant()), s.model.number, s.lists, s.model.query(v), sourceFilter(r, s), r.PerSide)
	if err != nil {
		return nil, fmt.Errorf("compare all vectors: %w", err)
	}
	found := make(map[document.ChunkID]float64)
	if err := collectCosines(rows, found); err != nil {
		return nil, fmt.Errorf("compare all vectors: %w", err)
	}
	return found, nil
}

// nearestVectors searches the model's HNSW index. The statement is that of the index, number for number, or the planner would not use it;
// nothing but the distance is in its ORDER BY.
func nearestVectors(ctx context.Context, tx pgx.Tx, r retrieve.Request, s *snapshot, v []float32) (map[document.ChunkID]float64, error) {
	batch := &pgx.Batch{}
	batch.Queue(vectorSettings, fmt.Sprint(efSearch), fmt.Sprint(maxScanTuples), fmt.Sprint(scanMemory))
	sql, args := nearestSQL(r, s, v)
	batch.Queue(sql, args...)
	br := tx.SendBatch(ctx, batch)
	_, err := br.Exec()
	found := make(map[document.ChunkID]float64)
	if err == nil {
		var rows pgx.Rows
		if rows, err = br.Query(); err == nil {
			err = collectCosines(rows, found)
		}
	}
	if closeErr := br.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return nil, fmt.Errorf("search the vectors of model %q: %w", s.model.name, err)
	}
	return found, nil
}

func nearestSQL(r retrieve.Request, s *snapshot, v []float32) (string, []any) {
	args := []any{s.model.query(v), s.lists, r.PerSide}
	sources := ""
	if len(r.Sources) > 0 {
		sources = " and source = any($4::int[])"
		args = append(args, s.sources)
	}
	expression := s.model.expression()
	return fmt.Sprintf(`select shard, chunk, %s <#> $1 as d from embedding where model = %d and access_number = any($2::int[])%s order by %s <#> $1 limit $3`,
		expression, s.model.number, sources, expression), args
}

// sourceFilter is empty when all sources are asked for. Sources that the index does not have match nothing.
func sourceFilter(r retrieve.Request, s *snapshot) []int32 {
	if len(r.Sources) > 0 && len(s.sources) == 0 {
		return []int32{-1}
	}
	return s.sources
}

// collectCosines adds rows of (shard, chunk, negative inner product).
func collectCosines(rows pgx.Rows, found map[document.ChunkID]float64) error {
	var shard int16
	var id int64
	var d float64
	_, err := pgx.ForEachRow(rows, []any{&shard, &id, &d}, func() error {
		found[chunkID(shard, id)] = -d
		return nil
	})
	return err
}

// column holds the model's vectors.
func (m model) column() string {
	if m.precision == precisionFull {
		return "emb_full"
	}
	return "emb"
}

// expression is what the model's HNSW index is on.
func (m model) expression() string {
	return fmt.Sprintf("(%s::%s(%d))", m.column(), m.precision, m.dimensions)
}

// query is a vector in the form in which the model's vectors are stored.
func (m model) query(v []float32) any {
	if m.precision == precisionFull {
		return pgvector.NewVector(unit(v))
	}
	return pgvector.NewHalfVector(unit(v))
}

// chunkID is a chunk's id within its tenant: the shard in the upper half.
func chunkID(shard int16, id int64) document.ChunkID { return document.ChunkID(int64(shard)<<32 | id) }

// splitID is the inverse of chunkID.
func splitID(id document.ChunkID) (shard int16, chunk int64) {
	return int16(id >> 32), int64(uint32(id))
}
