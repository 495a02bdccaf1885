package pgindex

import (
	"context"
	"runtime"
	"slices"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/footnotehq/footnote/core/retrieve/engine"
	"github.com/jackc/pgx/v5"
	"github.com/pgvector/pgvector-go"
	"golang.org/x/sync/errgroup"
)

// batch holds entries of the queue for the search engine, with the current state of their chunks.
type batch struct {
	generations []generation
	entries     []entry
	chunks      []chunkState
	vectors     map[chunkKey]map[int32][]float32
	spaces      map[int32]int // dimensions of models
}

type chunkKey struct {
	tenant access.TenantID
	id     document.ChunkID
}

type chunkState struct {
	chunkKey
	first           document.ChunkID
	access, source  int32
	title, language string
	text            string // including the enrichment
}

// limit shortens the batch to about driveChunks chunks, but keeps at least one document. It empties
// the batch if there is no index to write to.
func (b *batch) limit() {
	if len(b.generations) == 0 {
		b.entries = nil
	}
	sum := 0
	for i, e := range b.entries {
		if sum += int(e.count); sum > driveChunks && i > 0 {
			b.entries = b.entries[:i]
			return
		}
	}
}

// read loads the chunks of the entries with their vectors. The statements use primary keys and the
// index document_chunks, one range at a time.
func (b *batch) read(ctx context.Context, tx pgx.Tx) error {
	var tenants []string
	var shards []int16
	var firsts []int64
	for _, e := range b.entries {
		if !e.gone {
			tenants, shards, firsts = append(tenants, string(e.tenant)), append(shards, e.shard), append(firsts, e.first)
		}
	}
	b.vectors, b.spaces = make(map[chunkKey]map[int32][]float32), make(map[int32]int)
	if len(firsts) == 0 {
		return nil
	}
	const documents = `
		from unnest($1::text[], $2::smallint[], $3::bigint[]) as w (tenant, shard, first)
		cross join lateral (
			select * from document where tenant_id = w.tenant and shard = w.shard and first_chunk = w.first and chunk_count > 0 offset 0
		) d`
	var r round
	r.queue(collectInto(&b.chunks, func(row pgx.CollectableRow) (chunkState, error) {
		var c chunkState
		var shard int16
		var id, first int64
		var enrichment, lead, text string
		err := row.Scan(&c.tenant, &shard, &id, &first, &c.access, &c.source, &c.title, &c.language, &enrichment, &lead, &text)
		c.text = searchText(enrichment, lead, text)
		c.id, c.first = chunkID(shard, id), chunkID(shard, first)
		return c, err
	}), `select d.tenant_id, d.shard, c.id, d.first_chunk, d.access_number, s.number, d.title, d.language, c.enrichment, c.lead, c.text `+documents+`
		join source s on s.tenant_id = d.tenant_id and s.id = d.source_id
		cross join lateral (
			select id, enrichment, lead, text from chunk where tenant_id = d.tenant_id and shard = d.shard and id >= d.first_chunk and id < d.first_chunk + d.chunk_count offset 0
		) c`, tenants, shards, firsts)
	r.queue(b.scanVectors, `select d.tenant_id, d.shard, e.chunk, e.model, e.emb, e.emb_full `+documents+`
		join embedding_model m on m.tenant_id = d.tenant_id
		cross join lateral (
			select chunk, model, emb, emb_full from embedding
			where tenant_id = d.tenant_id and shard = d.shard and model = m.number and chunk >= d.first_chunk and chunk < d.first_chunk + d.chunk_count offset 0
		) e`, tenants, shards, firsts)
	return r.run(ctx, tx)
}

func (b *batch) scanVectors(br pgx.BatchResults) error {
	rows, err := br.Query()
	if err != nil {
		return err
	}
	var key chunkKey
	var shard int16
	var id int64
	var number int32
	var half *pgvector.HalfVector
	var full *pgvector.Vector
	_, err = pgx.ForEachRow(rows, []any{&key.tenant, &shard, &id, &number, &half, &full}, func() error {
		key.id = chunkID(shard, id)
		var v []float32
		switch {
		case half != nil:
			v = half.Slice()
		case full != nil:
			v = full.Slice()
		}
		if isZero(v) { // a zero vector is similar to nothing
			return nil
		}
		if b.vectors[key] == nil {
			b.vectors[key] = make(map[int32][]float32, 1)
		}
		b.vectors[key][number], b.spaces[number] = v, len(v)
		return nil
	})
	return err
}

// changes returns the changes that bring the search engine up to date for the batch. It writes all
// chunks of the batch that exist, and deletes the other chunks of its documents.
func (b *batch) changes() ([]engine.Change, error) {
	there := make(map[chunkKey]*chunkState, len(b.chunks))
	for i := range b.chunks {
		there[b.chunks[i].chunkKey] = &b.chunks[i]
	}
	var changes []engine.Change
	var states []*chunkState
	for _, e := range b.entries {
		for i := range int64(e.count) {
			key := chunkKey{e.tenant, chunkID(e.shard, e.first+i)}
			state := there[key]
			changes = append(changes, engine.Change{Tenant: e.tenant, Chunk: key.id, Version: e.version, Gone: state == nil})
			states = append(states, state)
		}
	}
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	for some := range slices.Chunk(indexes(len(changes)), 64) {
		work.Go(func() error {
			for _, i := range some {
				if states[i] != nil {
					b.fill(&changes[i], states[i])
				}
			}
			return nil
		})
	}
	return changes, work.Wait()
}

func indexes(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func (b *batch) fill(to *engine.Change, c *chunkState) {
	to.First, to.Access, to.Source, to.Vectors = c.first, c.access, c.source, b.vectors[c.chunkKey]
	to.Flat = impacts(analyse.Text(c.text, c.language), fieldFlat)
	to.Title = impacts(analyse.Text(c.title, c.language), fieldTitle)
}

// impacts returns the weights of a field's words, quantised like those in PostgreSQL.
func impacts(counts analyse.Counts, field int) map[string]uint16 {
	out := make(map[string]uint16, len(counts.Frequency))
	for word, tf := range counts.Frequency {
		out[word] = bm25.Quantise(bm25.Impact(tf, counts.Length, averageLength[field]))
	}
	return out
}
