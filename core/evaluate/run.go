package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/retrieve"
)

// Mode is a way of searching that an evaluation compares with others, such as "keyword".
type Mode string

// The values of [Mode], in the order of reports.
const (
	Keyword  Mode = "keyword"  // alpha 0
	Semantic Mode = "semantic" // alpha 1, regardless of the embedder's cap
	Hybrid   Mode = "hybrid"   // alpha as configured, capped by the embedder
	Reranked Mode = "rerank"   // hybrid, with the best passages ordered by the reranker
)

// Modes returns all modes, in the order of reports.
func Modes() []Mode { return []Mode{Keyword, Semantic, Hybrid, Reranked} }

// ErrNoEmbedder reports that semantic search was requested but no embedder is configured.
var ErrNoEmbedder = errors.New("there is no embedder, so there is no semantic search: give Runner.Embedder")

// ErrNoReranker reports that reranking was requested but no reranker is configured.
var ErrNoReranker = errors.New("there is no reranker: set RERANK_URL")

// patience is the timeout for embedders and rerankers. It is long, because an evaluation measures
// quality and time separately.
const patience = time.Minute

// Runner searches for the queries of a collection, one after the other. The index must hold the
// collection.
type Runner struct {
	Index      retrieve.Index
	Embedder   retrieve.Embedder   // may be nil
	Reranker   retrieve.Reranker   // may be nil
	Neighbours retrieve.Neighbours // may be nil
	Config     retrieve.Config     // as in production; neighbours are left out
	Tenant     access.TenantID
}

// rankingDepth is the number of documents that a ranking should have. A search that finds fewer is
// repeated with deeper times as many candidates, up to deepest times the original number.
const (
	rankingDepth = 100
	deeper       = 10
	deepest      = 1000
)

// warmUp is the number of queries that are run before the measurement, to fill caches and open
// connections.
const warmUp = 20

// Result holds the measurements of one mode.
type Result struct {
	Mode Mode `json:"mode"`
	Metrics
	Gold     []Gold              `json:"gold,omitempty"`
	Latency  []Latency           `json:"latency"`
	Rankings map[string][]string `json:"-"` // query id → at most 100 ids of documents, best first
}

// Run runs every query of the collection and measures ranking and latency. A document ranks by its
// best chunk. After each query, Run calls done with the number of queries so far.
//
// If many hits are chunks of the same document, a ranking has fewer than 100 documents. Run then
// searches with more candidates, and does not count the time of these searches.
func (r Runner) Run(ctx context.Context, c *Collection, mode Mode, done func(queries int)) (Result, error) {
	search, err := r.searcher(mode, 1)
	if err != nil {
		return Result{}, err
	}
	for _, q := range c.Queries[:min(warmUp, len(c.Queries))] {
		if _, err := search(ctx, q); err != nil {
			return Result{}, err
		}
	}
	rankings := make(map[string][]string, len(c.Queries))
	timings := make(map[string][]time.Duration)
	for i, q := range c.Queries {
		found, err := search(ctx, q)
		if err != nil {
			return Result{}, err
		}
		for stage, d := range found.Trace.Timings {
			timings[stage] = append(timings[stage], d)
		}
		ranking := c.extend(nil, q, found.Hits)
		for times := deeper; times <= deepest && len(ranking) < min(rankingDepth, len(c.Documents)); times *= deeper {
			before := len(ranking)
			if ranking, err = r.complete(ctx, c, ranking, q, mode, times); err != nil {
				return Result{}, err
			}
			if len(ranking) == before {
				break // nothing else matches
			}
		}
		rankings[q.ID] = ranking
		done(i + 1)
	}
	gold, err := r.measureGold(ctx, c, mode)
	if err != nil {
		return Result{}, err
	}
	return Result{Mode: mode, Metrics: Measure(rankings, c.Judgements), Gold: gold, Latency: latencies(timings), Rankings: rankings}, nil
}

func (r Runner) complete(ctx context.Context, c *Collection, ranking []string, q Text, mode Mode, times int) ([]string, error) {
	search, err := r.searcher(mode, times)
	if err != nil {
		return nil, err
	}
	found, err := search(ctx, q)
	return c.extend(ranking, q, found.Hits), err
}

func (r Runner) searcher(mode Mode, times int) (func(context.Context, Text) (retrieve.Result, error), error) {
	cfg := r.Config
	cfg.Above, cfg.Below = 0, 0
	cfg.PerSide *= times
	hybrid, err := r.hybrid(mode, cfg)
	return func(ctx context.Context, q Text) (retrieve.Result, error) {
		// One document more, since one may be the query itself.
		return r.searchQuery(ctx, hybrid, q, retrieve.Search{Limit: times*rankingDepth + 1})
	}, err
}

func (r Runner) prompter(mode Mode) (func(ctx context.Context, q Text, tokens int) (retrieve.Result, error), error) {
	hybrid, err := r.hybrid(mode, r.Config)
	return func(ctx context.Context, q Text, tokens int) (retrieve.Result, error) {
		return r.searchQuery(ctx, hybrid, q, retrieve.Search{MaxTokens: tokens})
	}, err
}

func (r Runner) hybrid(mode Mode, cfg retrieve.Config) (*retrieve.Hybrid, error) {
	embedder := r.Embedder
	cfg.EmbedWait = patience
	switch mode {
	case Keyword:
		cfg.Alpha = 0
	case Semantic:
		if embedder == nil {
			return nil, ErrNoEmbedder
		}
		cfg.Alpha = 1
	case Hybrid:
	case Reranked:
		if r.Reranker == nil {
			return nil, ErrNoReranker
		}
	default:
		return nil, fmt.Errorf("the mode %q is none of keyword, semantic, hybrid and rerank", mode)
	}
	hybrid, err := retrieve.NewHybrid(r.Index, embedder, cfg)
	if err != nil {
		return nil, err
	}
	if mode != Semantic {
		hybrid = hybrid.WithNeighbours(r.Neighbours)
	}
	if mode == Reranked {
		hybrid = hybrid.WithReranker(r.Reranker, patience)
	}
	return hybrid, nil
}

// searchQuery searches for one query. It returns an error if the result is partial, because it
// would count as a bad result.
func (r Runner) searchQuery(ctx context.Context, hybrid *retrieve.Hybrid, q Text, search retrieve.Search) (retrieve.Result, error) {
	search.Audience, search.Queries = access.NewAudience(r.Tenant, access.Public), []retrieve.Query{{Text: q.Text}}
	found, err := hybrid.Search(ctx, search)
	if err == nil && found.Trace.Notice != "" { // a partial search would count as a bad result
		err = errors.New(found.Trace.Notice + " Its endpoint must answer every query of an evaluation; footnote doctor tests it")
	}
	if err != nil {
		return found, fmt.Errorf("search for query %q: %w", q.ID, err)
	}
	return found, nil
}

// extend appends the documents of hits to a ranking, without duplicates. A document that is itself
// the query is skipped, as in BEIR, unless it is judged relevant.
func (c *Collection) extend(ranking []string, q Text, hits []retrieve.Hit) []string {
	for _, h := range hits {
		d, ok := c.documentOf(h.Document.ID)
		if !ok || len(ranking) >= rankingDepth || slices.Contains(ranking, d.ID) || d.ID == q.ID && c.Judgements[q.ID][d.ID] <= 0 {
			continue
		}
		ranking = append(ranking, d.ID)
	}
	return ranking
}
