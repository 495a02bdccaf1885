package pgindex

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/engine"
	"github.com/footnotehq/footnote/core/span"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Find implements retrieve.Index. It scores all queries of r, calls choose with the candidates, and
// fetches the chosen passages, all in one snapshot of the database.
//
// With a warm cache, a search takes two round trips: one checks that the index is unchanged and
// fetches missing postings, the other fetches the passages. A change of the index adds a round
// trip. Vectors that do not fit in memory add up to two.
func (x *Index) Find(
	ctx context.Context, r retrieve.Request, choose func(retrieve.Candidates) []document.ChunkID,
) (retrieve.Candidates, []retrieve.Passage, error) {
	s := newSearch(x, r, choose)
	if r.Audience.Tenant() == "" {
		return s.out, nil, nil
	}
	if x.cfg.Engine != nil && !r.Dated() { // the engine cannot filter by date
		out, passages, index, err := x.findByEngine(ctx, r, choose)
		if (errors.Is(err, engine.ErrMissing) || errors.Is(err, engine.ErrDown)) && x.indexReplaced(ctx, index) {
			out, passages, index, err = x.findByEngine(ctx, r, choose)
		}
		if err != nil {
			return retrieve.Candidates{}, nil, fmt.Errorf("search the index: %w", err)
		}
		if index != "" {
			return out, passages, nil
		}
	}
	err := x.db.ReadAgain(ctx, func() error {
		conn, err := x.db.Pool.Acquire(ctx)
		if err != nil {
			return err
		}
		defer conn.Release() // also closes a connection whose transaction is still open
		s = newSearch(x, r, choose)
		s.conn = conn
		return s.run(ctx)
	})
	if err != nil {
		return retrieve.Candidates{}, nil, fmt.Errorf("search the index: %w", err)
	}
	return s.out, s.passages, nil
}

type search struct {
	index    *Index
	conn     *pgxpool.Conn
	request  retrieve.Request
	choose   func(retrieve.Candidates) []document.ChunkID
	out      retrieve.Candidates
	passages []retrieve.Passage
	clock    time.Time
	snapshot snapshot
	words    words
	scope    *scope
	places   map[int32]places // documents by segment number
	// sketches holds the sketches of the vectors in each readable block of chunk ids. It is nil if
	// PostgreSQL compares the vectors.
	sketches map[blockKey]*sketches
}

func newSearch(x *Index, r retrieve.Request, choose func(retrieve.Candidates) []document.ChunkID) *search {
	return &search{index: x, request: r, choose: choose, clock: time.Now(), places: make(map[int32]places), out: retrieve.Candidates{
		Lists: make([]retrieve.List, len(r.Probes)), Route: retrieve.RouteNone, Timings: make(map[string]time.Duration)}}
}

func (s *search) lap(ctx context.Context, stage string) {
	now := time.Now()
	span.Record(ctx, stage, s.clock, now)
	s.out.Timings[stage] += now.Sub(s.clock)
	s.clock = now
}

// run performs the search and stores the candidates and passages in s. Its transaction ends when
// the passages are fetched.
func (s *search) run(ctx context.Context) error {
	if err := s.read(ctx); err != nil {
		return err
	}
	s.out.Allowed = s.scope.count
	s.lap(ctx, "access")
	if s.scope.count == 0 {
		return s.fetch(ctx)
	}
	probes := make([]*probe, len(s.request.Probes))
	var vectors round
	for i, asked := range s.request.Probes {
		p := &probe{search: s, terms: s.words.queries[i], vector: asked.Vector}
		probes[i] = p
		if err := p.narrow(ctx, &vectors); err != nil {
			return err
		}
	}
	s.lap(ctx, "narrow")
	working := vectors.send(ctx, s.conn)
	for _, p := range probes { // while PostgreSQL looks for the nearest vectors
		p.begin()
		defer p.end()
		p.compute()
	}
	s.lap(ctx, "keyword")
	if err := working.read(); err != nil {
		return fmt.Errorf("search the vectors: %w", err)
	}
	var missing round
	for _, p := range probes {
		p.queueDistances(&missing)
	}
	if err := missing.run(ctx, s.conn); err != nil {
		return fmt.Errorf("compare the vectors of candidates: %w", err)
	}
	s.lap(ctx, "semantic")
	for i, p := range probes {
		var err error
		if s.out.Lists[i], err = p.list(ctx); err != nil {
			return err
		}
		s.out.Lists[i].Synonyms = s.words.synonyms[i]
	}
	s.lap(ctx, "place")
	return s.fetch(ctx)
}

// read loads the data that the search needs to score chunks. It takes one round trip if the index
// has not changed since the tenant's last search. Further round trips load data that is not cached.
func (s *search) read(ctx context.Context) error {
	audience, tenant := s.request.Audience, s.request.Audience.Tenant()
	last := s.index.outline(tenant)
	var first, second round
	first.queue(discardResult, beginRead)
	s.snapshot.queue(&first, s.request)
	var asked []shardRow // shards whose fresh chunks were already requested
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
			s.snapshot.lists, s.snapshot.until = lists.numbers, lists.until
			s.snapshot.segments, s.snapshot.fresh = last.segments, last.fresh
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

func (s *search) askWords(r *round, shards []shardRow) {
	s.words = words{}
	s.words.analyse(s.request, languages(shards))
	s.words.queueFresh(r, s.request, shards)
}

// finish runs the statements of r together with those for data that is still missing, and then
// stores and caches the results. sealed is the plan for reading postings from segments. If it is
// nil, finish makes that plan.
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
	sealed.remember()
	return nil
}

// fetch loads the chosen passages and ends the transaction.
func (s *search) fetch(ctx context.Context) error {
	var last round
	if s.choose != nil {
		ids := s.choose(s.out)
		s.lap(ctx, "rank")
		if len(ids) > 0 {
			if s.request.Model != "" {
				last.queue(discardResult, passageSettings)
			}
			last.queue(collectInto(&s.passages, scanPassage), passagesSQL, passageArgs(s.request.Audience, ids)...)
		}
	}
	last.queue(discardResult, `commit`)
	if err := last.run(ctx, s.conn); err != nil {
		return fmt.Errorf("fetch passages: %w", err)
	}
	s.lap(ctx, "passages")
	return nil
}
