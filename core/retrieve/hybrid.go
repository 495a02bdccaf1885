package retrieve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/llm"
	"github.com/footnotehq/footnote/core/span"
)

var _ Retriever = (*Hybrid)(nil)

// Hybrid is a Retriever that searches by keywords and by vectors, and blends the results. It is
// safe for concurrent use.
type Hybrid struct {
	index      Index
	embedder   Embedder
	cfg        Config
	reranker   Reranker // may be nil
	wait       time.Duration
	neighbours Neighbours // may be nil
	preferred  *Preferred // may be nil
}

// Preferred is a vector space that replaces the default space of a retriever for a tenant, as soon
// as it has enough of the vectors of the tenant.
type Preferred struct {
	Embedder Embedder
	Alpha    float64 // Config.Alpha in this space
	// IsComplete reports whether the tenant has enough vectors in this space. Every search calls
	// it.
	IsComplete func(context.Context, access.TenantID) (bool, error)
}

// WithPreferred returns a copy of h that prefers the vector space p.
func (h *Hybrid) WithPreferred(p Preferred) *Hybrid {
	with := *h
	with.preferred = &p
	return &with
}

// inSpace returns h, or a copy that uses the preferred vector space if it is complete for the
// tenant.
func (h *Hybrid) inSpace(ctx context.Context, tenant access.TenantID) (*Hybrid, error) {
	if h.preferred == nil {
		return h, nil
	}
	complete, err := h.preferred.IsComplete(ctx, tenant)
	if err != nil || !complete {
		return h, err
	}
	with := *h
	with.embedder, with.cfg.Alpha = h.preferred.Embedder, h.preferred.Alpha
	with.cfg = with.cfg.clipped()
	return &with, nil
}

// NewHybrid returns a retriever over an index. If embedder is nil, it searches by keywords only.
// NewHybrid fails if index is nil.
func NewHybrid(index Index, embedder Embedder, cfg Config) (*Hybrid, error) {
	if index == nil {
		return nil, errors.New("create the retriever: it needs an index")
	}
	return &Hybrid{index: index, embedder: embedder, cfg: cfg.clipped()}, nil
}

// Config returns the settings in force, clipped to their ranges.
func (h *Hybrid) Config() Config { return h.cfg }

// Search implements Retriever. If the embedder fails or takes longer than Config.EmbedWait, Search
// uses keywords only and says so in the trace.
func (h *Hybrid) Search(ctx context.Context, s Search) (result Result, err error) {
	ctx, searchSpan := span.Begin(ctx, "search", slog.Int("queries", len(s.Queries)))
	defer func() {
		searchSpan.Note(slog.String("route", result.Trace.Route), slog.Float64("alpha", result.Trace.Alpha), slog.Int("allowed", result.Trace.Allowed),
			slog.Int("hits", len(result.Hits)), slog.Bool("evidence", result.Evidence))
		searchSpan.End(err)
		if err == nil && h.cfg.Observe != nil {
			h.cfg.Observe(result.Trace)
		}
	}()
	if h.cfg.Begin != nil {
		defer h.cfg.Begin()()
	}
	began := time.Now()
	if s.Now.IsZero() {
		s.Now = began
	}
	trace := Trace{Route: RouteNone, Allowed: -1, Timings: make(map[string]time.Duration)}
	if !s.From.IsZero() {
		trace.From = s.From.Format(time.DateOnly)
	}
	if !s.To.IsZero() {
		trace.To = s.To.Add(-1).Format(time.DateOnly)
	}
	var queries []Query
	for _, q := range s.Queries {
		if strings.TrimSpace(q.Text) != "" {
			queries = append(queries, q)
			trace.Queries = append(trace.Queries, q.Text)
		}
	}
	if len(queries) == 0 || s.Audience.Tenant() == "" {
		return Result{Trace: trace}, nil
	}
	if h, err = h.inSpace(ctx, s.Audience.Tenant()); err != nil {
		return Result{}, fmt.Errorf("search the index: %w", err)
	}
	request := Request{Audience: s.Audience, Sources: s.Sources, Documents: s.Documents, From: s.From, To: s.To, TitleRatio: h.cfg.TitleRatio, PerSide: h.cfg.PerSide}
	if h.cfg.Synonyms != nil {
		request.Synonyms = h.cfg.Synonyms()
	}
	if err := h.embed(ctx, queries, &request, &trace); err != nil {
		return Result{}, err
	}
	var ranked []Ranked
	var evidence bool
	var chosen selection
	isClose := make(map[document.ChunkID]bool)
	choose := func(candidates Candidates) []document.ChunkID {
		clear(isClose)
		ranked, evidence = h.rank(queries, candidates, s, &trace, isClose)
		chosen = h.selectChunks(s, ranked)
		return h.fetchedChunks(ranked, chosen)
	}
	candidates, passages, err := h.index.Find(ctx, request, choose)
	if errors.Is(err, ErrDimensions) {
		trace.noteKeywordsOnly("The embedding model gives vectors of another length than the index holds")
		request.withoutVectors()
		candidates, passages, err = h.index.Find(ctx, request, choose)
	}
	if err != nil {
		return Result{}, fmt.Errorf("search the index: %w", err)
	}
	trace.Route, trace.Allowed = candidates.Route, candidates.Allowed
	trace.noteUnchecked(candidates.Unchecked)
	maps.Copy(trace.Timings, candidates.Timings)
	if with, more := h.spread(ctx, s, ranked, &trace); more {
		ranked = with
		chosen = h.selectChunks(s, ranked)
		if passages, err = h.fetchMissing(ctx, s, h.fetchedChunks(ranked, chosen), passages); err != nil {
			return Result{}, err
		}
	}
	if chosen, passages, err = h.rerank(ctx, s, queries[0].Text, ranked, chosen, passages, &trace); err != nil {
		return Result{}, fmt.Errorf("rerank: %w", err)
	}
	hits := fitTokens(join(passages, chosen), s.MaxTokens)
	trace.Timings["total"] = time.Since(began)
	result = Result{Hits: hits, Evidence: evidence && len(hits) > 0, Closest: closestDocuments(hits, isClose), Terms: make(map[string]int), Trace: trace}
	for _, list := range candidates.Lists {
		maps.Copy(result.Terms, list.Terms)
		result.Chunks = max(result.Chunks, list.Chunks)
	}
	if s.Keep > 0 {
		result.Ranking = &Ranking{Chunks: chosen.ranking, Page: cmp.Or(max(s.Limit, 0), h.cfg.MaxChunks), Queries: trace.Queries, Evidence: result.Evidence}
	}
	return result, nil
}

// alpha returns the weight of vector scores for a query: its own, or else the configured one. It
// returns 0 without an embedder.
func (h *Hybrid) alpha(q Query) float64 {
	if h.embedder == nil {
		return 0
	}
	alpha := h.cfg.Alpha
	if q.Alpha != nil {
		alpha = clampOr(*q.Alpha, 0, 1, h.cfg.Alpha)
	}
	return alpha
}

// embed sets the probes of a request, with vectors if possible. If the embedder fails, the probes
// have no vectors and the trace says why. embed fails only if ctx is cancelled.
func (h *Hybrid) embed(ctx context.Context, queries []Query, r *Request, trace *Trace) error {
	began := time.Now()
	r.Probes = make([]Probe, len(queries))
	var texts []string
	var at []int
	for i, q := range queries {
		r.Probes[i].Text = q.Text
		if h.alpha(q) > 0 {
			texts = append(texts, q.Text)
			at = append(at, i)
		}
	}
	if len(texts) == 0 {
		return nil
	}
	embedding, embedSpan := span.Begin(access.WithTenant(ctx, r.Audience.Tenant()), "embed", slog.String("model", h.embedder.Model()), slog.Int("texts", len(texts)))
	limited, cancel := context.WithTimeout(embedding, h.cfg.EmbedWait)
	defer cancel()
	vectors, err := h.embedder.Embed(limited, ForQuery, texts)
	if err == nil {
		err = h.check(vectors, len(texts))
	}
	embedSpan.End(err)
	trace.Timings["embed"] = time.Since(began)
	trace.Embedder = h.embedder.Model()
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("embed the question: %w", context.Cause(ctx))
		}
		switch {
		case errors.Is(err, ErrDimensions):
			trace.noteKeywordsOnly("The embedding model gives vectors of another length than it is set up for")
		case errors.Is(err, llm.ErrBudget):
			trace.noteKeywordsOnly("The budget for models is used up")
		case limited.Err() != nil:
			trace.noteKeywordsOnly(fmt.Sprintf("The embedding model took longer than %g s", h.cfg.EmbedWait.Seconds()))
		default:
			trace.noteKeywordsOnly("The embedding model did not answer")
		}
		return nil
	}
	r.Model = h.embedder.Model()
	for i, v := range vectors {
		r.Probes[at[i]].Vector = v
	}
	return nil
}

func (h *Hybrid) check(vectors [][]float32, want int) error {
	if len(vectors) != want {
		return fmt.Errorf("the embedder gave %d vectors for %d texts", len(vectors), want)
	}
	for _, v := range vectors {
		if len(v) != h.embedder.Dimensions() {
			return fmt.Errorf("%w: the embedder gave %d instead of %d", ErrDimensions, len(v), h.embedder.Dimensions())
		}
	}
	return nil
}

// rank scores the candidates of each query and merges the rankings into one. It reports whether any
// candidate is good enough to answer from. In isClose it marks the documents that nearly are
// (closeShare), by their first chunks.
func (h *Hybrid) rank(queries []Query, candidates Candidates, s Search, trace *Trace, isClose map[document.ChunkID]bool) ([]Ranked, bool) {
	trace.Alpha, trace.Synonyms = 0, nil
	rankings := make([][]Ranked, len(queries))
	weights := make([]float64, len(queries))
	evidence := false
	for i, q := range queries {
		list := candidates.Lists[i]
		alpha := h.alpha(q)
		trace.Alpha = max(trace.Alpha, EffectiveAlpha(list, alpha))
		rankings[i] = h.cfg.Blend(list, Blending{Alpha: alpha, FavorRecent: s.FavorRecent, Now: s.Now})
		weights[i] = q.Weight
		evidence = evidence || h.cfg.HasEvidence(list)
		h.cfg.addClose(list, isClose)
		for _, synonym := range list.Synonyms {
			if !slices.Contains(trace.Synonyms, synonym) {
				trace.Synonyms = append(trace.Synonyms, synonym)
			}
		}
	}
	return Fuse(rankings, weights), evidence
}
