package search

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/footnotehq/footnote/adapters/opensearch"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve/engine"
)

const engineQuestions = 100

type searchEngine struct {
	moved  *pgindex.Index // searches there
	client *opensearch.Client
	node   node
	name   string // of the index there
}

func (b *bench) openEngine() (bool, error) {
	url := os.Getenv("OPENSEARCH_URL")
	if url == "" {
		b.printf("OPENSEARCH_URL names none\n")
		return false, nil
	}
	if b.engine.moved != nil {
		return true, nil
	}
	address, err := opensearch.ParseAddress(url)
	if err != nil {
		return false, err
	}
	address.Prefix += "-bench"
	e := searchEngine{node: node(address.Hosts[0])}
	if e.client, err = opensearch.New(opensearch.Config{Address: address, Logger: b.logger}); err != nil {
		return false, err
	}
	if e.moved, err = pgindex.New(b.db, pgindex.Config{Logger: b.logger, Engine: e.client}); err != nil {
		return false, err
	}
	b.engine = e
	return true, nil
}

// filled makes sure that OpenSearch holds the index. It reports false if OPENSEARCH_URL is not set.
func (b *bench) filled(ctx context.Context, anew bool) (bool, error) {
	there, err := b.openEngine()
	if err != nil || !there {
		return there, err
	}
	if err := b.engine.moved.CheckEngine(ctx); errors.Is(err, engine.ErrMissing) {
		anew = true // what an earlier run with -keep left was in a server that is gone
	} else if err != nil {
		return true, err
	}
	if err := b.engine.moved.Rebuild(ctx, anew, nil); err != nil {
		return true, err
	}
	state, err := b.engine.moved.EngineState(ctx)
	b.engine.name = state.Serving
	return true, err
}

func (b *bench) moveToEngine(ctx context.Context) error {
	there, err := b.openEngine()
	if err != nil || !there {
		return err
	}
	before, err := nodesUse()
	if err != nil {
		return err
	}
	began, here, peak := time.Now(), cpuTime(), watchMemory(ctx)
	_, err = b.filled(ctx, true)
	took, most := time.Since(began), peak()
	if err != nil {
		return err
	}
	after, err := nodesUse()
	if err != nil {
		return err
	}
	b.printf("moved %d chunks in %.1f s: %.0f chunks/s; this program computed %.1f s, and had %d MB at most; OpenSearch computed %.1f s\n", b.chunks,
		took.Seconds(), float64(b.chunks)/took.Seconds(), (cpuTime() - here).Seconds(), most>>20, (after.computed - before.computed).Seconds())
	if err := b.printEngine(ctx, "written"); err != nil {
		return err
	}
	began = time.Now()
	if err := b.engine.node.release(ctx, b.engine.name); err != nil {
		return err
	}
	if err := b.engine.node.ask(ctx, http.MethodPost, b.engine.name+"/_forcemerge?max_num_segments=1", nil); err != nil {
		return err
	}
	// which lets go of what was merged
	if err := b.engine.client.Refresh(ctx, b.engine.name); err != nil {
		return err
	}
	b.printf("merged in %.1f s, once copies needed nothing more of what was sent\n", time.Since(began).Seconds())
	return b.printEngine(ctx, "merged")
}

func (b *bench) searchByEngine(ctx context.Context) error {
	there, err := b.filled(ctx, false)
	if err != nil || !there {
		return err
	}
	plain, err := pgindex.New(b.db, pgindex.Config{Logger: b.logger})
	if err != nil {
		return err
	}
	texts, err := b.questions(ctx, 900, warmUpEach+engineQuestions)
	if err != nil {
		return err
	}
	b.printf("%-16s %-9s | PostgreSQL p50 ms   p95 ms | OpenSearch p50 ms   p95 ms | of it the engine p50\n", "readable", "mode")
	for _, s := range shares {
		for _, m := range modes {
			b.printf("%-16s %-9s", s.name, m.name)
			for _, x := range []*pgindex.Index{plain, b.engine.moved} {
				h, err := b.searcher(x, m.alpha)
				if err != nil {
					return err
				}
				if _, err := ask(ctx, h, s.audience(), texts[:warmUpEach]); err != nil {
					return err
				}
				asked, err := ask(ctx, h, s.audience(), texts[warmUpEach:])
				if err != nil {
					return err
				}
				b.printf(" | %17.1f %8.1f", asked.percentile(50), asked.percentile(95))
				if took := asked.stages["engine"]; x == b.engine.moved && len(took) > 0 {
					only := sample{took: took}
					b.printf(" | %17.1f", only.percentile(50))
				}
			}
			b.printf("\n")
		}
	}
	const mb = 1 << 20
	b.printf("what a process remembers of the index: %.1f MB where PostgreSQL searches, %.1f where OpenSearch does\n", float64(plain.CacheBytes())/mb,
		float64(b.engine.moved.CacheBytes())/mb)
	return b.printEngine(ctx, "after the questions")
}

const writtenDocuments = 20 * putDocuments

// writeToEngine compares writing to PostgreSQL alone with writing to PostgreSQL and OpenSearch. In
// both, a batch is searchable when its call returns.
func (b *bench) writeToEngine(ctx context.Context) error {
	there, err := b.filled(ctx, false)
	if err != nil || !there {
		return err
	}
	plain, err := pgindex.New(b.db, pgindex.Config{Logger: b.logger})
	if err != nil {
		return err
	}
	for i, to := range []struct {
		name string
		*pgindex.Index
	}{{"PostgreSQL alone", plain}, {"PostgreSQL and OpenSearch", b.engine.moved}} {
		var took time.Duration
		chunks := 0
		for n := 0; n < writtenDocuments; n += putDocuments {
			entries := make([]index.Entry, putDocuments)
			for j := range entries {
				entries[j] = b.corpus.document(b.documents + i*writtenDocuments + n + j).entry()
				chunks += len(entries[j].Chunks)
			}
			if err := b.embed(ctx, entries); err != nil {
				return err
			}
			began := time.Now()
			if err := to.Put(ctx, access.DefaultTenant, entries); err != nil {
				return err
			}
			took += time.Since(began)
		}
		b.printf("written to %s: %d chunks in %.1f s: %.0f chunks/s\n", to.name, chunks, took.Seconds(), float64(chunks)/took.Seconds())
	}
	return nil
}

func (b *bench) leaveEngine(ctx context.Context) error {
	if b.engine.moved == nil || b.keep != "" {
		return nil
	}
	if err := b.engine.moved.LeaveEngine(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("drop what OpenSearch holds: %w", err)
	}
	return nil
}
