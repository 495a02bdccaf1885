package postgres

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
)

// Settings of a search, for its transaction alone. pgvector looks at ef_search candidates at a time and goes on until the limit is filled or
// max_scan_tuples rows have failed the filter. Plans are made for the numbers at hand; compiling them would take longer than running them.
const searchSettings = `select set_config('hnsw.ef_search', '100', true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
	set_config('hnsw.max_scan_tuples', '100000', true), set_config('hnsw.scan_mem_multiplier', '4', true),
	set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true)`

const (
	// graphCandidates is how many chunks the HNSW route asks for at most, as many as one round of the scan yields: with a filter it visits
	// graphCandidates · chunks / allowed rows.
	graphCandidates = 100
	// graphCost is how many times longer the HNSW route takes to visit a row than the exact route (measured, 256 dimensions, warm).
	graphCost = 7
	// fewVectors is up to how many distances are all fetched, which saves a look-up of those that are missing.
	fewVectors = 2000
	// minExact is up to how many allowed chunks every vector is compared at least, without sketches.
	minExact = 5000
	// sketchFrom is up to how many allowed chunks every vector is compared although there are sketches: fewer would leave nothing to be narrowed
	// down, and these cost about as much (measured by make bench-search).
	sketchFrom = 2000
)

// exactLimit is up to how many allowed chunks comparing every vector is expected to be faster than narrowing them down: with the graph,
// where allowed equals graphCost · candidates · chunks / allowed. It is exact as well, also where the allowed chunks lie far from the question.
func (x *Index) exactLimit(chunks, candidates int, sketches bool) int {
	switch {
	case x.cfg.ExactLimit > 0:
		return x.cfg.ExactLimit
	case sketches:
		return sketchFrom
	}
	return max(minExact, int(math.Sqrt(graphCost*float64(candidates)*float64(chunks))))
}

// ExactLimit is up to how many allowed chunks a search compares every vector in an index of so many chunks.
func (x *Index) ExactLimit(chunks int) int {
	return x.exactLimit(chunks, graphCandidates, !x.cfg.NoSketches)
}

// compares reports whether the probe's vector is compared, and in which space.
func (p *probe) compares() (m model, wanted bool, err error) {
	m, known := p.snapshot.model()
	if !known || len(p.vector) == 0 || isZero(p.vector) {
		return m, false, nil
	}
	return m, true, m.check(len(p.vector))
}

// way says how vectors are compared if there is room for sketches of them, and whole; few says that every allowed one is.
func (p *probe) way(m model) (sketched, whole, few bool) {
	flat, _ := p.snapshot.stats()
	sketched, whole = p.fitting(m)
	few = p.scope.count <= p.index.exactLimit(flat.chunks, p.graphCandidates(), sketched) || len(p.request.Documents) > 0
	return sketched, whole, few
}

// graphCandidates is how many chunks the HNSW route asks for.
func (p *probe) graphCandidates() int { return min(p.request.PerSide, graphCandidates) }

// narrow decides how the probe's vector is compared, and asks PostgreSQL for what that needs: every allowed vector when there are few; nothing
// when sketches in memory narrow them down; else the nearest by the HNSW index.
func (p *probe) narrow(ctx context.Context, r *round) error {
	m, wanted, err := p.compares()
	if err != nil || !wanted {
		return err
	}
	sketched, whole, few := p.way(m)
	if sketched && (whole || !few) {
		ready, err := p.search.sketched(ctx, m, whole, few)
		if err != nil {
			return err
		}
		p.inMemory, p.sketched = ready && p.search.whole(), ready && !few
	}
	p.decided(few)
	if p.inMemory || p.sketched {
		return nil
	}
	r.queue(done, searchSettings)
	switch {
	case few:
		p.queueExact(r, m)
	case !m.indexed:
		p.queueScan(r, m)
	default:
		p.out.Route = retrieve.RouteHNSW
		sql, args := nearestSQL(p.request, &p.snapshot, m, p.vector, p.graphCandidates())
		r.queue(cosines(&p.snapshot, &p.compared), sql, args...)
	}
	return nil
}

// decided notes how vectors are compared.
func (p *probe) decided(few bool) {
	p.semantic, p.all, p.out.Route = true, few && (p.inMemory || p.scope.count <= fewVectors), retrieve.RouteExact
	if p.sketched {
		p.out.Route = retrieve.RouteSketch
	}
}

// queueExact compares the vectors of all allowed chunks, range by range of neighbouring ids. Served by the primary key of embedding: the
// offset keeps the planner from turning the loop into a scan of the table.
func (p *probe) queueExact(r *round, m model) {
	limit := p.scope.count
	if limit > fewVectors {
		limit = p.request.PerSide
	}
	type ranges struct{ low, high []int64 }
	byShard := make(map[int16]*ranges)
	for key, b := range p.scope.allowed {
		in := byShard[key.shard]
		if in == nil {
			in = &ranges{}
			byShard[key.shard] = in
		}
		eachAllowed(b, func(offset int) {
			id := bm25.Join(key.block, uint16(offset))
			if n := len(in.high); n > 0 && in.high[n-1] == id-1 {
				in.high[n-1] = id
			} else {
				in.low, in.high = append(in.low, id), append(in.high, id)
			}
		})
	}
	for _, shard := range sortedKeys(byShard) {
		r.queue(cosines(&p.snapshot, &p.compared), `
			select $2::smallint, e.chunk, e.d, e.access_number from unnest($4::bigint[], $5::bigint[]) as r (low, high)
			cross join lateral (
				select chunk, `+m.column()+` <#> $6 as d, access_number from embedding
				where tenant_id = $1 and shard = $2 and model = $3 and chunk >= r.low and chunk <= r.high
				offset 0) e
			order by e.d limit $7`,
			string(p.request.Audience.Tenant()), shard, m.number, byShard[shard].low, byShard[shard].high, m.query(p.vector), limit)
	}
}

// queueDistances asks for the cosines of chunks by id. Served by the primary key.
func queueDistances(r *round, tenant access.TenantID, s *snapshot, byShard map[int16][]int64, v []float32, found *cosineList) {
	m, _ := s.model()
	for _, shard := range sortedKeys(byShard) {
		slices.Sort(byShard[shard]) // neighbours lie on the same pages
		r.queue(cosines(s, found), `
			select shard, chunk, `+m.column()+` <#> $5 as d, access_number from embedding
			where tenant_id = $1 and shard = $2 and model = $3 and chunk = any($4::bigint[])`,
			string(tenant), shard, m.number, byShard[shard], m.query(v))
	}
}

// queueScan compares every allowed vector of a model that has no HNSW index yet.
func (p *probe) queueScan(r *round, m model) {
	r.queue(cosines(&p.snapshot, &p.compared), `
		with c as materialized (
			select shard, chunk, `+m.column()+` <#> $4 as d, access_number from embedding
			where tenant_id = $1 and model = $2 and access_number = any($3::int[]) and (cardinality($5::int[]) = 0 or source = any($5::int[])))
		select shard, chunk, d, access_number from c order by d limit $6`,
		string(p.request.Audience.Tenant()), m.number, p.snapshot.lists, m.query(p.vector), sourceFilter(p.request, &p.snapshot), p.request.PerSide)
}

// nearestSQL searches the model's HNSW index. The statement is that of the index, number for number, or the planner would not use it;
// nothing but the distance is in its ORDER BY.
func nearestSQL(r retrieve.Request, s *snapshot, m model, v []float32, candidates int) (string, []any) {
	args := []any{m.query(v), s.lists, candidates}
	sources := ""
	if len(r.Sources) > 0 {
		sources = " and source = any($4::int[])"
		args = append(args, s.sources)
	}
	expression := m.expression()
	return fmt.Sprintf(`select shard, chunk, %s <#> $1 as d, access_number from embedding where model = %d and access_number = any($2::int[])%s order by %s <#> $1 limit $3`,
		expression, m.number, sources, expression), args
}

// sourceFilter is empty, and not null, when all sources are asked for. Sources that the index does not have match nothing.
func sourceFilter(r retrieve.Request, s *snapshot) []int32 {
	switch {
	case len(r.Sources) == 0:
		return []int32{}
	case len(s.sources) == 0:
		return []int32{-1}
	}
	return s.sources
}

// cosines reads rows of (shard, chunk, negative inner product, access list). What the audience may not read is left out here as well, where it
// costs less than as a condition: lists are thousands, and the chunks come from bitmaps.
func cosines(s *snapshot, found *cosineList) func(pgx.BatchResults) error {
	return func(br pgx.BatchResults) error {
		rows, err := br.Query()
		if err != nil {
			return err
		}
		var shard int16
		var id int64
		var d float64
		var list int32
		_, err = pgx.ForEachRow(rows, []any{&shard, &id, &d, &list}, func() error {
			if s.allows(list) {
				found.add(chunkID(shard, id), -d)
			}
			return nil
		})
		return err
	}
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
