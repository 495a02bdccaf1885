package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/tiktoken"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
)

// fulltextTime is how long the questions to ts_rank_cd may take together: at a million chunks one takes seconds.
const fulltextTime = time.Minute

// makeFulltext gives every chunk a tsvector of the text that our index analyses, with a GIN index, as one would without us.
func makeFulltext(ctx context.Context, db *postgres.DB) error {
	for _, sql := range []string{
		`set maintenance_work_mem = '512MB'`,
		`drop table if exists fulltext`,
		`create table fulltext as select shard, id, to_tsvector('english', enrichment || text) as words from chunk`,
		`create index on fulltext using gin (words)`,
		`analyze fulltext`,
	} {
		if _, err := db.Pool.Exec(ctx, sql); err != nil {
			return fmt.Errorf("make the full-text index: %w", err)
		}
	}
	return nil
}

// fulltextSQL ranks every chunk that holds a word of the question, as BM25 does. (All words at once, as websearch_to_tsquery asks, finds
// next to nothing for a question.)
const fulltextSQL = `
	select f.shard, f.id, row_number() over (order by ts_rank_cd(f.words, q.words) desc, f.id) as place from fulltext f, (select replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery as words) q
	where f.words @@ q.words order by place limit $2`

// compareFulltext asks ts_rank_cd and our keyword search the same questions on the same chunks.
func (b *bench) compareFulltext(ctx context.Context) error {
	began := time.Now()
	if err := makeFulltext(ctx, b.db); err != nil {
		return err
	}
	b.printf("built tsvector and GIN in %.1f s\n", time.Since(began).Seconds())
	texts, err := b.questions(ctx, 800, b.queries)
	if err != nil {
		return err
	}
	theirs, began := sample{}, time.Now()
	for _, text := range texts {
		if time.Since(began) > fulltextTime {
			break
		}
		asked := time.Now()
		if _, err := b.db.Pool.Exec(ctx, fulltextSQL, text, 10); err != nil {
			return fmt.Errorf("ask ts_rank_cd: %w", err)
		}
		theirs.took = append(theirs.took, time.Since(asked))
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	h, err := b.searcher(b.index, 0)
	if err != nil {
		return err
	}
	ours, err := ask(ctx, h, shares[0].audience(), texts[:len(theirs.took)])
	if err != nil {
		return err
	}
	b.printf("%-12s p50 %9.2f ms, p95 %9.2f ms, %d questions\n", "ts_rank_cd", theirs.percentile(50), theirs.percentile(95), len(theirs.took))
	b.printf("%-12s p50 %9.2f ms, p95 %9.2f ms, passages and access lists included\n", "footnote", ours.percentile(50), ours.percentile(95))
	b.printf("ts_rank_cd takes %.0f times as long at p50, %.0f times at p95\n", theirs.percentile(50)/ours.percentile(50), theirs.percentile(95)/ours.percentile(95))
	return nil
}

// compareLabelled measures nDCG@10 of both on a labelled collection.
func (b *bench) compareLabelled(ctx context.Context) error {
	if b.labelled == "" {
		b.printf("left out: name a collection with -labelled\n")
		return nil
	}
	collection, err := evaluate.Read(os.DirFS(b.labelled))
	if err != nil {
		return err
	}
	chunker, err := index.NewChunker(tiktoken.ForModel(""), index.ChunkSize{})
	if err != nil {
		return err
	}
	return b.within(ctx, pgindex.Config{}, func(db *postgres.DB, x *pgindex.Index) error {
		if _, err := index.New(x, chunker, nil, index.Config{}).Run(ctx, access.DefaultTenant, collection.Connector(), nil); err != nil {
			return err
		}
		err := errors.Join(x.Pack(ctx, access.DefaultTenant), makeFulltext(ctx, db))
		if err != nil {
			return err
		}
		runner := evaluate.Runner{Index: x, Config: retrieve.DefaultConfig(), Tenant: access.DefaultTenant}
		ours, err := runner.Run(ctx, &collection, evaluate.Keyword, func(int) {})
		if err != nil {
			return err
		}
		rankings := make(map[string][]string)
		for _, q := range collection.Queries {
			places, err := rankFulltext(ctx, db, q.Text)
			if err != nil {
				return err
			}
			for _, n := range places {
				rankings[q.ID] = append(rankings[q.ID], collection.Documents[n].ID)
			}
		}
		theirs := evaluate.Measure(rankings, collection.Judgements)
		b.printf("%s: %d documents, %d questions\n", b.labelled, len(collection.Documents), len(collection.Queries))
		b.printf("%-12s nDCG@10 %.4f  recall@100 %.4f  MRR@10 %.4f\n", "ts_rank_cd", theirs.NDCG10, theirs.Recall100, theirs.MRR10)
		b.printf("%-12s nDCG@10 %.4f  recall@100 %.4f  MRR@10 %.4f\n", "footnote", ours.NDCG10, ours.Recall100, ours.MRR10)
		return nil
	})
}

// rankFulltext ranks documents by their best chunk. A document of a collection is named in the index by its place there.
func rankFulltext(ctx context.Context, db *postgres.DB, question string) ([]int, error) {
	rows, err := db.Pool.Query(ctx, `
		select d.external_id from (`+fulltextSQL+`) best
		join chunk c on c.shard = best.shard and c.id = best.id
		join document d on d.tenant_id = c.tenant_id and d.shard = c.shard and d.id = c.document
		order by best.place`, question, 300)
	if err != nil {
		return nil, fmt.Errorf("ask ts_rank_cd: %w", err)
	}
	defer rows.Close()
	var ranking []int
	seen := make(map[int]bool)
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		_, name, _ := strings.Cut(id, ":")
		n, err := strconv.Atoi(name)
		if err != nil {
			return nil, fmt.Errorf("document %q of the collection: %w", id, err)
		}
		if !seen[n] {
			seen[n] = true
			ranking = append(ranking, n)
		}
	}
	return ranking, rows.Err()
}
