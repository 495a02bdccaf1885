package search

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
	"golang.org/x/sync/errgroup"
)

const routeQuestions = 20

// compareRoutes times the two ways of searching vectors, exact comparison and sketches, for access
// lists of growing size. The size at which sketches become faster is the right
// pgindex.Config.ExactLimit.
func (b *bench) compareRoutes(ctx context.Context) error {
	routes := []struct {
		name string
		cfg  pgindex.Config
		most int // share of the index, 1 of so many, up to which the route is worth measuring
	}{
		{"exact", pgindex.Config{ExactLimit: b.chunks + 1}, 10},
		{"sketch", pgindex.Config{ExactLimit: 1}, 1},
	}
	b.printf("%9s", "chunks")
	var indexes []*pgindex.Index
	for _, r := range routes {
		r.cfg.Logger = b.logger
		x, err := pgindex.New(b.db, r.cfg)
		if err != nil {
			return err
		}
		indexes = append(indexes, x)
		b.printf(" | %-6s p50 ms   p95 ms  recall", r.name)
	}
	b.printf("\n")
	texts, err := b.questions(ctx, 300, warmUp+routeQuestions)
	if err != nil {
		return err
	}
	h, err := b.searcher(indexes[1], 1)
	if err != nil {
		return err
	}
	// sketches are made while searching
	if _, err := ask(ctx, h, shares[0].audience(), texts[:warmUp]); err != nil {
		return err
	}
	for _, n := range []int{1, 3, 10, 30, 100, spaces} {
		var groups []access.Principal
		for i := range n {
			groups = append(groups, access.Principal(fmt.Sprintf("group:space-%d", i)))
		}
		counted, _, err := indexes[1].Find(ctx, retrieve.Request{Audience: access.NewAudience(access.DefaultTenant, groups...)}, nil)
		if err != nil {
			return err
		}
		b.printf("%9d", counted.Allowed)
		for i, r := range routes {
			if part := spaces / n; part < r.most {
				b.printf(" | %6s      -        -       -", "")
				continue
			}
			h, err := b.searcher(indexes[i], 1)
			if err != nil {
				return err
			}
			audience := access.NewAudience(access.DefaultTenant, groups...)
			if _, err := ask(ctx, h, audience, texts[:warmUpEach]); err != nil {
				return err
			}
			s, err := ask(ctx, h, audience, texts[warmUp:])
			if err != nil {
				return err
			}
			recall, err := b.recall(ctx, indexes[i], groups, texts[warmUp:])
			if err != nil {
				return err
			}
			b.printf(" | %13.2f %8.2f  %6.3f", s.percentile(50), s.percentile(95), recall)
		}
		b.printf("\n")
	}
	return nil
}

// during measures searches while another goroutine calls work again and again. The parameter what
// names the unit of the numbers that work returns.
func (b *bench) during(ctx context.Context, series uint64, work func(context.Context) (done int, err error), what string) error {
	if err := b.settle(ctx); err != nil {
		return err
	}
	working, stop := context.WithCancel(ctx)
	var steps atomic.Int64
	var group errgroup.Group
	group.Go(func() error {
		for working.Err() == nil {
			n, err := work(working)
			if err != nil {
				if working.Err() != nil {
					return nil
				}
				return err
			}
			steps.Add(int64(n))
		}
		return nil
	})
	began := time.Now()
	err := b.eachShare(ctx, series)
	took := time.Since(began)
	stop()
	b.printf("meanwhile: %d %s, %.1f a second\n", steps.Load(), what, float64(steps.Load())/took.Seconds())
	return errors.Join(err, group.Wait())
}

// eachLasts is how long each access list is measured. It is a duration, not a number of questions,
// so that some background work happens meanwhile.
const eachLasts = time.Second

func (b *bench) eachShare(ctx context.Context, series uint64) error {
	h, err := b.searcher(b.index, 0.5)
	if err != nil {
		return err
	}
	for i, s := range shares {
		var measured sample
		for began, n := time.Now(), uint64(i); time.Since(began) < eachLasts; n += uint64(len(shares)) {
			texts, err := b.questions(ctx, series+n, b.queries)
			if err != nil {
				return err
			}
			asked, err := ask(ctx, h, s.audience(), texts)
			if err != nil {
				return err
			}
			measured.took = append(measured.took, asked.took...)
		}
		b.printf("%-16s hybrid    %8.2f %8.2f  p50 and p95 ms\n", s.name, measured.percentile(50), measured.percentile(95))
	}
	return nil
}

const pause = 50 * time.Millisecond

func (b *bench) searchDuringChanges(ctx context.Context) error {
	n := 0
	return b.during(ctx, 10_000, func(ctx context.Context) (int, error) {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
		n++
		m := b.corpus.document((n * 7919) % b.documents)
		acl := m.acl
		if n%2 == 0 {
			acl = access.ACL{"group:absent"}
		}
		return 1, b.index.SetACL(ctx, access.DefaultTenant, benchSource, []index.Access{{ID: document.ID(fmt.Sprintf("bench:%d", m.number)), ACL: acl}})
	}, "access lists changed")
}

func (b *bench) searchDuringMerges(ctx context.Context) error {
	x, err := pgindex.New(b.db, pgindex.Config{Logger: b.logger, FreshLimit: 1000})
	if err != nil {
		return err
	}
	next := b.documents
	return b.during(ctx, 20_000, func(ctx context.Context) (int, error) {
		entries := make([]index.Entry, putDocuments)
		chunks := 0
		for i := range entries {
			entries[i] = b.corpus.document(next + i).entry()
			chunks += len(entries[i].Chunks)
		}
		next += putDocuments
		if err := b.embed(ctx, entries); err != nil {
			return 0, err
		}
		return chunks, x.Put(ctx, access.DefaultTenant, entries)
	}, "chunks written, packed and merged")
}

func (b *bench) searchTogether(ctx context.Context) error {
	const clients = 8
	for _, m := range modes {
		h, err := b.searcher(b.index, m.alpha)
		if err != nil {
			return err
		}
		var texts [clients][]string
		for i := range texts {
			if texts[i], err = b.questions(ctx, uint64(600+i), 4*b.queries); err != nil {
				return err
			}
		}
		var group errgroup.Group
		var samples [clients]sample
		began := time.Now()
		for i := range clients {
			group.Go(func() (err error) {
				samples[i], err = ask(ctx, h, shares[i%len(shares)].audience(), texts[i])
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return err
		}
		took := time.Since(began)
		var all sample
		for _, s := range samples {
			all.took = append(all.took, s.took...)
		}
		b.printf("%-9s %6.0f searches a second, p50 %.2f ms, p95 %.2f ms\n", m.name, float64(len(all.took))/took.Seconds(), all.percentile(50), all.percentile(95))
	}
	return nil
}

func (b *bench) manyAudiences(ctx context.Context) error {
	x, err := pgindex.New(b.db, pgindex.Config{Logger: b.logger})
	if err != nil {
		return err
	}
	h, err := b.searcher(x, 0)
	if err != nil {
		return err
	}
	texts, err := b.questions(ctx, 700, 1)
	if err != nil {
		return err
	}
	var took []time.Duration
	for i := range 300 {
		a := access.NewAudience(access.DefaultTenant, access.Principal(fmt.Sprintf("group:space-%d", i%spaces)), shares[i%len(shares)].group,
			access.Principal(fmt.Sprintf("user:bench:%d", i)))
		s, err := ask(ctx, h, a, texts)
		if err != nil {
			return err
		}
		took = append(took, s.took...)
	}
	slices.Sort(took)
	b.printf("%.1f MB for what 300 sets of principals may find, of %.0f MB at most; the first search of a set: p50 %.1f ms, at most %.1f ms\n",
		float64(x.CacheBytes())/(1<<20), float64(pgindex.DefaultCacheBytes)/(1<<20), ms(took[len(took)/2]), ms(took[len(took)-1]))
	return nil
}
