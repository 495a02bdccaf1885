package knowledge

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/knowledge"
)

type clock struct {
	mu    sync.Mutex
	spent map[string]time.Duration
}

func (c *clock) add(stage string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.spent[stage] += took
}

const beside access.TenantID = "cost"

func another(ctx context.Context, base *wire.Base) (*pgindex.Index, *clock, error) {
	c := &clock{spent: make(map[string]time.Duration)}
	if _, err := base.DB.Pool.Exec(ctx, `insert into tenant (id) values ($1) on conflict do nothing`, string(beside)); err != nil {
		return nil, nil, err
	}
	x, err := pgindex.New(base.DB, pgindex.Config{Measure: c.add})
	return x, c, err
}

// cost prints which share of the indexing time the knowledge graph takes. It uses no embedder,
// which would hide that share.
//
// Documents are read in parallel, but the time of every goroutine counts in full.
func cost(ctx context.Context, base *wire.Base, o options, out io.Writer) error {
	x, spent, err := another(ctx, base)
	if err != nil {
		return err
	}
	chunker, err := index.NewChunker(base.Counter, index.ChunkSize{})
	if err != nil {
		return err
	}
	var connectors []index.Connector
	for _, dir := range o.sets {
		set, err := evaluate.Read(os.DirFS(dir))
		if err != nil {
			return err
		}
		connectors = append(connectors, set.Connector())
	}
	for _, m := range o.manuals {
		dir, _, _ := strings.Cut(m, "=")
		c, err := wire.Connect(base.Config, config.Source{Path: dir, Include: []string{"*.html", "**/*.html"}, ACL: access.ACL{access.Public}})
		if err != nil {
			return err
		}
		connectors = append(connectors, c)
	}
	began := time.Now()
	chunks := 0
	for _, c := range connectors {
		run, err := index.New(x, chunker, nil, index.Config{}).Run(ctx, beside, c, nil)
		if err != nil {
			return err
		}
		chunks += run.Counts.Chunks
	}
	if err := x.Maintain(ctx, beside); err != nil {
		return err
	}
	all := time.Since(began)
	graph := spent.spent["read statements"] + spent.spent["write knowledge"] + spent.spent["look for names"]
	_, err = fmt.Fprintf(out, "indexing %d passages by keywords takes %s, of which the graph %s: %.0f %% more (reading %s, writing %s, new names in older passages %s)\n", chunks,
		all.Round(time.Millisecond), graph.Round(time.Millisecond), 100*float64(graph)/float64(all-graph), spent.spent["read statements"].Round(time.Millisecond),
		spent.spent["write knowledge"].Round(time.Millisecond), spent.spent["look for names"].Round(time.Millisecond))
	return err
}

const (
	walkPassages = 4
	walkNames    = 3
	walkBatch    = 256
	walks        = 2000
	walkSeeds    = 5
	randomSeed   = 20260101
)

// walk times two queries on a synthetic index: the step from five passages to the documents they
// name, and a question about what a person worked on.
func walk(ctx context.Context, base *wire.Base, passages int, out io.Writer) error {
	x, _, err := another(ctx, base)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(randomSeed, 1))
	documents := passages / walkPassages
	title := func(n int) string {
		return fmt.Sprintf("Topic %s number %d", []string{"alder", "birch", "cedar", "dogwood"}[n%4], n)
	}
	for start := 0; start < documents; start += walkBatch {
		var entries []index.Entry
		for n := start; n < min(start+walkBatch, documents); n++ {
			e := index.Entry{Document: document.Document{Ref: document.Ref{ID: document.ID(fmt.Sprintf("walk:%d", n)), Source: "walk", Kind: "file", Title: title(n), UpdatedAt: time.Unix(int64(n)*3600, 0)},
				ACL: access.ACL{access.Public}, Metadata: map[string]string{"author": fmt.Sprintf("Author %d", n%500), "team": fmt.Sprintf("Team %d", n%50)}}}
			for i := range walkPassages {
				var text strings.Builder
				for range walkNames {
					fmt.Fprintf(&text, "A passage about things, which goes on for a while and names %s. ", title(rng.IntN(documents)))
				}
				e.Chunks = append(e.Chunks, document.Chunk{Ordinal: i, Text: text.String(), End: text.Len(), Tokens: 40})
			}
			entries = append(entries, e)
		}
		if err := x.Put(ctx, beside, entries); err != nil {
			return err
		}
	}
	began := time.Now()
	if err := x.Maintain(ctx, beside); err != nil {
		return err
	}
	settled := time.Since(began)
	var from, to int64
	if err := base.DB.Pool.QueryRow(ctx, `select min(id), max(id) from chunk where tenant_id = $1`, string(beside)).Scan(&from, &to); err != nil {
		return err
	}
	everybody := access.NewAudience(beside, access.Public)
	var steps, asked []time.Duration
	for i := range walks {
		var seeds []document.ChunkID
		for range walkSeeds {
			seeds = append(seeds, document.ChunkID(from+rng.Int64N(to-from)))
		}
		began := time.Now()
		if _, err := base.Knowledge().Neighbours(ctx, knowledge.Question{Audience: everybody}, seeds); err != nil {
			return err
		}
		steps = append(steps, time.Since(began))
		if i%10 == 0 {
			began = time.Now()
			if _, err := knowledge.Ask(ctx, base.Knowledge(), fmt.Sprintf("what did author %d work on", i%500), knowledge.Question{Audience: everybody, Limit: 20}); err != nil {
				return err
			}
			asked = append(asked, time.Since(began))
		}
	}
	_, err = fmt.Fprintf(out, "%d passages, kept in order in %s: a step from %d of them takes %s, p95 %s; what a person worked on %s, p95 %s\n", documents*walkPassages,
		settled.Round(time.Millisecond), walkSeeds, quantile(steps, .5).Round(10*time.Microsecond), quantile(steps, .95).Round(10*time.Microsecond),
		quantile(asked, .5).Round(10*time.Microsecond), quantile(asked, .95).Round(10*time.Microsecond))
	return err
}
