package search

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/postgres/pgindex"
	"github.com/footnotehq/footnote/adapters/staticembed"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/evaluate"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/retrieve"
)

type loaded struct {
	model             *staticembed.Model
	documents, chunks int
	vectors           map[string][]float32 // of the questions, computed beforehand
}

func (b *bench) embed(ctx context.Context, entries []index.Entry) error {
	for i := range entries {
		v, err := b.model.Embed(ctx, retrieve.ForPassage, entries[i].SearchText)
		if err != nil {
			return err
		}
		entries[i].Vectors, entries[i].Model = v, b.model.Model()
	}
	return nil
}

// questions returns n texts of 2 to 9 consecutive words from random chunks. Each series has its own
// texts, and their vectors are stored in b.vectors.
func (b *bench) questions(ctx context.Context, series uint64, n int) ([]string, error) {
	rng := rand.New(rand.NewPCG(seed+2, series))
	texts := make([]string, n)
	for i := range texts {
		m := b.corpus.document(rng.IntN(b.documents))
		words := strings.Fields(m.chunks[rng.IntN(len(m.chunks))])
		k := min(2+rng.IntN(8), len(words))
		at := rng.IntN(len(words) - k + 1)
		texts[i] = strings.Join(words[at:at+k], " ")
	}
	vectors, err := b.model.Embed(ctx, retrieve.ForQuery, texts)
	if err != nil {
		return nil, err
	}
	if b.vectors == nil {
		b.vectors = make(map[string][]float32)
	}
	for i, text := range texts {
		b.vectors[text] = vectors[i]
	}
	return texts, nil
}

// ready is an embedder that looks up precomputed vectors, so that embedding is not measured.
type ready struct{ *bench }

func (r ready) Embed(_ context.Context, _ retrieve.Purpose, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		out[i] = r.vectors[text]
	}
	return out, nil
}
func (r ready) Model() string   { return r.model.Model() }
func (r ready) Dimensions() int { return r.model.Dimensions() }

var modes = []struct {
	name  string
	alpha float64
}{{"keyword", 0}, {"semantic", 1}, {"hybrid", 0.5}}

func (b *bench) searcher(x *pgindex.Index, alpha float64) (*retrieve.Hybrid, error) {
	cfg := retrieve.DefaultConfig()
	cfg.Alpha = alpha
	return retrieve.NewHybrid(x, ready{b}, cfg)
}

func (s share) audience() access.Audience { return access.NewAudience(access.DefaultTenant, s.group) }

type sample struct {
	took    []time.Duration
	stages  map[string][]time.Duration
	routes  map[string]int
	allowed int
}

func (s *sample) percentile(p int) float64 {
	slices.Sort(s.took)
	return ms(evaluate.Percentile(s.took, p))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func ask(ctx context.Context, h *retrieve.Hybrid, a access.Audience, texts []string) (sample, error) {
	s := sample{stages: make(map[string][]time.Duration), routes: make(map[string]int)}
	for _, text := range texts {
		began := time.Now()
		r, err := h.Search(ctx, retrieve.Search{Audience: a, Queries: []retrieve.Query{{Text: text}}})
		if err != nil {
			return s, err
		}
		s.took = append(s.took, time.Since(began))
		for stage, d := range r.Trace.Timings {
			s.stages[stage] = append(s.stages[stage], d)
		}
		s.routes[r.Trace.Route]++
		s.allowed = r.Trace.Allowed
	}
	return s, nil
}

// warmUp is the number of unmeasured questions before the first case, warmUpEach before every later
// case.
const (
	warmUp     = 200
	warmUpEach = 10
)

func (b *bench) searchAll(ctx context.Context) error {
	if b.profile != "" {
		file, err := os.Create(b.profile)
		if err != nil {
			return err
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	if err := b.prewarm(ctx); err != nil {
		b.printf("the first cases read the disk as well: %v\n", err)
	}
	if err := b.settle(ctx); err != nil {
		return err
	}
	b.printf("%-16s %-9s %8s %8s %13s %8s %6s %6s  %s\n", "readable", "mode", "p50 ms", "p95 ms", "cpu ms +server", "chunks", "route", "recall", "stages p50 ms")
	for i, s := range shares {
		for j, m := range modes {
			h, err := b.searcher(b.index, m.alpha)
			if err != nil {
				return err
			}
			texts, err := b.questions(ctx, uint64(100+10*i+j), warmUpEach+b.queries)
			if err != nil {
				return err
			}
			if _, err := ask(ctx, h, s.audience(), texts[:warmUpEach]); err != nil {
				return err
			}
			before, err := b.computed(ctx)
			if err != nil {
				return err
			}
			measured, err := ask(ctx, h, s.audience(), texts[warmUpEach:])
			if err != nil {
				return err
			}
			after, err := b.computed(ctx)
			if err != nil {
				return err
			}
			recall := "-"
			if m.name == "semantic" {
				r, err := b.recall(ctx, b.index, []access.Principal{s.group}, texts[warmUpEach:])
				if err != nil {
					return err
				}
				recall = fmt.Sprintf("%.3f", r)
			}
			b.printf("%-16s %-9s %8.2f %8.2f  %s %8d %6s %6s  %s\n", s.name, m.name, measured.percentile(50), measured.percentile(95),
				after.each(before, b.queries), measured.allowed, route(measured.routes), recall, stages(measured.stages))
		}
	}
	return nil
}

// prewarm loads the search tables into shared_buffers, because building the vector index has pushed
// them out. It needs the extension pg_prewarm.
func (b *bench) prewarm(ctx context.Context) error {
	for _, sql := range []string{
		`create extension if not exists pg_prewarm`,
		`select pg_prewarm(oid) from pg_class where relname in ('posting', 'posting_pkey', 'document', 'document_pkey', 'chunk', 'chunk_pkey')`,
		`select pg_prewarm(reltoastrelid), pg_prewarm(indexrelid) from pg_class c join pg_index on indrelid = c.reltoastrelid where relname = 'posting'`,
	} {
		if _, err := b.db.Pool.Exec(ctx, sql); err != nil {
			return fmt.Errorf("read the index into the server's memory: %w", err)
		}
	}
	return nil
}

func (b *bench) settle(ctx context.Context) error {
	texts, err := b.questions(ctx, 1, warmUp)
	if err != nil {
		return err
	}
	h, err := b.searcher(b.index, 0.5)
	if err != nil {
		return err
	}
	for _, s := range shares {
		n := warmUp
		if s.part > 1 {
			n = warmUpEach
		}
		if _, err := ask(ctx, h, s.audience(), texts[:n]); err != nil {
			return err
		}
	}
	return nil
}

func route(routes map[string]int) string {
	most := ""
	for r, n := range routes {
		if n > routes[most] {
			most = r
		}
	}
	return most
}

func stages(timings map[string][]time.Duration) string {
	var parts []string
	for stage, d := range timings {
		if stage == "total" || stage == "embed" {
			continue
		}
		slices.Sort(d)
		parts = append(parts, fmt.Sprintf("%s %.2f", stage, ms(evaluate.Percentile(d, 50))))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// recall returns the share of the ten most similar chunks that the index finds, averaged over
// texts.
func (b *bench) recall(ctx context.Context, x *pgindex.Index, groups []access.Principal, texts []string) (float64, error) {
	var found, wanted float64
	for _, text := range texts {
		v := b.vectors[text]
		if !slices.ContainsFunc(v, func(f float32) bool { return f != 0 }) {
			continue // no word that the model knows: the semantic side has nothing to say
		}
		exact, err := b.nearest(ctx, groups, v)
		if err != nil {
			return 0, err
		}
		got, _, err := x.Find(ctx, retrieve.Request{Audience: access.NewAudience(access.DefaultTenant, groups...), Probes: []retrieve.Probe{{Vector: v}}, Model: b.model.Model(), PerSide: 500}, nil)
		if err != nil {
			return 0, err
		}
		entries := got.Lists[0].Entries
		slices.SortFunc(entries, func(a, b retrieve.Candidate) int { return cmp.Compare(b.Cosine, a.Cosine) })
		// Chunks as similar as the tenth count as well: of equals, any ten are right.
		for _, e := range entries[:min(10, len(entries))] {
			if len(exact) > 0 && e.VectorPos > 0 && e.Cosine >= exact[len(exact)-1]-1e-4 {
				found++
			}
		}
		wanted += float64(len(exact))
	}
	if wanted == 0 {
		return 1, nil
	}
	return found / wanted, nil
}

func (b *bench) nearest(ctx context.Context, groups []access.Principal, v []float32) ([]float64, error) {
	names := make([]string, len(groups))
	for i, g := range groups {
		names[i] = string(g)
	}
	rows, err := b.db.Pool.Query(ctx, `
		with c as materialized (
			select -(emb <#> $1::text::halfvec) as cosine from embedding
			where access_number in (select number from access_list where $2::text[] && principals))
		select cosine from c order by cosine desc limit 10`, literal(v), names)
	if err != nil {
		return nil, fmt.Errorf("compare every vector: %w", err)
	}
	defer rows.Close()
	var best []float64
	for rows.Next() {
		var cosine float64
		if err := rows.Scan(&cosine); err != nil {
			return nil, err
		}
		best = append(best, cosine)
	}
	return best, rows.Err()
}

// literal writes v as pgvector parses it, for example "[0.5,1]".
func literal(v []float32) string {
	var text strings.Builder
	for i, f := range v {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, "%g", f)
	}
	return "[" + text.String() + "]"
}
