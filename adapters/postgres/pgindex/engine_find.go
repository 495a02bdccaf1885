package pgindex

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/engine"
	"github.com/jackc/pgx/v5"
)

// engineSearch is a search by the search engine (Config.Engine). It reads permissions from
// PostgreSQL before it calls the engine, and looks up the results afterwards. It holds no
// connection during the call.
type engineSearch struct {
	*search
	index string // name of the serving index; empty if PostgreSQL searches itself
}

// findByEngine answers a request with the search engine. If the engine has no complete index yet,
// it returns an empty index, and PostgreSQL must answer the request.
func (x *Index) findByEngine(
	ctx context.Context, r retrieve.Request, choose func(retrieve.Candidates) []document.ChunkID,
) (out retrieve.Candidates, passages []retrieve.Passage, index string, err error) {
	s := &engineSearch{search: newSearch(x, r, choose)}
	if err := s.prepare(ctx); err != nil || s.index == "" {
		return out, nil, s.index, err
	}
	s.lap(ctx, "access")
	q, err := s.query()
	if err != nil {
		return out, nil, s.index, err
	}
	var found engine.Result
	if len(q.Lists) > 0 && (q.Sources == nil || len(q.Sources) > 0) && (q.Documents == nil || len(q.Documents) > 0) {
		if err := x.ensureVectorField(ctx, q.Index, &s.snapshot); err != nil {
			return out, nil, s.index, err
		}
		if found, err = x.cfg.Engine.Search(ctx, q); err != nil {
			return out, nil, s.index, err
		}
	}
	s.lap(ctx, "engine")
	// No readable chunk matches the request.
	if s.out.Allowed = found.Allowed; found.Allowed == 0 {
		s.out.Lists, s.out.Route = make([]retrieve.List, len(r.Probes)), retrieve.RouteNone
		return s.out, nil, s.index, nil
	}
	for i, list := range found.Lists {
		s.out.Lists[i] = s.list(i, found.Readable, list)
	}
	if s.conn, err = x.db.Pool.Acquire(ctx); err != nil {
		return s.out, nil, s.index, err
	}
	defer s.conn.Release() // also closes a connection whose transaction is still open
	err = s.resolveCandidates(ctx)
	return s.out, s.passages, s.index, err
}

// indexReplaced reports whether searches no longer use an index of the search engine. A search that
// failed because the index was dropped can then be repeated.
func (x *Index) indexReplaced(ctx context.Context, index string) bool {
	var serves bool
	err := x.db.Pool.QueryRow(ctx, `select exists (select from search_generation where serving and name = $1)`, index).Scan(&serves)
	return err == nil && !serves
}

// ensureVectorField adds a vector field for the request's model if the index lacks it. A search
// needs the field even if the index has no vectors yet.
func (x *Index) ensureVectorField(ctx context.Context, index string, s *snapshot) error {
	m, known := s.model()
	if !known {
		return nil
	}
	return x.addVectorField(ctx, space{index, m.number}, int(m.dimensions))
}

// addVectorField adds a model's vector field to an index of the search engine. It does nothing if
// this process has added the field before.
func (x *Index) addVectorField(ctx context.Context, at space, dimensions int) error {
	if _, made := x.rooms.Load(at); made {
		return nil
	}
	if err := x.cfg.Engine.Space(ctx, at.index, at.model, dimensions); err != nil {
		return err
	}
	x.rooms.Store(at, true)
	return nil
}

func (s *engineSearch) prepare(ctx context.Context) error {
	conn, err := s.search.index.db.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	var first round
	first.queue(discardResult, beginRead)
	first.queue(func(br pgx.BatchResults) error {
		rows, err := br.Query()
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		s.index = strings.Join(names, "") // one at most
		return err
	}, `select name from search_generation where serving`)
	s.snapshot.queue(&first, s.request)
	tenant := string(s.request.Audience.Tenant())
	first.queue(s.snapshot.scanLists, listsOf("$1", "$2")+` order by 1`, tenant, strs(s.request.Audience.Principals()))
	first.queue(discardResult, `commit`)
	if err := first.run(ctx, conn); err != nil {
		return fmt.Errorf("read what the audience may find: %w", err)
	}
	return nil
}

func (s *engineSearch) query() (engine.Query, error) {
	r := s.request
	s.words.analyse(r, languages(s.snapshot.shards))
	q := engine.Query{Index: s.index, Tenant: r.Audience.Tenant(), Lists: s.snapshot.lists,
		TitleRatio: r.TitleRatio, PerSide: r.PerSide, Probes: make([]engine.Probe, len(r.Probes))}
	if len(r.Sources) > 0 {
		q.Sources = append([]int32{}, s.snapshot.sources...) // not nil, which means all
	}
	if len(r.Documents) > 0 {
		q.Documents = []document.ChunkID{}
		for _, d := range s.snapshot.documents {
			q.Documents = append(q.Documents, chunkID(d.shard, d.first))
		}
	}
	m, known := s.snapshot.model()
	for i, p := range r.Probes {
		q.Probes[i].Terms = s.words.queries[i]
		if !known || len(p.Vector) == 0 || isZero(p.Vector) {
			continue
		}
		if err := m.check(len(p.Vector)); err != nil {
			return q, err
		}
		q.Model, q.Probes[i].Vector = m.number, normalise(p.Vector)
		s.out.Lists[i].Semantic, s.out.Route = true, retrieve.RouteGraph
	}
	return q, nil
}

func (s *engineSearch) list(i, chunks int, found engine.List) retrieve.List {
	terms := s.words.queries[i]
	list := retrieve.List{MaxFlat: found.MaxFlat, MaxTitle: found.MaxTitle, Semantic: s.out.Lists[i].Semantic, Synonyms: s.words.synonyms[i],
		Words: retrieve.Words(terms, retrieve.UnderstoodFrequencies(terms, found.Frequency), chunks),
		Terms: retrieve.Frequencies(terms, found.Frequency), Chunks: chunks}
	for _, e := range found.Entries {
		c := retrieve.Candidate{Chunk: e.Chunk, Flat: e.Flat, Title: e.Title, Cosine: e.Cosine, KeywordPos: e.KeywordPos, VectorPos: e.VectorPos}
		if e.Holds != nil {
			matched := make([]retrieve.Matched, len(terms))
			for j := range terms {
				matched[j] = retrieve.Matched{Frequency: found.Frequency[j], Here: e.Holds[j]}
			}
			retrieve.Understand(terms, matched)
			c.Coverage = retrieve.Coverage(terms, matched, chunks)
		}
		list.Entries = append(list.Entries, c)
	}
	slices.SortFunc(list.Entries, func(a, b retrieve.Candidate) int { return cmp.Compare(a.Chunk, b.Chunk) })
	return list
}

func (s *engineSearch) resolveCandidates(ctx context.Context) error {
	var ids []document.ChunkID
	for _, list := range s.out.Lists {
		for _, c := range list.Entries {
			ids = append(ids, c.Chunk)
		}
	}
	var rows []chunkPosition
	var first round
	first.queue(discardResult, beginRead)
	first.queue(discardResult, passageSettings)
	first.queue(collectInto(&rows, scanStanding), standingSQL, passageArgs(s.request.Audience, ids)...)
	if err := first.run(ctx, s.conn); err != nil {
		return fmt.Errorf("look up what the search engine found: %w", err)
	}
	stands := make(map[document.ChunkID]chunkPosition, len(rows))
	for _, row := range rows {
		stands[row.chunk] = row
	}
	for i := range s.out.Lists {
		s.out.Lists[i].Entries = slices.DeleteFunc(s.out.Lists[i].Entries, func(c retrieve.Candidate) bool { return stands[c.Chunk].count == 0 })
		for j := range s.out.Lists[i].Entries {
			c := &s.out.Lists[i].Entries[j]
			at := stands[c.Chunk]
			c.First, c.Siblings, c.Boost, c.UpdatedAt = at.first, int(at.count), float64(at.boost), at.updated
		}
	}
	s.lap(ctx, "place")
	return s.fetch(ctx)
}

type chunkPosition struct {
	chunk, first document.ChunkID
	count        int32
	boost        float32
	updated      time.Time
}

// standingSQL reads the positions and dates of chunks that the search engine found. $2 and $3 are
// their shards and ids. It omits chunks that the principals in $4 may not read now. It uses the
// primary keys.
var standingSQL = withAccess(`
	select c.shard, c.id, d.first_chunk, d.chunk_count, d.boost, d.updated_at
	from (select distinct * from unnest($2::smallint[], $3::bigint[]) as u (shard, id)) w
	cross join lateral (select shard, id, document from chunk where tenant_id = $1 and shard = w.shard and id = w.id offset 0) c
	cross join lateral (select * from document d where tenant_id = $1 and shard = c.shard and id = c.document and {may_read} offset 0) d`, "$1", "$4")

func scanStanding(row pgx.CollectableRow) (chunkPosition, error) {
	var s chunkPosition
	var shard int16
	var chunk, first int64
	var updated *time.Time
	err := row.Scan(&shard, &chunk, &first, &s.count, &s.boost, &updated)
	s.chunk, s.first, s.updated = chunkID(shard, chunk), chunkID(shard, first), timeOf(updated)
	return s, err
}
