package main

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/footnotehq/footnote/adapters/opensearch"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
)

// engineQuestions is how many questions are asked of either side for each share and mode.
const engineQuestions = 100

// searchByEngine moves the index to the OpenSearch at OPENSEARCH_URL, where one is named, and asks both sides the same questions in turns.
func (b *bench) searchByEngine(ctx context.Context) (err error) {
	url := os.Getenv("OPENSEARCH_URL")
	if url == "" {
		b.printf("OPENSEARCH_URL names none\n")
		return nil
	}
	address, err := opensearch.ParseAddress(url)
	if err != nil {
		return err
	}
	address.Prefix += "-bench"
	client, err := opensearch.New(opensearch.Config{Address: address, Logger: b.logger})
	if err != nil {
		return err
	}
	moved, err := pgindex.New(b.db, pgindex.Config{Logger: b.logger, Engine: client})
	if err != nil {
		return err
	}
	began := time.Now()
	if err := moved.Rebuild(ctx, false, nil); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, moved.LeaveEngine(context.WithoutCancel(ctx))) }()
	b.printf("moved %d chunks in %.1f s: %.0f chunks/s\n", b.chunks, time.Since(began).Seconds(), float64(b.chunks)/time.Since(began).Seconds())
	plain, err := pgindex.New(b.db, pgindex.Config{Logger: b.logger})
	if err != nil {
		return err
	}
	texts, err := b.questions(ctx, 900, warmUpEach+engineQuestions)
	if err != nil {
		return err
	}
	b.printf("%9s %-9s | PostgreSQL p50 ms   p95 ms | OpenSearch p50 ms   p95 ms | of it the engine p50\n", "chunks", "mode")
	for _, s := range shares {
		for _, m := range modes {
			b.printf("%9s %-9s", s.name, m.name)
			for _, x := range []*pgindex.Index{plain, moved} {
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
				if took := asked.stages["engine"]; x == moved && len(took) > 0 {
					only := sample{took: took}
					b.printf(" | %17.1f", only.percentile(50))
				}
			}
			b.printf("\n")
		}
	}
	return nil
}
