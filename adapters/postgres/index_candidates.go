package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/jackc/pgx/v5"
)

// readOnly gives a search one consistent state of the index and of the access lists.
var readOnly = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// Candidates answers all probes from one state of the database; see retrieve.Index.
func (x *Index) Candidates(ctx context.Context, r retrieve.Request) (retrieve.Candidates, error) {
	out := retrieve.Candidates{Lists: make([]retrieve.List, len(r.Probes)), Route: retrieve.RouteNone, Timings: make(map[string]time.Duration)}
	if r.Audience.Tenant() == "" {
		return out, nil
	}
	err := x.db.inTx(ctx, readOnly, func(tx pgx.Tx) error { return x.candidates(ctx, tx, r, &out) })
	if err != nil {
		return retrieve.Candidates{}, fmt.Errorf("search the index: %w", err)
	}
	return out, nil
}

func (x *Index) candidates(ctx context.Context, tx pgx.Tx, r retrieve.Request, out *retrieve.Candidates) error {
	clock := time.Now()
	lap := func(stage string) {
		now := time.Now()
		out.Timings[stage] += now.Sub(clock)
		clock = now
	}
	s, err := readSnapshot(ctx, tx, r)
	if err != nil {
		return err
	}
	sc, err := x.readScope(ctx, tx, r, s)
	if err != nil {
		return err
	}
	out.Allowed = sc.count
	lap("access")
	if sc.count == 0 {
		return nil
	}
	queries := make([][]analyse.Term, len(r.Probes))
	var terms []string
	for i, p := range r.Probes {
		queries[i] = analyse.Query(p.Text, s.languages)
		for _, t := range queries[i] {
			terms = append(terms, t.Text)
		}
	}
	slices.Sort(terms)
	lists, err := readPostings(ctx, tx, r.Audience.Tenant(), s, slices.Compact(terms))
	if err != nil {
		return err
	}
	lap("postings")
	for i, p := range r.Probes {
		probe := probe{index: x, tx: tx, request: r, snapshot: s, scope: sc, lists: lists, lap: lap}
		if out.Lists[i], err = probe.run(ctx, queries[i], p.Vector, &out.Route); err != nil {
			return err
		}
	}
	return nil
}

// probe is one query of a search.
type probe struct {
	index    *Index
	tx       pgx.Tx
	request  retrieve.Request
	snapshot *snapshot
	scope    *scope
	lists    postings
	lap      func(string)
}

func (p *probe) run(ctx context.Context, terms []analyse.Term, v []float32, route *string) (retrieve.List, error) {
	keywords := score(terms, p.lists, p.snapshot, p.scope)
	defer keywords.release()
	best := keywords.top(p.request.PerSide, p.request.TitleRatio, p.scope)
	list := retrieve.List{MaxFlat: keywords.maxFlat, MaxTitle: keywords.maxTitle, Words: retrieve.Words(terms)}
	byID := make(map[document.ChunkID]*retrieve.Candidate, 2*p.request.PerSide)
	for i, b := range best {
		c := &retrieve.Candidate{Chunk: document.ChunkID(b.ID), KeywordPos: i + 1}
		if i < retrieve.CoverageDepth {
			shard, id := splitID(c.Chunk)
			c.Coverage = keywords.coverage(p.lists, shard, id)
		}
		byID[c.Chunk] = c
	}
	p.lap("keyword")
	if len(v) > 0 && !isZero(v) && p.snapshot.hasModel {
		if err := p.semantic(ctx, v, byID, route); err != nil {
			return list, err
		}
		list.Semantic = true
	}
	for id, c := range byID {
		shard, chunk := splitID(id)
		c.Flat, c.Title = keywords.at(shard, chunk)
	}
	var err error
	list.Entries, err = p.place(ctx, byID)
	p.lap("place")
	return list, err
}

// semantic adds the most similar chunks and the cosines of all candidates.
func (p *probe) semantic(ctx context.Context, v []float32, byID map[document.ChunkID]*retrieve.Candidate, route *string) error {
	if err := p.snapshot.model.check(len(v)); err != nil {
		return err
	}
	found, taken, err := p.index.searchVectors(ctx, p.tx, p.request, p.snapshot, p.scope, v)
	if err != nil {
		return err
	}
	*route = taken
	for i, id := range mostSimilar(found.cosine, p.request.PerSide) {
		if byID[id] == nil {
			byID[id] = &retrieve.Candidate{Chunk: id}
		}
		byID[id].VectorPos = i + 1
	}
	missing := make(map[int16][]int64)
	for id, c := range byID {
		if cosine, known := found.cosine[id]; known {
			c.Cosine = cosine
		} else if !found.all {
			shard, chunk := splitID(id)
			missing[shard] = append(missing[shard], chunk)
		}
	}
	more, err := distances(ctx, p.tx, p.request.Audience.Tenant(), p.snapshot, missing, v)
	if err != nil {
		return err
	}
	for id, cosine := range more {
		byID[id].Cosine = cosine
	}
	p.lap("semantic")
	return nil
}

// mostSimilar returns at most n ids, the most similar first.
func mostSimilar(cosine map[document.ChunkID]float64, n int) []document.ChunkID {
	ids := make([]document.ChunkID, 0, len(cosine))
	for id := range cosine {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b document.ChunkID) int {
		return cmp.Or(cmp.Compare(cosine[b], cosine[a]), cmp.Compare(a, b))
	})
	return ids[:min(n, len(ids))]
}
