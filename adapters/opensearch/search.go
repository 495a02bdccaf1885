package opensearch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
	"github.com/footnotehq/footnote/core/retrieve/analyse"
	"github.com/footnotehq/footnote/core/retrieve/bm25"
	"github.com/footnotehq/footnote/core/retrieve/engine"
)

// minScore and maxScore limit nonzero scores, so that products and quotients of scores are finite.
// Real scores are far from these limits.
const (
	minScore = 1e-30
	maxScore = 1e12
)

// maxTerms is the largest number of terms in one clause (index.max_terms_count).
const maxTerms = 65536

// Search implements engine.Searcher. It sends up to four requests, one after another:
//   - Word frequencies, the number of allowed chunks, and the nearest vectors.
//   - The highest score of each field.
//   - The best chunks by words.
//   - The missing scores of the best chunks by words and by vectors.
//
// Each request contains the searches for all queries in q.Probes.
func (c *Client) Search(ctx context.Context, q engine.Query) (engine.Result, error) {
	if err := c.checkVersion(ctx); err != nil {
		return engine.Result{}, err
	}
	if err := c.checkLayout(ctx, q.Index); err != nil {
		return engine.Result{}, fmt.Errorf("search: %w", err)
	}
	s := &search{client: c, query: &q, filter: filter(&q), probes: make([]probe, len(q.Probes))}
	for _, step := range []func(context.Context) error{s.frequencies, s.maxima, s.best, s.complete} {
		if err := step(ctx); err != nil {
			return engine.Result{}, fmt.Errorf("search: %w", err)
		}
	}
	return s.result(), nil
}

type search struct {
	client   *Client
	query    *engine.Query
	filter   []any
	allowed  int
	readable int                // number of chunks that the audience may read
	counts   map[string]*[2]int // by word: number of readable chunks that contain it in either field
	probes   []probe
}

type probe struct {
	weights  [2][]float64 // weights of its terms in either field; 0 if no chunk contains a term
	highest  [2]float64
	keywords []hit
	similar  []hit
	entries  []engine.Entry // by chunk
}

type hit struct {
	chunk document.ChunkID
	score float64
	named []string
}

// fields lists the two keyword fields, in the order of probe.weights.
var fields = [2]string{fieldFlat, fieldTitle}

// readable returns the conditions for chunks that the audience of a query may read.
func readable(q *engine.Query) []any {
	return []any{term(fieldTenant, string(q.Tenant)), anyOf(fieldAccess, q.Lists)}
}

func filter(q *engine.Query) []any {
	must := readable(q)
	if q.Sources != nil {
		must = append(must, anyOf(fieldSource, q.Sources))
	}
	if q.Documents != nil {
		must = append(must, anyOf(fieldFirst, q.Documents))
	}
	return must
}

func term(field string, value any) object { return object{"term": object{field: value}} }

// anyOf returns a condition that the field has any of the values. It splits them into several
// clauses if there are more than maxTerms.
func anyOf[T ~int32 | ~int64](field string, values []T) any {
	if len(values) <= maxTerms {
		if values == nil {
			values = []T{}
		}
		return object{"terms": object{field: values}}
	}
	var should []any
	for some := range slices.Chunk(values, maxTerms) {
		should = append(should, object{"terms": object{field: some}})
	}
	return object{"bool": object{"should": should, "minimum_should_match": 1}}
}

// round is a batch of searches that are sent in one request. Each search has a function that
// handles its response.
type round struct {
	bodies []object
	most   []int // maximum hits of each search
	reads  []func(*found)
}

type found struct {
	total int
	hits  []hit
}

func (r *round) add(most int, body object, read func(*found)) {
	r.bodies, r.most, r.reads = append(r.bodies, body), append(r.most, most), append(r.reads, read)
}

func (r *round) count(conditions []any, read func(int)) {
	r.add(0, object{"size": 0, "track_total_hits": true, "query": object{"bool": object{"filter": conditions}}}, func(f *found) { read(f.total) })
}

// scores adds a search for the best n chunks and their scores. If several chunks share the lowest
// score, the choice among them is arbitrary.
func (r *round) scores(n int, query object, read func([]hit)) {
	r.add(n, object{"size": n, "track_total_hits": false, "query": query, "stored_fields": "_none_", "docvalue_fields": []string{fieldChunk}},
		func(f *found) { read(f.hits) })
}

// top adds a search for the best n chunks. Among equal scores, lower ids come first. It reads the
// scores from the sort values. With track_scores, OpenSearch would examine every chunk that
// contains a word instead of only candidates.
func (r *round) top(n int, query object, read func([]hit)) {
	r.scores(n, query, read)
	r.bodies[len(r.bodies)-1]["sort"] = []any{object{"_score": "desc"}, object{fieldChunk: "asc"}}
}

func (s *search) run(ctx context.Context, r *round) error {
	if len(r.bodies) == 0 {
		return nil
	}
	var body bytes.Buffer
	out := json.NewEncoder(&body)
	for _, b := range r.bodies {
		body.WriteString("{}\n")
		if err := out.Encode(b); err != nil {
			return err
		}
	}
	var got struct {
		Responses []response
	}
	if err := s.client.call(ctx, http.MethodPost, "/"+s.query.Index+"/_msearch?typed_keys=false", body.Bytes(), &got); err != nil {
		return err
	}
	if len(got.Responses) != len(r.bodies) {
		return fmt.Errorf("%w: it answered %[3]d of %[2]d searches", engine.ErrDown, len(r.bodies), len(got.Responses))
	}
	for i := range got.Responses {
		f, err := s.client.decodeResponse(&got.Responses[i], r.most[i])
		if err != nil {
			return err
		}
		r.reads[i](f)
	}
	return nil
}

type response struct {
	Status   int
	Error    json.RawMessage
	TimedOut bool                 `json:"timed_out"`
	Shards   struct{ Failed int } `json:"_shards"`
	Hits     struct {
		Total struct{ Value int }
		Hits  []struct {
			Score   *float64 `json:"_score"` // absent if hits are sorted
			Sort    []float64
			Fields  struct{ Chunk []document.ChunkID }
			Matched []string `json:"matched_queries"`
		}
	}
}

// decodeResponse returns the hits of a search. It returns an error if a shard is missing, a hit is
// invalid, or there are more hits than the requested number (most).
func (c *Client) decodeResponse(r *response, most int) (*found, error) {
	if r.Error != nil {
		f := &fault{status: r.Status}
		f.kind, f.reason = cause(r.Error)
		return nil, c.explainFault(c.hostList(), f)
	}
	if r.Shards.Failed > 0 || r.TimedOut {
		return nil, fmt.Errorf("%w: %d shards of the index did not answer; check the health of the cluster", engine.ErrDown, r.Shards.Failed)
	}
	if n := len(r.Hits.Hits); n > most || r.Hits.Total.Value < 0 {
		return nil, fmt.Errorf("%w: for %d requested chunks it returned %d of %d", engine.ErrUnfit, most, n, r.Hits.Total.Value)
	}
	out := &found{total: r.Hits.Total.Value, hits: make([]hit, len(r.Hits.Hits))}
	seen := make(map[document.ChunkID]bool, len(out.hits))
	for i, h := range r.Hits.Hits {
		if len(h.Sort) > 0 {
			h.Score = &h.Sort[0]
		}
		if h.Score == nil || len(h.Fields.Chunk) != 1 {
			return nil, fmt.Errorf("%w: a chunk has no score or number", engine.ErrUnfit)
		}
		if *h.Score != 0 && *h.Score < minScore || *h.Score > maxScore || seen[h.Fields.Chunk[0]] {
			return nil, fmt.Errorf("%w: a chunk is repeated or has an invalid score", engine.ErrUnfit)
		}
		seen[h.Fields.Chunk[0]] = true
		out.hits[i] = hit{h.Fields.Chunk[0], *h.Score, h.Matched}
	}
	return out, nil
}

func (s *search) frequencies(ctx context.Context) error {
	var r round
	r.count(s.filter, func(n int) { s.allowed = n })
	if s.query.Sources != nil || s.query.Documents != nil {
		r.count(readable(s.query), func(n int) { s.readable = n })
	}
	s.counts = make(map[string]*[2]int)
	for i := range s.query.Probes {
		p := &s.query.Probes[i]
		for _, t := range p.Terms {
			if s.counts[t.Text] != nil {
				continue
			}
			n := new([2]int)
			s.counts[t.Text] = n
			for field, name := range fields {
				r.count(append(readable(s.query), term(name, t.Text)), func(count int) { n[field] = count })
			}
		}
		if p.Vector != nil {
			r.top(s.query.PerSide, s.nearest(p.Vector, s.query.PerSide, s.filter), func(hits []hit) { s.probes[i].similar = hits })
		}
	}
	if err := s.run(ctx, &r); err != nil {
		return err
	}
	if s.query.Sources == nil && s.query.Documents == nil {
		s.readable = s.allowed
	}
	return nil
}

// nearest returns a query for the n nearest vectors. OpenSearch applies the conditions while it
// walks the graph. If few chunks meet the conditions, OpenSearch compares all of them.
func (s *search) nearest(vector []float32, n int, conditions []any) object {
	return object{"knn": object{vectorField(s.query.Model): object{"vector": vector, "k": n, "filter": object{"bool": object{"filter": conditions}}}}}
}

func (s *search) maxima(ctx context.Context) error {
	var r round
	for i := range s.probes {
		p, terms := &s.probes[i], s.query.Probes[i].Terms
		for field := range fields {
			frequency := s.frequency(terms, field)
			together := analyse.Together(terms, frequency)
			p.weights[field] = make([]float64, len(terms))
			for j, t := range terms {
				if frequency[j] > 0 {
					p.weights[field][j] = t.Weight() * bm25.IDF(s.readable, together[j])
				}
			}
			if clauses := s.words(i, field, 1); s.allowed > 0 && len(clauses) > 0 {
				r.scores(1, matching(clauses, s.filter), func(hits []hit) {
					if len(hits) > 0 {
						p.highest[field] = hits[0].score
					}
				})
			}
		}
	}
	return s.run(ctx, &r)
}

func (s *search) frequency(terms []analyse.Term, field int) []int {
	out := make([]int, len(terms))
	for i, t := range terms {
		out[i] = s.counts[t.Text][field]
	}
	return out
}

// words returns one clause per term of a probe that occurs in the field. The clause's boost is the
// term's weight times factor.
func (s *search) words(probe, field int, factor float64) []any {
	var clauses []any
	for i, t := range s.query.Probes[probe].Terms {
		if w := s.probes[probe].weights[field][i] * factor; w > 0 {
			clauses = append(clauses, object{"term": object{fields[field]: object{"value": t.Text, "boost": w}}})
		}
	}
	return clauses
}

// matching returns a query whose score is the sum of clauses. The query matches only chunks that
// meet the conditions.
func matching(clauses, conditions []any) object {
	return object{"bool": object{"should": clauses, "minimum_should_match": 1, "filter": conditions}}
}

// best requests the best chunks by words. The score of a chunk combines its scores in the flat and
// title fields, each divided by the field's highest score. Query.TitleRatio is the weight of the
// title.
func (s *search) best(ctx context.Context) error {
	var r round
	for i := range s.probes {
		p := &s.probes[i]
		var clauses []any
		for field, share := range [2]float64{1 - s.query.TitleRatio, s.query.TitleRatio} {
			if p.highest[field] > 0 {
				clauses = append(clauses, s.words(i, field, share/p.highest[field])...)
			}
		}
		if len(clauses) > 0 {
			r.top(s.query.PerSide, matching(clauses, s.filter), func(hits []hit) { p.keywords = hits })
		}
	}
	return s.run(ctx, &r)
}

// complete requests the missing scores of the best chunks by words and by vectors. For the chunks
// at the top, it also requests which words they contain.
func (s *search) complete(ctx context.Context) error {
	var r round
	for i := range s.probes {
		s.join(i)
		s.askScores(&r, i)
	}
	return s.run(ctx, &r)
}

// join merges the results by words and by vectors for probe i into one list of entries, one per
// chunk. The entries are sorted by chunk id.
func (s *search) join(i int) {
	p := &s.probes[i]
	at := make(map[document.ChunkID]int)
	entry := func(chunk document.ChunkID) *engine.Entry {
		if _, there := at[chunk]; !there {
			at[chunk] = len(p.entries)
			p.entries = append(p.entries, engine.Entry{Chunk: chunk})
		}
		return &p.entries[at[chunk]]
	}
	for pos, h := range p.keywords {
		e := entry(h.chunk)
		e.KeywordPos = pos + 1
		if pos < retrieve.CoverageDepth {
			e.Holds = make([]bool, len(s.query.Probes[i].Terms))
		}
	}
	for pos, h := range p.similar {
		e := entry(h.chunk)
		e.VectorPos, e.Cosine = pos+1, cosine(h.score)
	}
	slices.SortFunc(p.entries, func(a, b engine.Entry) int { return cmp.Compare(a.Chunk, b.Chunk) })
}

// cosine converts a k-NN score, which is (1 + cosine) / 2.
func cosine(score float64) float64 { return 2*score - 1 }

func (s *search) askScores(r *round, i int) {
	p := &s.probes[i]
	var all, unlike, deep []document.ChunkID
	for _, e := range p.entries {
		all = append(all, e.Chunk)
		if e.VectorPos == 0 {
			unlike = append(unlike, e.Chunk)
		}
		if e.Holds != nil {
			deep = append(deep, e.Chunk)
		}
	}
	of := func(chunks []document.ChunkID) []any {
		return []any{term(fieldTenant, string(s.query.Tenant)), anyOf(fieldChunk, chunks)}
	}
	for field := range fields {
		if clauses := s.words(i, field, 1); len(all) > 0 && p.highest[field] > 0 {
			r.scores(len(all), matching(clauses, of(all)), p.each(func(e *engine.Entry, h hit) {
				if field == 0 {
					e.Flat = h.score
				} else {
					e.Title = h.score
				}
			}))
		}
	}
	if vector := s.query.Probes[i].Vector; vector != nil && len(unlike) > 0 {
		r.scores(len(unlike), s.nearest(vector, len(unlike), of(unlike)), p.each(func(e *engine.Entry, h hit) { e.Cosine = cosine(h.score) }))
	}
	if len(deep) > 0 {
		var named []any
		for j, t := range s.query.Probes[i].Terms {
			named = append(named, object{"term": object{fieldFlat: object{"value": t.Text, "_name": strconv.Itoa(j)}}})
		}
		r.scores(len(deep), matching(named, of(deep)), p.each(func(e *engine.Entry, h hit) {
			for _, name := range h.named {
				if j, err := strconv.Atoi(name); err == nil && j >= 0 && j < len(e.Holds) {
					e.Holds[j] = true
				}
			}
		}))
	}
}

// each returns a function that calls f for each of its hits, together with the chunk's entry. It
// skips hits without an entry.
func (p *probe) each(f func(*engine.Entry, hit)) func([]hit) {
	return func(hits []hit) {
		for _, h := range hits {
			i, there := slices.BinarySearchFunc(p.entries, h.chunk, func(e engine.Entry, id document.ChunkID) int { return cmp.Compare(e.Chunk, id) })
			if there {
				f(&p.entries[i], h)
			}
		}
	}
}

func (s *search) result() engine.Result {
	out := engine.Result{Allowed: s.allowed, Readable: s.readable, Lists: make([]engine.List, len(s.probes))}
	for i := range s.probes {
		p := &s.probes[i]
		out.Lists[i] = engine.List{Entries: p.entries, MaxFlat: p.highest[0], MaxTitle: p.highest[1],
			Frequency: s.frequency(s.query.Probes[i].Terms, 0)}
	}
	return out
}
