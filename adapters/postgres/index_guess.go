package postgres

import (
	"context"
	"fmt"
	"slices"
)

// guess searches as if nothing had been written since the last search of the tenant, from what is remembered and the passages as they are now.
// That this was so, the versions show that come after the passages: what was not written until then was not written before. Where something was
// written a moment ago, they are looked at before all else too. It reports false if something was written, or if too little is remembered: nothing
// of it counts then.
func (s *search) guess(ctx context.Context) (found bool, err error) {
	last := s.index.outline(s.request.Audience.Tenant())
	var first round
	sealed := s.recall(last, &first)
	if sealed == nil {
		return false, nil
	}
	sealed.queue(&first)
	var now snapshot // its shards and models
	if !last.rests(s.index.cfg.GuessAfter) {
		now.queueVersions(&first, s.request)
		if err := first.run(ctx, s.conn); err != nil {
			return false, fmt.Errorf("read the versions of the index: %w", err)
		}
		if !s.snapshot.same(&now) {
			return false, nil
		}
		first = round{}
	}
	s.out.Allowed = s.scope.count
	probes := s.probes()
	for _, p := range probes {
		if !p.recallVectors() {
			return false, nil
		}
	}
	for _, p := range probes {
		p.begin()
		defer p.end()
	}
	if err := first.run(ctx, s.conn); err != nil {
		return false, fmt.Errorf("read the postings of new words: %w", err)
	}
	s.words.lists = sealed.finish(&s.snapshot, s.words.fresh)
	s.lap(ctx, "access")
	for _, p := range probes {
		p.compute()
	}
	s.lap(ctx, "keyword")
	if err := s.answer(ctx, probes, func(last *round) { now.queueVersions(last, s.request) }); err != nil {
		return false, err
	}
	if !s.snapshot.same(&now) {
		return false, nil
	}
	sealed.remember()
	return true, nil
}

// recall fills in the snapshot and the scope from memory and takes the probes apart, asking for what words need of fresh chunks. It returns what is
// remembered of the words' sealed postings; nil if anything else has to be read.
func (s *search) recall(last *outline, r *round) *sealedPlan {
	x, tenant := s.index, s.request.Audience.Tenant()
	lists, known := x.listsAt(last, s.request.Audience)
	if !known || len(s.request.Documents) > 0 {
		return nil
	}
	s.snapshot = snapshot{lists: lists, shards: last.shards, segments: last.segments, fresh: last.fresh}
	if s.request.Model != "" {
		entry, known := x.cache.get(modelKey(s.request))
		if !known {
			return nil
		}
		s.snapshot.models = entry.models
	}
	plan := x.planScope(s.request, &s.snapshot)
	if len(plan.tasks) > 0 {
		return nil
	}
	if s.scope = plan.finish(s.request, &s.snapshot); s.scope.count == 0 {
		return nil
	}
	for _, seg := range s.snapshot.segments {
		if s.places[seg.number], known = x.placesOf(tenant, seg); !known {
			return nil
		}
	}
	s.askWords(r, s.snapshot.shards)
	return x.planSealed(tenant, s.snapshot.segments, s.words.terms)
}

// recallVectors reports whether the probe's vector can be compared in memory, if it is compared at all.
func (p *probe) recallVectors() bool {
	m, wanted, err := p.compares()
	if err != nil {
		return false // which is said where it is certain
	}
	if !wanted {
		return true
	}
	_, whole, few := p.way(m)
	if !whole {
		return false
	}
	if missing, _, _ := p.gap(m); missing > 0 || !p.hold(m) || !p.whole() {
		return false
	}
	p.inMemory, p.sketched = true, !few
	p.decided(few)
	return true
}

// same reports whether a snapshot is of the versions that were found now.
func (s *snapshot) same(now *snapshot) bool {
	return slices.EqualFunc(s.shards, now.shards, shardRow.sameVersion) && slices.Equal(s.models, now.models)
}
