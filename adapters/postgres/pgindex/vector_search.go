package pgindex

import (
	"context"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
)

// searchSettings are the settings of a search's transaction. PostgreSQL plans each statement for
// its parameters. JIT compilation is off, because it would take longer than execution.
const searchSettings = `select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true)`

// passageSettings are the settings for the rest of the transaction. A generic plan is good enough,
// and planning would take longer than execution.
const passageSettings = `select set_config('plan_cache_mode', 'force_generic_plan', true)`

const (
	// maxFetched is the maximum number of chunks for which all cosines are read at once. For more
	// chunks, only the highest are read.
	maxFetched = 2000
	// exactLimit is the default of Config.ExactLimit. Up to this number of chunks, comparing all
	// vectors is about as fast as selecting candidates by sketches first.
	exactLimit = 2000
)

// compares reports whether the search compares the query's vector with the chunks' vectors, and
// returns their model. It returns ErrDimensions if the query's vector does not fit the model.
func (p *probe) compares() (m model, wanted bool, err error) {
	m, known := p.snapshot.model()
	if !known || len(p.vector) == 0 || isZero(p.vector) {
		return m, false, nil
	}
	return m, true, m.check(len(p.vector))
}

// narrow decides how to find the chunks with the most similar vectors. If few vectors are allowed
// or sketches are missing, it queues statements that compare every allowed vector. Otherwise
// sketches, which are approximations in memory, select candidates first.
func (p *probe) narrow(ctx context.Context, r *round) error {
	m, wanted, err := p.compares()
	if err != nil || !wanted {
		return err
	}
	p.semantic, p.out.Route = true, retrieve.RouteExact
	if p.scope.count > p.index.cfg.ExactLimit && len(p.request.Documents) == 0 && p.fitting(m) {
		if p.sketched, err = p.search.ensureSketches(ctx, m); err != nil {
			return err
		}
	}
	r.queue(discardResult, searchSettings)
	if p.sketched {
		p.out.Route = retrieve.RouteSketch
		return nil
	}
	p.all = p.scope.count <= maxFetched
	p.queueExact(r, m)
	return nil
}

// queueExact queues statements that compare the query with the vectors of all chunks that the
// search may return. They read ranges of ids by the primary key of embedding. "offset 0" prevents
// the planner from scanning the table instead.
func (p *probe) queueExact(r *round, m model) {
	limit := p.scope.count
	if limit > maxFetched {
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

// queueDistances queues statements that append the cosines of chunks to found. They use the primary
// key.
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

// cosines returns a function that reads rows of a result and appends their cosines to found. Each
// row is (shard, chunk, negative inner product, access list). The function drops chunks that the
// audience may not read.
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

func (m model) column() string {
	if m.precision == precisionFull {
		return "emb_full"
	}
	return "emb"
}

func (m model) query(v []float32) any {
	if m.precision == precisionFull {
		return pgvector.NewVector(normalise(v))
	}
	return pgvector.NewHalfVector(normalise(v))
}

// chunkID returns a chunk's id within its tenant. The upper 32 bits are the shard.
func chunkID(shard int16, id int64) document.ChunkID { return document.ChunkID(int64(shard)<<32 | id) }

func splitID(id document.ChunkID) (shard int16, chunk int64) {
	return int16(id >> 32), int64(uint32(id))
}
