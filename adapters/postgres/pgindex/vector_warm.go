package pgindex

import (
	"context"
	"fmt"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
)

// Sketch computes compact copies (sketches) of a model's vectors in memory. Otherwise the first
// searches of a process would compute them, which takes seconds for a million chunks. Sketch does
// nothing if the index or the cache is too small. It holds a connection for one batch at a time,
// and stops when ctx is done.
func (x *Index) Sketch(ctx context.Context, tenant access.TenantID, model string) error {
	for before := -1; ; {
		missing, err := x.sketchNext(ctx, tenant, model)
		if err != nil {
			return fmt.Errorf("sketch the vectors of the index: %w", err)
		}
		// Stop without progress: vectors are added faster than they are read, or the cache evicts
		// sketches.
		if missing == 0 || before >= 0 && missing >= before {
			return nil
		}
		before = missing
	}
}

// sketchNext computes the next batch of sketches. It returns how many sketches were missing before.
func (x *Index) sketchNext(ctx context.Context, tenant access.TenantID, model string) (missing int, err error) {
	conn, err := x.db.Pool.Acquire(ctx)
	if err != nil {
		return 0, err
	}
	defer conn.Release() // also closes a connection whose transaction is still open
	s := newSearch(x, retrieve.Request{Audience: access.NewAudience(tenant), Model: model}, nil)
	s.conn = conn
	var first, last round
	first.queue(discardResult, beginRead)
	s.snapshot.queue(&first, s.request)
	if err := first.run(ctx, conn); err != nil {
		return 0, err
	}
	s.scope = s.snapshot.everything()
	if m, known := s.snapshot.model(); known && s.scope.count > x.cfg.ExactLimit && s.fitting(m) {
		var low, high chunkPlace
		if missing, low, high = s.missingRange(m); missing > 0 {
			if err := s.sketch(ctx, m, low, high); err != nil {
				return missing, err
			}
		}
	}
	last.queue(discardResult, `commit`)
	return missing, last.run(ctx, conn)
}

func (s *snapshot) everything() *scope {
	all := &scope{allowed: make(map[blockKey]*bm25.Bitmap)}
	for _, sh := range s.shards {
		all.count += int(sh.chunks)
		for first := int64(0); first < sh.nextChunk; first += bm25.BlockSize {
			key, _ := blockOf(sh.shard, first)
			all.allowed[key] = new(bm25.Bitmap)
			all.allowed[key].Set(0, int(min(sh.nextChunk-first, bm25.BlockSize)))
		}
	}
	return all
}
