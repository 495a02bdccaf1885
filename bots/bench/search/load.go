package search

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/footnotehq/footnote/adapters/files"
	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/staticembed"
	"github.com/footnotehq/footnote/adapters/tiktoken"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/index"
	"golang.org/x/sync/errgroup"
)

type clock struct {
	mu    sync.Mutex
	spent map[string]time.Duration
}

func (c *clock) add(stage string, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.spent == nil {
		c.spent = make(map[string]time.Duration)
	}
	c.spent[stage] += d
}

func (c *clock) print(b *bench, chunks int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, stage := range slices.Sorted(maps.Keys(c.spent)) {
		d := c.spent[stage]
		b.printf("  %-22s %8.2f s  %9.0f chunks/s\n", stage, d.Seconds(), float64(chunks)/max(d.Seconds(), 1e-6))
	}
}

func (b *bench) indexText(ctx context.Context) error {
	source, err := files.New(files.Options{Path: b.corpus.folder})
	if err != nil {
		return err
	}
	return b.pipeline(ctx, source)
}

func (b *bench) indexPipeline(ctx context.Context) error {
	return b.pipeline(ctx, &synthetic{corpus: b.corpus, chunks: min(100_000, b.size)})
}

func (b *bench) pipeline(ctx context.Context, source index.Connector) error {
	chunker, err := index.NewChunker(tiktoken.ForModel(""), index.ChunkSize{})
	if err != nil {
		return err
	}
	var stages clock
	return b.within(ctx, pgindex.Config{Measure: stages.add}, func(_ *postgres.DB, x *pgindex.Index) error {
		run, err := index.New(x, chunker, nil, index.Config{}).Run(ctx, access.DefaultTenant, timed{source, &stages}, nil)
		if err != nil {
			return err
		}
		took := run.FinishedAt.Sub(run.StartedAt)
		b.printf("%d documents, %d chunks in %.1f s: %.0f chunks/s (reading, cutting, analysing, writing, packing; no embedding)\n", run.Counts.Indexed,
			run.Counts.Chunks, took.Seconds(), float64(run.Counts.Chunks)/took.Seconds())
		b.printf("by stage, over all cores:\n")
		stages.print(b, run.Counts.Chunks)
		return nil
	})
}

type timed struct {
	index.Connector
	stages *clock
}

func (t timed) Sync(ctx context.Context, since index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		for batch, err := range t.Connector.Sync(ctx, since) {
			for i := range batch.Documents {
				load := batch.Documents[i].Load
				batch.Documents[i].Load = func(ctx context.Context) (document.Document, error) {
					began := time.Now()
					defer func() { t.stages.add("read", time.Since(began)) }()
					return load(ctx)
				}
			}
			if !yield(batch, err) {
				return
			}
		}
	}
}

type synthetic struct {
	corpus *corpus
	chunks int
}

func (s *synthetic) Source() document.Source {
	return document.Source{ID: benchSource, Kind: "bench", Name: "synthetic documents"}
}

func (s *synthetic) Settings() string { return "" }

func (s *synthetic) Sync(_ context.Context, _ index.Checkpoint) iter.Seq2[index.Batch, error] {
	return func(yield func(index.Batch, error) bool) {
		for n, chunks := 0, 0; chunks < s.chunks; {
			var batch index.Batch
			for len(batch.Documents) < 256 && chunks < s.chunks {
				e := s.corpus.document(n).entry()
				d := e.Document
				section := document.Section{}
				for _, c := range e.Chunks {
					section.Blocks = append(section.Blocks, document.Block{Kind: document.Paragraph, Text: c.Text})
				}
				d.Sections = []document.Section{section}
				batch.Documents = append(batch.Documents, index.Item{ID: d.ID, Load: func(context.Context) (document.Document, error) { return d, nil }})
				chunks += len(e.Chunks)
				n++
			}
			if !yield(batch, nil) {
				return
			}
		}
	}
}

// With two calls of Put at once, one analyses text while the other writes.
const (
	putDocuments = 64
	putWriters   = 2
)

// indexAll fills the large index through Index.Put, as the indexing pipeline does. Its vectors come
// from the embedder in the program, so they cluster by topic as real ones do.
func (b *bench) indexAll(ctx context.Context) error {
	var err error
	if b.model, err = staticembed.New(); err != nil {
		return err
	}
	var stages clock
	b.index, err = pgindex.New(b.db, pgindex.Config{Logger: b.logger, Measure: stages.add})
	if err != nil {
		return err
	}
	if _, err := b.index.Begin(ctx, access.DefaultTenant, index.Run{Source: document.Source{ID: benchSource, Kind: "bench", Name: "benchmark"}}); err != nil {
		return err
	}
	began := time.Now()
	peak := watchMemory(ctx)
	if err := b.load(ctx, &stages); err != nil {
		return err
	}
	took := time.Since(began)
	b.printf("%d documents, %d chunks in %.1f s: %.0f chunks/s, vectors included\n", b.documents, b.chunks, took.Seconds(), float64(b.chunks)/took.Seconds())
	b.printf("memory of this process meanwhile, at most: %d MB\nby stage, over all cores:\n", peak()>>20)
	stages.print(b, b.chunks)
	began, peak = time.Now(), watchMemory(ctx)
	if err := b.index.Pack(ctx, access.DefaultTenant); err != nil {
		return err
	}
	b.printf("packed the rest in %.1f s, memory at most %d MB\n", time.Since(began).Seconds(), peak()>>20)
	if _, err := b.db.Pool.Exec(ctx, `analyze`); err != nil {
		return err
	}
	return b.remember()
}

func (b *bench) load(ctx context.Context, stages *clock) error {
	writers, ctx := errgroup.WithContext(ctx)
	var next, chunks atomic.Int64
	for range putWriters {
		writers.Go(func() error {
			for chunks.Load() < int64(b.size) {
				first := next.Add(putDocuments) - putDocuments
				began := time.Now()
				entries := make([]index.Entry, putDocuments)
				for i := range entries {
					entries[i] = b.corpus.document(int(first) + i).entry()
					chunks.Add(int64(len(entries[i].Chunks)))
				}
				stages.add("generate (not ours)", time.Since(began))
				began = time.Now()
				if err := b.embed(ctx, entries); err != nil {
					return err
				}
				stages.add("vectors (not counted)", time.Since(began))
				if err := b.index.Put(ctx, access.DefaultTenant, entries); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := writers.Wait(); err != nil {
		return err
	}
	b.documents, b.chunks = int(next.Load()), int(chunks.Load())
	return nil
}

// watchMemory samples this process's memory every 100 ms. The returned function stops that and
// returns the peak in bytes.
func watchMemory(ctx context.Context) func() uint64 {
	ctx, cancel := context.WithCancel(ctx)
	most := make(chan uint64)
	runtime.GC()
	go func() {
		var peak uint64
		sample := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			metrics.Read(sample)
			peak = max(peak, sample[0].Value.Uint64()-sample[1].Value.Uint64())
			select {
			case <-tick.C:
			case <-ctx.Done():
				most <- peak
				return
			}
		}
	}()
	return func() uint64 {
		cancel()
		return <-most
	}
}

func (b *bench) maintain(ctx context.Context) error {
	began := time.Now()
	if err := b.index.Maintain(ctx, access.DefaultTenant); err != nil {
		return err
	}
	b.printf("Maintain: %.1f s\n", time.Since(began).Seconds())
	return nil
}

func (b *bench) printSizes(ctx context.Context) error {
	rows, err := b.db.Pool.Query(ctx, `
		select c.relname, pg_table_size(c.oid), pg_indexes_size(c.oid) from pg_class c
		where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and pg_total_relation_size(c.oid) > 1000000
		order by pg_total_relation_size(c.oid) desc`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var sum float64
	for rows.Next() {
		var name string
		var table, indexes int64
		if err := rows.Scan(&name, &table, &indexes); err != nil {
			return err
		}
		n := float64(b.chunks)
		sum += float64(table+indexes) / n
		b.printf("  %-16s %7.1f MB and indexes %7.1f MB: %6.0f + %5.0f bytes a chunk\n", name, float64(table)/1e6, float64(indexes)/1e6, float64(table)/n, float64(indexes)/n)
	}
	b.printf("  together %.0f bytes a chunk\n", sum)
	if rows.Err() != nil {
		return fmt.Errorf("read the sizes of tables: %w", rows.Err())
	}
	return nil
}
