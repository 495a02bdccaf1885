package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/footnotehq/footnote/core/span"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Candidates answers all probes from one state of the database; see retrieve.Index.
//
// A search of a process at work takes two or three round trips: the outline of the index with everything fresh; the nearest vectors, while
// the keyword side is summed up here from memory; and the distances of keyword candidates. Another one comes when segments, access
// lists or words are new to this process.
func (x *Index) Candidates(ctx context.Context, r retrieve.Request) (retrieve.Candidates, error) {
	var out retrieve.Candidates
	empty := func() {
		out = retrieve.Candidates{Lists: make([]retrieve.List, len(r.Probes)), Route: retrieve.RouteNone, Timings: make(map[string]time.Duration)}
	}
	empty()
	if r.Audience.Tenant() == "" {
		return out, nil
	}
	err := x.read(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		empty()
		s := search{index: x, conn: conn, request: r, out: &out, clock: time.Now()}
		if err := s.run(ctx); err != nil {
			conn.Release() // which closes a connection whose transaction is still open
			return err
		}
		go func() { // nothing depends on how a transaction ends that only read, and the search need not wait for it
			defer conn.Release()
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), endReadWithin)
			defer cancel()
			_, _ = conn.Exec(ending, "commit") // after an error the connection is closed
		}()
		return nil
	})
	if err != nil {
		return retrieve.Candidates{}, fmt.Errorf("search the index: %w", err)
	}
	return out, nil
}

// read makes a reading on the replica, where there is one that has all that was committed, else on the primary. It may be begun on the one and
// made on the other. What reads releases the connection.
func (x *Index) read(ctx context.Context, do func(context.Context, *pgxpool.Conn) error) error {
	if x.cfg.Standby != nil {
		if done, err := x.cfg.Standby.read(ctx, do); done {
			return err
		}
	}
	conn, err := x.db.Pool.Acquire(ctx)
	if err != nil {
		return err
	}
	return do(ctx, conn)
}

// endReadWithin is how long the end of a search's transaction may take until its connection is given up.
const endReadWithin = 5 * time.Second

// search is one call of Candidates.
type search struct {
	index    *Index
	conn     *pgxpool.Conn
	request  retrieve.Request
	out      *retrieve.Candidates
	clock    time.Time
	snapshot snapshot
	fresh    freshPart
	words    words
	scope    *scope
	sketches map[blockKey]*sketches // of every block that may be read; nil where vectors are compared by the database alone
}

// lap reports the time since the last call as that of a stage.
func (s *search) lap(ctx context.Context, stage string) {
	now := time.Now()
	span.Record(ctx, stage, s.clock, now)
	s.out.Timings[stage] += now.Sub(s.clock)
	s.clock = now
}

func (s *search) run(ctx context.Context) error {
	if err := s.read(ctx); err != nil {
		return err
	}
	s.out.Allowed = s.scope.count
	s.lap(ctx, "access")
	if s.scope.count == 0 {
		return nil
	}
	probes := make([]*probe, len(s.request.Probes))
	var vectors round
	for i, p := range s.request.Probes {
		probes[i] = &probe{search: s, terms: s.words.queries[i], vector: p.Vector, byID: make(map[document.ChunkID]*retrieve.Candidate, 2*s.request.PerSide)}
		if err := probes[i].narrow(ctx, &vectors); err != nil {
			return err
		}
	}
	s.lap(ctx, "narrow")
	working := vectors.send(ctx, s.conn)
	for _, p := range probes { // while PostgreSQL looks for the nearest vectors
		p.compute()
		defer p.keywords.release()
	}
	s.lap(ctx, "keyword")
	if err := working.read(); err != nil {
		return fmt.Errorf("search the vectors: %w", err)
	}
	var missing round
	for _, p := range probes {
		if !p.sketched {
			p.addSimilar()
		}
		p.queueDistances(&missing)
	}
	if err := missing.run(ctx, s.conn); err != nil {
		return fmt.Errorf("compare the vectors of candidates: %w", err)
	}
	for _, p := range probes {
		if p.sketched { // these were all compared just now
			p.addSimilar()
		}
	}
	s.lap(ctx, "semantic")
	for i, p := range probes {
		var err error
		if s.out.Lists[i], err = p.list(ctx); err != nil {
			return err
		}
	}
	s.lap(ctx, "place")
	return nil
}

// read loads the outline and, with it, what the last search of the tenant makes likely to be needed. What that got wrong, and what this
// process does not remember of segments, follows in a second round.
func (s *search) read(ctx context.Context) error {
	var first, second round
	first.queue(done, beginRead)
	s.snapshot.queue(&first, s.request)
	likely, found := s.index.outlines.get(s.request.Audience.Tenant())
	if found {
		s.words.analyse(s.request.Probes, likely.languages)
		s.words.queueFresh(&first, s.request, likely)
		s.fresh.queue(&first, s.request, likely.shards)
	}
	if err := first.run(ctx, s.conn); err != nil {
		return fmt.Errorf("read the outline of the index: %w", err)
	}
	now := outlineOf(&s.snapshot)
	if !found || !likely.covers(now) {
		s.words, s.fresh = words{}, freshPart{}
		s.words.analyse(s.request.Probes, now.languages)
		s.words.queueFresh(&second, s.request, now)
		s.fresh.queue(&second, s.request, now.shards)
	}
	s.index.outlines.put(s.request.Audience.Tenant(), now)
	plan := s.index.planScope(s.request, &s.snapshot)
	plan.queue(&second, s.request, &s.snapshot)
	sealed := s.index.planSealed(s.request.Audience.Tenant(), &s.snapshot, s.words.terms)
	sealed.queue(&second)
	if err := second.run(ctx, s.conn); err != nil {
		return fmt.Errorf("read what the audience may find: %w", err)
	}
	s.scope = plan.finish(s.request, &s.snapshot, s.fresh.documents)
	s.words.lists = sealed.finish(&s.snapshot, s.words.fresh)
	return nil
}

// probe is one query of a search.
type probe struct {
	*search
	terms    []analyse.Term
	vector   []float32
	semantic bool // vectors are compared
	sketched bool // and narrowed down by sketches
	inMemory bool // and compared here
	keywords *keywordScores
	similar  similar
	byID     map[document.ChunkID]*retrieve.Candidate
}

// compute sums up the keyword side and, at the same time, does what the semantic side does here.
func (p *probe) compute() {
	var near []document.ChunkID
	var other sync.WaitGroup
	other.Go(func() {
		switch {
		case p.sketched && p.inMemory:
			p.compare(p.vector, slices.Values(p.nearest(p.vector, sketchCompared)), p.similar.cosine)
		case p.sketched:
			near = p.nearest(p.vector, sketchCandidates)
		case p.inMemory:
			p.allVectors(p.vector, p.similar.cosine)
		}
	})
	p.keywords = score(p.terms, p.words.lists, &p.snapshot, p.scope)
	p.choose()
	other.Wait()
	for _, id := range near { // to be compared by the database
		if p.byID[id] == nil {
			p.byID[id] = &retrieve.Candidate{Chunk: id}
		}
	}
	if p.sketched && p.inMemory {
		p.compare(p.vector, maps.Keys(p.byID), p.similar.cosine)
		p.similar.all = true
	}
}

// choose takes the best of the keyword side.
func (p *probe) choose() {
	best := p.keywords.top(p.request.PerSide, p.request.TitleRatio, p.scope)
	candidates := make([]retrieve.Candidate, len(best))
	for i, b := range best {
		c := &candidates[i]
		c.Chunk, c.KeywordPos = document.ChunkID(b.ID), i+1
		if i < retrieve.CoverageDepth {
			shard, id := splitID(c.Chunk)
			c.Coverage = p.keywords.coverage(p.words.lists, shard, id)
		}
		p.byID[c.Chunk] = c
	}
}

// addSimilar adds the most similar chunks of those compared.
func (p *probe) addSimilar() {
	for i, id := range mostSimilar(p.similar.cosine, p.request.PerSide) {
		if p.byID[id] == nil {
			p.byID[id] = &retrieve.Candidate{Chunk: id}
		}
		p.byID[id].VectorPos = i + 1
	}
}

// queueDistances asks for the cosines of candidates that only the keyword side chose.
func (p *probe) queueDistances(r *round) {
	if !p.semantic || p.similar.all {
		return
	}
	missing := make(map[int16][]int64)
	for id := range p.byID {
		if _, known := p.similar.cosine[id]; !known {
			shard, chunk := splitID(id)
			missing[shard] = append(missing[shard], chunk)
		}
	}
	queueDistances(r, p.request.Audience.Tenant(), &p.snapshot, missing, p.vector, p.similar.cosine)
}

// list puts the scores of both sides together.
func (p *probe) list(ctx context.Context) (retrieve.List, error) {
	list := retrieve.List{MaxFlat: p.keywords.maxFlat, MaxTitle: p.keywords.maxTitle, Words: retrieve.Words(p.terms), Semantic: p.semantic}
	for id, c := range p.byID {
		shard, chunk := splitID(id)
		c.Flat, c.Title = p.keywords.at(shard, chunk)
		c.Cosine = p.similar.cosine[id]
	}
	for id, c := range p.byID {
		if c.KeywordPos == 0 && c.VectorPos == 0 {
			delete(p.byID, id) // narrowed down to, and not among the best of those compared
		}
	}
	var err error
	list.Entries, err = p.place(ctx)
	return list, err
}

// mostSimilar returns at most n ids, the most similar first.
func mostSimilar(cosine map[document.ChunkID]float64, n int) []document.ChunkID {
	top := bm25.NewTop(n)
	for id, c := range cosine {
		top.Offer(bm25.Scored{ID: int64(id), Score: c})
	}
	best := top.Best()
	ids := make([]document.ChunkID, len(best))
	for i, b := range best {
		ids[i] = document.ChunkID(b.ID)
	}
	return ids
}
