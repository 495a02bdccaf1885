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
// A search of a process at work takes one round trip, which shows that nothing was written to the index since the last one and brings the words
// that are new to this process; both sides are then compared in memory. Another one or two come when something was written. Without room for the
// vectors in memory, one brings the nearest of them, while the keyword side is summed up here, and one the distances of keyword candidates.
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
func (x *Index) read(ctx context.Context, read func(context.Context, *pgxpool.Conn) error) error {
	do := func(ctx context.Context, conn *pgxpool.Conn) error {
		if err := keepPlans(ctx, conn.Conn()); err != nil {
			conn.Release()
			return err
		}
		return read(ctx, conn)
	}
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

// read loads the outline and, with it, what the last search of the tenant makes likely to be needed: one round trip while nothing is written to the
// index. What that got wrong, and what this process does not remember of segments, follows in further ones.
func (s *search) read(ctx context.Context) error {
	audience, tenant := s.request.Audience, s.request.Audience.Tenant()
	last := s.index.outline(tenant)
	var first, second round
	first.queue(done, beginRead)
	s.snapshot.queue(&first, s.request)
	var asked []shardRow // fresh chunks of these were asked for
	if last != nil {
		asked = last.shards
	}
	if lists, known := s.index.listsAt(last, audience); known {
		s.askWords(&first, asked)
		sealed := s.index.planSealed(tenant, last.segments, s.words.terms)
		sealed.queue(&first)
		if err := first.run(ctx, s.conn); err != nil {
			return fmt.Errorf("read the versions of the index: %w", err)
		}
		if last.same(s.snapshot.shards) {
			s.snapshot.lists, s.snapshot.segments, s.snapshot.fresh = lists, last.segments, last.fresh
			return s.finish(ctx, &second, sealed, last)
		}
		first, asked = round{}, s.snapshot.shards
	}
	s.snapshot.queueOutline(&first, s.request)
	if len(asked) > 0 {
		s.askWords(&first, asked)
		s.snapshot.queueFresh(&first, tenant, asked)
	}
	if err := first.run(ctx, s.conn); err != nil {
		return fmt.Errorf("read the outline of the index: %w", err)
	}
	if now := s.snapshot.shards; !covers(asked, now) {
		s.askWords(&second, now)
		s.snapshot.queueFresh(&second, tenant, now)
	}
	return s.finish(ctx, &second, nil, last)
}

// askWords takes the probes apart by the languages of the shards, and asks for the words' fresh postings.
func (s *search) askWords(r *round, shards []shardRow) {
	s.words = words{}
	s.words.analyse(s.request.Probes, languages(shards))
	s.words.queueFresh(r, s.request, shards)
}

// finish reads what the outline, which is complete or on its way with a round, shows to be missing. The plan for sealed postings is nil unless it has
// been carried out.
func (s *search) finish(ctx context.Context, r *round, sealed *sealedPlan, last *outline) error {
	plan := s.index.planScope(s.request, &s.snapshot)
	plan.queue(r, s.request, &s.snapshot)
	if sealed == nil {
		sealed = s.index.planSealed(s.request.Audience.Tenant(), s.snapshot.segments, s.words.terms)
		sealed.queue(r)
	}
	if err := r.run(ctx, s.conn); err != nil {
		return fmt.Errorf("read what the audience may find: %w", err)
	}
	s.index.remember(s.request.Audience, &s.snapshot, last)
	s.scope = plan.finish(s.request, &s.snapshot)
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
	var query wholeQuery
	if p.inMemory {
		query = newWholeQuery(p.vector)
	}
	var near []document.ChunkID
	var compared *comparison // of near
	narrowed := make(chan struct{})
	var other sync.WaitGroup
	other.Go(func() {
		switch {
		case p.sketched && p.inMemory:
			compared = newComparison(query, p.nearest(p.vector, sketchCompared))
			close(narrowed)
			compared.run(p.search)
		case p.sketched:
			near = p.nearest(p.vector, sketchCandidates)
		case p.inMemory:
			p.allVectors(query, p.similar.cosine)
		}
	})
	p.keywords = score(p.terms, p.words.lists, &p.snapshot, p.scope)
	p.choose()
	if p.sketched && p.inMemory {
		chosen := newComparison(query, slices.Collect(maps.Keys(p.byID)))
		chosen.run(p.search)
		<-narrowed
		compared.run(p.search) // what the other goroutine has left
		other.Wait()
		compared.into(p.similar.cosine)
		chosen.into(p.similar.cosine)
		p.similar.all = true
	}
	other.Wait()
	for _, id := range near { // to be compared by the database
		if p.byID[id] == nil {
			p.byID[id] = &retrieve.Candidate{Chunk: id}
		}
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
